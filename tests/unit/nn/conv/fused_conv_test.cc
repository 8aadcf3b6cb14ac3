// _FusedConv2D gives the bits of Conv2D, BiasAdd and Relu.
#include <gtest/gtest.h>

#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/random_tensor.h"

namespace dfrun {
namespace {

using testing::NodeRunner;

struct Case {
  Shape input;
  Shape filter;
  int64_t stride;
  bool has_relu;
};

template <class T>
void GivesTheBitsOfTheOps(const Case& c) {
  NodeRunner runner;
  const Tensor input = testing::RandomNormal<T>(c.input, 1);
  const Tensor filter = testing::RandomNormal<T>(c.filter, 2);
  const Tensor bias = testing::RandomNormal<T>(Shape({c.filter[3]}), 3);
  AttrMap attrs{
      {"T", DTypeOf<T>}, {"strides", std::vector<int64_t>{1, c.stride, c.stride, 1}}, {"padding", std::string("SAME")}};
  Result<std::vector<Tensor>> expected = runner.Run("Conv2D", attrs, {input, filter});
  ASSERT_TRUE(expected.ok()) << expected.status().ToString();
  expected = runner.Run("BiasAdd", {{"T", DTypeOf<T>}}, {(*expected)[0], bias});
  if (c.has_relu) expected = runner.Run("Relu", {{"T", DTypeOf<T>}}, {(*expected)[0]});
  attrs.Set("num_args", int64_t{1});
  std::vector<std::string> ops = {"BiasAdd"};
  if (c.has_relu) ops.emplace_back("Relu");
  attrs.Set("fused_ops", ops);
  const Result<std::vector<Tensor>> fused = runner.Run("_FusedConv2D", attrs, {input, filter, bias});
  ASSERT_TRUE(fused.ok()) << fused.status().ToString();
  EXPECT_TRUE((*fused)[0].Identical((*expected)[0])) << c.input.num_elements();
}

TEST(FusedConv, GivesTheBitsOfTheOps) {
  for (bool has_relu : {false, true}) {
    for (const Case& c : {Case{Shape({5, 12, 12, 16}), Shape({3, 3, 16, 32}), 1, has_relu},
                          Case{Shape({3, 9, 7, 3}), Shape({5, 3, 3, 7}), 2, has_relu},
                          Case{Shape({1, 4, 4, 1}), Shape({1, 1, 1, 1}), 1, has_relu},
                          Case{Shape({0, 4, 4, 2}), Shape({3, 3, 2, 2}), 1, has_relu}}) {
      GivesTheBitsOfTheOps<float>(c);
      GivesTheBitsOfTheOps<bfloat16>(c);
      GivesTheBitsOfTheOps<float16>(c);
      GivesTheBitsOfTheOps<double>(c);
    }
  }
}

TEST(FusedConv, RefusesWhatItCannotFuse) {
  NodeRunner runner;
  const Tensor input = testing::RandomNormal<float>(Shape({1, 4, 4, 2}), 1);
  const Tensor filter = testing::RandomNormal<float>(Shape({3, 3, 2, 2}), 2);
  AttrMap attrs{{"T", DType::kFloat},
                {"strides", std::vector<int64_t>{1, 1, 1, 1}},
                {"padding", std::string("SAME")},
                {"num_args", int64_t{1}},
                {"fused_ops", std::vector<std::string>{"BiasAdd"}}};
  const auto run = [&](const Tensor& bias) {
    return runner.Run(NodeRunner::Way::kUnknownShapes, "_FusedConv2D", attrs, {input, filter, bias}).status();
  };
  EXPECT_TRUE(run(testing::RandomNormal<float>(Shape({2}), 3)).ok());
  EXPECT_EQ(run(testing::RandomNormal<float>(Shape({3}), 3)).code(), Code::kInvalidArgument);
  attrs.Set("fused_ops", std::vector<std::string>{"BiasAdd", "Elu"});
  EXPECT_EQ(run(testing::RandomNormal<float>(Shape({2}), 3)).code(), Code::kUnimplemented);
}

}  // namespace
}  // namespace dfrun
