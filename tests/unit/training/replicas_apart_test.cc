// Graphs of `strategy: async`: replicas that run for themselves share variables and slots, and no other node.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "src/graph/graph_ops.h"
#include "src/graph/order/ancestors.h"
#include "src/spec/schema/alternatives.h"
#include "src/training/build_job_graph.h"
#include "tests/unit/training/small_training.h"

namespace dfrun {
namespace {

constexpr int kReplicas = 2;

class ReplicasApartTest : public SmallTraining {
 protected:
  void SetUp() override { Make("momentum", "async", kReplicas); }

  Result<JobGraph> Build(int tasks = kReplicas) const { return BuildJobGraph(spec_, *MakeCluster({}, tasks)); }

  // The nodes that a step of a replica runs.
  static std::vector<const Node*> NodesOf(const JobGraph& job, size_t replica) {
    AncestorWalk walk(job.graph);
    for (const NodeId target : job.apart->steps[replica].targets) walk.Add(target);
    std::vector<const Node*> nodes;
    while (const Node* node = walk.Next()) {
      nodes.push_back(node);
      walk.AddSources(*node);
    }
    return nodes;
  }
  static int64_t CountOf(const std::vector<const Node*>& nodes, std::string_view op) {
    return std::count_if(nodes.begin(), nodes.end(), [&](const Node* node) { return node->op->name == op; });
  }
};

TEST_F(ReplicasApartTest, ReplicasShareVariablesAndSlotsAlone) {
  for (const char* optimizer : {"sgd", "momentum", "adam"}) {
    spec_.job.train->optimizer = Optimizers().Make(optimizer);
    const Result<JobGraph> job = Build();
    ASSERT_TRUE(job.ok()) << job.status().ToString();
    ASSERT_EQ(job->apart->steps.size(), kReplicas);
    EXPECT_TRUE(job->apart->steps[0].fetches.empty());
    std::set<std::string> first;
    for (const Node* node : NodesOf(*job, 0)) first.insert(node->name);
    for (const Node* node : NodesOf(*job, 1)) {
      const bool may_be_both = node->op->name == "VariableV2" || node->op->name == "_ShareTokens" ||
                               node->op->name == "_UpdateTurns" || node->op->name == "Const";
      EXPECT_TRUE(may_be_both || !first.contains(node->name)) << optimizer << ": " << node->name;
    }
    EXPECT_TRUE(std::none_of(job->kept.begin(), job->kept.end(), [](const KeptState& kept) {
      return kept.of.find("_1") != std::string::npos && kept.of.find("Adam_1") == std::string::npos;
    })) << "a slot was added twice";
  }
}

TEST_F(ReplicasApartTest, TrainedVariablesAreReadAsSnapshotsBehindTheToken) {
  const Result<JobGraph> job = Build();
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  for (size_t r = 0; r < kReplicas; ++r) {
    const std::vector<const Node*> nodes = NodesOf(*job, r);
    EXPECT_EQ(CountOf(nodes, "_TakeShare"), 1);
    EXPECT_EQ(CountOf(nodes, "_EndShare"), 1);
    EXPECT_EQ(CountOf(nodes, "_SnapshotVariable"), 3);
    for (const Node* node : nodes) {
      for (int i = 0; i < node->num_inputs(); ++i) {
        if (job->graph.node(node->inputs[i].node).op->name != "VariableV2") continue;
        EXPECT_TRUE(node->input_types[i].is_ref) << node->name << " reads a variable that others may write";
      }
    }
  }
}

// A kernel that updates a variable with its slots is a critical section of its own.
TEST_F(ReplicasApartTest, ReplicasTakeTurnsWhereOneKernelIsNotTheWholeUpdate) {
  const auto turns = [&] {
    const Result<JobGraph> job = Build();
    EXPECT_TRUE(job.ok()) << job.status().ToString();
    return CountOf(NodesOf(*job, 1), "_BeginTurn");
  };
  EXPECT_EQ(turns(), 0);
  spec_.job.train->optimizer = Optimizers().Make("adam");  // its powers are read by all updates
  EXPECT_GE(turns(), 1);
  spec_.job.train->optimizer = Optimizers().Make("sgd");
  EXPECT_EQ(turns(), 0);
  spec_.job.train->strategy.Set("max_staleness", int64_t{0});
  EXPECT_GE(turns(), 1);
}

TEST_F(ReplicasApartTest, ALoopIsAStepOfItsOwnOnItsReplicasTask) {
  spec_.job.train->strategy.Set("steps_in_flight", int64_t{3});
  const Result<JobGraph> job = Build();
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  EXPECT_EQ(job->apart->replicas, kReplicas);
  ASSERT_EQ(job->apart->steps.size(), 3 * kReplicas);
  for (size_t loop = 0; loop < job->apart->steps.size(); ++loop) {
    const std::string task = StrCat("/job:worker/task:", loop / 3);
    for (const Node* node : NodesOf(*job, loop)) {
      if (node->op->name == "Square") {
        EXPECT_TRUE(node->device.starts_with(task)) << loop << ": " << node->device;
      }
    }
  }
}

TEST_F(ReplicasApartTest, TheLearningRateIsANodeOfTheToken) {
  spec_.job.train->learning_rate.kind = ScheduleSpec::Kind::kCosine;
  spec_.job.train->learning_rate.steps = 10;
  const Result<JobGraph> job = Build();
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  EXPECT_TRUE(job->apart->steps[0].feeds.empty());
  EXPECT_GE(CountOf(NodesOf(*job, 0), "_LearningRate"), 1);
  EXPECT_GE(CountOf(NodesOf(*job, 0), "_ShareStep"), 1);
}

TEST_F(ReplicasApartTest, AVariableThatTheGraphAssignsMustSayReduce) {
  GraphOps ops(spec_.graph, "");
  const Output count = ops.Add("count", "VariableV2", {}, {{"shape", Shape()}, {"dtype", DType::kInt32}});
  const Output one = ops.Const("one", Tensor::Scalar<int32_t>(1));
  spec_.job.variables.push_back({count.node, one, false});
  const Output added = ops.Add("added", "AssignAdd", {count, one});
  spec_.job.train->loss = ops.Add("counted_loss", "Identity", {spec_.job.train->loss}, {}, {added.node});
  ASSERT_TRUE(ops.status().ok()) << ops.status().ToString();
  const Status status = Build().status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("write 'reduce: "), std::string::npos) << status.message();
  spec_.job.variables.back().reduce = VariableSpec::Reduce::kSum;
  const Result<JobGraph> job = Build();
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  EXPECT_EQ(CountOf(NodesOf(*job, 0), "AssignAdd"), 2) << "the replica's own, and its change to the variable";
}

}  // namespace
}  // namespace dfrun
