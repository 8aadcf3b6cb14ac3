// The placement of variables when the spec does not give it: they go to ranks that compute replicas, unless their
// updates cost more than sending them to others.
#include "src/training/variable_placement.h"

#include <gtest/gtest.h>

#include "src/graph/graph_ops.h"
#include "src/spec/schema/alternatives.h"
#include "src/training/optimizer.h"

namespace dfrun {
namespace {

// Its update passes over memory 15 times.
class Heavy final : public Optimizer {
 public:
  Heavy(const Alternative&, const OptimizerContext&) {}
  std::vector<NodeId> Update(GraphOps&, const UpdatedVariable&, Output) override { return {}; }
  std::vector<NodeId> UpdateRows(GraphOps&, const UpdatedVariable&, Output, Output) override { return {}; }
};

OPTIMIZER("heavy", {.slots = {{"A"}, {"B"}, {"C"}, {"D"}, {"E"}, {"F"}},
                    .rows = "move",
                    .other_rows = "stay",
                    .make = &MakeOptimizer<Heavy>});

class VariablePlacementTest : public testing::Test {
 protected:
  // Makes variables of these numbers of floats, trained by one optimizer and this many replicas.
  void Make(const std::vector<int64_t>& elements, const char* optimizer, int64_t replicas) {
    GraphOps ops(spec_.graph, "");
    for (const int64_t count : elements) {
      const Output v = ops.Add("v", "VariableV2", {}, {{"shape", Shape({count})}, {"dtype", DType::kFloat}});
      spec_.job.variables.push_back({v.node, v, true});
    }
    ASSERT_TRUE(ops.status().ok()) << ops.status().ToString();
    TrainSpec train;
    train.optimizer = Optimizers().Make(optimizer);
    train.strategy = Strategies().Make("sync");
    train.strategy.Set("replicas", replicas);
    spec_.job.train = train;
  }
  // Returns the tasks of the variables, in their order.
  std::string Tasks(int ranks) const {
    const Result<std::vector<std::string>> devices = DevicesOfVariables(spec_, *MakeCluster({}, ranks));
    EXPECT_TRUE(devices.ok()) << devices.status().ToString();
    std::string tasks;
    for (const std::string& device : *devices) tasks += StrCat(*DeviceName::Parse(device)->task);
    return tasks;
  }

  LoadedSpec spec_;
};

TEST_F(VariablePlacementTest, RanksWithoutReplicasHoldNone) {
  for (const char* optimizer : {"sgd", "momentum", "adam"}) {
    spec_ = LoadedSpec();
    Make({1, 100, 10'000'000, 10'000'000}, optimizer, 1);
    EXPECT_EQ(Tasks(4), "0000") << optimizer;
    spec_ = LoadedSpec();
    Make({1, 100, 10'000'000, 10'000'000}, optimizer, 2);
    EXPECT_EQ(Tasks(4), "2002") << optimizer;  // ranks 0 and 2 of the four compute replicas
    EXPECT_EQ(*RanksWithoutReplicas(*spec_.job.train, *MakeCluster({}, 4)), (std::vector<int>{1, 3}));
  }
}

TEST_F(VariablePlacementTest, ASpecMaySpreadThem) {
  Make({100, 100, 100, 100}, "sgd", 1);
  spec_.job.train->parameters = TrainSpec::Parameters::kSpread;
  EXPECT_EQ(Tasks(4), "0123");
}

TEST_F(VariablePlacementTest, WhereUpdatesCostMoreThanTheWayOtherRanksHoldThem) {
  Make({100, 10'000'000, 10'000'000, 100}, "heavy", 1);
  EXPECT_EQ(Tasks(2), "0010");
}

}  // namespace
}  // namespace dfrun
