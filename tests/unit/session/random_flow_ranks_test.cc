// Random nested conditionals and loops with their gradients, nodes on three ranks at random, against one rank, bit by
// bit.
#include <gtest/gtest.h>

#include "src/autodiff/gradients.h"
#include "src/session/session.h"
#include "tests/unit/session/rank_threads.h"
#include "tests/unit/testing/random_devices.h"
#include "tests/unit/testing/random_flow.h"

namespace dfrun::testing {
namespace {

constexpr int kInputs = 3;
constexpr int kGraphs = 12;

struct Program {
  FlowGraphMaker maker;
  std::vector<std::string> fetches;
};

Status Build(uint64_t seed, Program& made) {
  std::vector<Output> inputs;
  for (int k = 0; k < kInputs; ++k) {
    inputs.push_back(made.maker.Const(StrCat("x", k), Tensor::Vector<double>({0.3 * k - 0.4, 0.6 - 0.5 * k})));
  }
  const Output y = made.maker.Make(FlowProgramMaker(seed).Make(kInputs, 3), inputs);
  DF_ASSIGN(const std::vector<GradientValue> gradients, AddGradients(made.maker.graph, {&y, 1}, inputs));
  made.fetches = {OutputName(made.maker.graph, y)};
  for (const GradientValue& gradient : gradients) {
    if (gradient.exists) made.fetches.push_back(OutputName(made.maker.graph, gradient.dense));
  }
  return Status();
}

Result<std::vector<Tensor>> RunOn(RankThreads& ranks, const Graph& graph, const std::vector<std::string>& fetches) {
  SessionOptions options;
  options.optimize = false;  // all inputs are constants
  DF_ASSIGN(const auto session, Session::Create(ranks.master(), graph.Clone(), options));
  DF_ASSIGN(const std::vector<Tensor> values, session->Run({}, fetches));
  std::vector<Tensor> copies;
  for (const Tensor& value : values) {
    DF_ASSIGN(Tensor copy, value.Copy(SystemAllocator()));
    copies.push_back(std::move(copy));
  }
  DF_TRY(session->Close());
  return copies;
}

TEST(RandomFlowOverRanks, ThreeRanksGiveTheBitsOfOne) {
  RankThreads one(1);
  RankThreads three(3);
  const Cluster cluster = *MakeCluster({}, 3);
  for (uint64_t seed = 0; seed < kGraphs; ++seed) {
    SCOPED_TRACE(StrCat("seed ", seed));
    Program program;
    const Status built = Build(seed, program);
    ASSERT_TRUE(built.ok()) << built.ToString();
    const auto wanted = RunOn(one, program.maker.graph, program.fetches);
    ASSERT_TRUE(wanted.ok()) << wanted.status().ToString();
    const Status placed = PutOnRandomDevices(program.maker.graph, cluster, seed);
    ASSERT_TRUE(placed.ok()) << placed.ToString();
    const auto split = RunOn(three, program.maker.graph, program.fetches);
    ASSERT_TRUE(split.ok()) << split.status().ToString();
    for (size_t i = 0; i < wanted->size(); ++i) EXPECT_TRUE((*split)[i].Identical((*wanted)[i])) << program.fetches[i];
  }
}

}  // namespace
}  // namespace dfrun::testing
