// Collectives in sessions over ranks that are threads: by Sends and sums, and by participants, with the same bits.
#include <gmock/gmock.h>

#include "src/session/session.h"
#include "tests/unit/session/rank_threads.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;
using ::testing::HasSubstr;
using testing::RankThreads;

// A graph with a task on each rank, and how collectives are done in it.
class Tasks {
 public:
  Tasks(int ranks, CollectivesOption option) : count_(ranks), ranks_(ranks, 1, option) {}

  Output On(int task, const std::string& name, const std::string& op, const std::vector<Output>& inputs,
            const AttrMap& attrs = {}) {
    const Output added = m.Add(StrCat(name, "_", task), op, inputs, attrs);
    m.node(added).device = StrCat("/job:worker/task:", task);
    return added;
  }
  // Returns, on each task, values whose sums depend on their order. A part of each is fed, so that no pass computes
  // them.
  std::vector<Output> Values(const Shape& shape, DType dtype) {
    const Output x = m.Placeholder("x", PartialShape::Scalar(), DType::kFloat);
    std::vector<Output> values;
    for (int task = 0; task < count_; ++task) {
      Tensor factors(DType::kFloat, shape);
      for (int64_t i = 0; i < factors.num_elements(); ++i) {
        const auto mixed = static_cast<uint32_t>(i * 2654435761 + task * 40503);
        factors.data<float>()[i] = (task % 3 == 1 ? 1e3f : 1.0f) * (static_cast<float>(mixed % 2003) - 1001.0f) / 97.0f;
      }
      const Output factor = On(task, "factor", "Const", {}, {{"dtype", DType::kFloat}, {"value", factors}});
      values.push_back(On(task, "cast", "Cast", {On(task, "value", "Mul", {x, factor})}, {{"DstT", dtype}}));
    }
    return values;
  }
  // Fetches the value of each task of the outputs of `made`.
  void Read(Output made) {
    for (int32_t task = 0; task < count_; ++task) {
      fetches_.push_back(m.node(On(task, "read", "Identity", {{made.node, task}})).name);
    }
  }

  Result<std::vector<Tensor>> Run(int steps, int64_t* nodes) {
    DF_ASSIGN(const auto session, Session::Create(ranks_.master(), m.graph.Clone()));
    DF_ASSIGN(const Session::Handle step, session->Prepare({"x"}, fetches_));
    if (nodes != nullptr) *nodes = session->num_nodes(step);
    const Tensor x = Tensor::Scalar(1.5f);
    std::vector<Tensor> fetched(fetches_.size());
    for (int i = 0; i < steps; ++i) DF_TRY(session->RunStep(step, {&x, 1}, fetched));
    std::vector<Tensor> owned;
    for (const Tensor& value : fetched) {
      DF_ASSIGN(Tensor copy, value.Copy(SystemAllocator()));
      owned.push_back(std::move(copy));
    }
    return owned;
  }

  GraphMaker m;

 private:
  const int count_;
  RankThreads ranks_;
  std::vector<std::string> fetches_;
};

struct Case {
  const char* op;
  const char* reduction;  // null: the op has none
  DType dtype;
  int64_t rows;  // number of rows of 8 elements

  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.op << " of " << c.dtype; }
};

class EqualBits : public ::testing::TestWithParam<std::tuple<Case, int>> {};

TEST_P(EqualBits, ByParticipantsAndBySums) {
  const auto& [test, ranks] = GetParam();
  std::vector<Tensor> values[2];
  int64_t nodes[2] = {0, 0};
  for (const CollectivesOption option : {CollectivesOption::kLowered, CollectivesOption::kParticipants}) {
    const size_t i = option == CollectivesOption::kLowered ? 0 : 1;
    Tasks tasks(ranks, option);
    AttrMap attrs;
    if (test.reduction != nullptr) attrs.Set("reduction", test.reduction);
    tasks.Read(tasks.m.Add("all", test.op, tasks.Values(Shape({test.rows, 8}), test.dtype), attrs));
    Result<std::vector<Tensor>> fetched = tasks.Run(3, &nodes[i]);
    ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
    values[i] = *std::move(fetched);
  }
  ASSERT_EQ(values[0].size(), static_cast<size_t>(ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    EXPECT_TRUE(values[0][rank].Identical(values[1][rank])) << "rank " << rank;
  }
  if (ranks > 1) {
    EXPECT_LT(nodes[1], nodes[0]) << "the participants are no nodes of their own";
  }
}

INSTANTIATE_TEST_SUITE_P(Collectives, EqualBits,
                         ::testing::Combine(::testing::Values(Case{"AllReduce", "Add", DType::kFloat, 24},
                                                              Case{"AllReduce", "Mean", DType::kFloat, 24 * 4096},
                                                              Case{"AllReduce", "Add", DType::kBfloat16, 24 * 1024},
                                                              Case{"AllReduce", "Mean", DType::kBfloat16, 24},
                                                              Case{"AllReduce", "Mul", DType::kDouble, 24},
                                                              Case{"AllReduce", "Min", DType::kInt32, 24 * 1024},
                                                              Case{"AllReduce", "Max", DType::kFloat, 24 * 1024},
                                                              Case{"AllReduce", "Mean", DType::kInt32, 0},
                                                              Case{"ReduceScatter", "Add", DType::kFloat, 24},
                                                              Case{"ReduceScatter", "Mean", DType::kDouble, 24 * 1024},
                                                              Case{"AllGather", nullptr, DType::kFloat, 24 * 1024}),
                                            ::testing::Values(1, 2, 3, 4, 8)),
                         [](const auto& info) {
                           const Case& test = std::get<0>(info.param);
                           return StrCat(test.op, test.reduction == nullptr ? "" : test.reduction, "_", test.dtype, "_",
                                         test.rows, "_", std::get<1>(info.param));
                         });

// All participants wait for one that cannot come.
TEST(CollectiveError, OfOneParticipantEndsTheOthers) {
  for (const int64_t rows : {3, 30000}) {
    Tasks tasks(4, CollectivesOption::kParticipants);
    std::vector<Output> values = tasks.Values(Shape({rows, 8}), DType::kFloat);
    const Output unset =
        tasks.On(2, "unset", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", Shape({rows, 8})}});
    values[2] = tasks.On(2, "broken", "Add", {values[2], unset});
    tasks.Read(tasks.m.Add("all", "AllReduce", values));
    const Status status = tasks.Run(1, nullptr).status();
    EXPECT_EQ(status.code(), Code::kFailedPrecondition) << status.ToString();
    EXPECT_THAT(status.message(), HasSubstr("rank 2 (host "));
    EXPECT_THAT(status.message(), HasSubstr("broken_2"));
  }
}

}  // namespace
}  // namespace dfrun
