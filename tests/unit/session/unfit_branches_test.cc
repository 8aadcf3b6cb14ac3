// Fed values whose shapes one branch of a conditional cannot take: the step is refused only if that branch runs.
#include <gtest/gtest.h>

#include "src/session/session.h"
#include "tests/unit/session/rank_threads.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;
using testing::RankThreads;

// y = choose ? branch(x, w) : x.
struct Choice {
  GraphMaker g;
  Output x = g.Placeholder("x", PartialShape(), DType::kFloat);
  Output w = g.Placeholder("w", PartialShape(), DType::kFloat);
  Output choose = g.Placeholder("choose", PartialShape::Scalar(), DType::kBool);
  Output sides = g.Add("sides", "Switch", {x, choose});
  Output w_sides = g.Add("w_sides", "Switch", {w, choose});

  Output Taken() const { return {sides.node, 1}; }
  Output TakenW() const { return {w_sides.node, 1}; }
  void Join(Output taken) { g.Add("y", "Merge", {g.Add("same", "Identity", {{sides.node, 0}}), taken}); }
};

void ExpectsFitOnlyWhereItRuns(Choice& choice, const Tensor& x, const Tensor& w, const std::string& unfit) {
  RankThreads threads(1, 1);
  auto session = Session::Create(threads.master(), std::move(choice.g.graph));
  ASSERT_TRUE(session.ok()) << session.status().ToString();
  const auto run = [&](bool taken) {
    return (*session)->Run({{"x", x}, {"w", w}, {"choose", Tensor::Scalar(taken)}}, {"y"});
  };
  const Result<std::vector<Tensor>> out = run(false);
  ASSERT_TRUE(out.ok()) << out.status().ToString();
  EXPECT_TRUE((*out)[0].Identical(x));
  const Result<std::vector<Tensor>> none = run(true);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().code(), Code::kInvalidArgument);
  EXPECT_NE(none.status().message().find("'" + unfit + "'"), std::string::npos) << none.status().message();
}

TEST(UnfitBranches, AProductOfOtherSizes) {
  Choice choice;
  choice.Join(choice.g.Add("product", "MatMul", {choice.Taken(), choice.TakenW()}));
  ExpectsFitOnlyWhereItRuns(choice, Tensor(DType::kFloat, Shape({2, 3})), Tensor(DType::kFloat, Shape({4, 2})),
                            "product");
}

TEST(UnfitBranches, AConvolutionThatDoesNotFit) {
  Choice choice;
  choice.Join(choice.g.Add("conv", "Conv2D", {choice.Taken(), choice.TakenW()},
                           {{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", std::string("VALID")}}));
  ExpectsFitOnlyWhereItRuns(choice, Tensor(DType::kFloat, Shape({1, 2, 2, 3})),
                            Tensor(DType::kFloat, Shape({3, 3, 3, 4})), "conv");
}

TEST(UnfitBranches, SeveralNodesOneAfterTheOther) {
  Choice choice;
  const Output size = choice.g.Const("size", Tensor::Vector<int32_t>({7}));
  const Output flat = choice.g.Add("flat", "Reshape", {choice.Taken(), size});
  const Output sum = choice.g.Add("sum", "AddV2", {flat, choice.TakenW()});
  choice.Join(choice.g.Add("product", "MatMul", {sum, choice.TakenW()}));
  ExpectsFitOnlyWhereItRuns(choice, Tensor(DType::kFloat, Shape({2, 3})), Tensor(DType::kFloat, Shape({4})), "flat");
}

TEST(UnfitBranches, WhatAlwaysRunsIsRefusedBeforeTheStep) {
  Choice choice;
  choice.Join(choice.g.Add("negative", "Neg", {choice.Taken()}));
  choice.g.Add("product", "MatMul", {{choice.g.graph.Find("y"), 0}, choice.w});
  RankThreads threads(1, 1);
  auto session = Session::Create(threads.master(), std::move(choice.g.graph));
  ASSERT_TRUE(session.ok());
  const auto out = (*session)->Run({{"x", Tensor(DType::kFloat, Shape({2, 3}))},
                                    {"w", Tensor(DType::kFloat, Shape({4, 2}))},
                                    {"choose", Tensor::Scalar(true)}},
                                   {"product"});
  ASSERT_FALSE(out.ok());
  EXPECT_NE(out.status().message().find("with the shapes that are fed"), std::string::npos) << out.status().message();
}

}  // namespace
}  // namespace dfrun
