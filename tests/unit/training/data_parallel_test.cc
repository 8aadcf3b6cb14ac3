// Graphs of `data_parallel: allreduce`: copies of variables on each task with replicas, and what keeps them equal.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "src/graph/graph_ops.h"
#include "src/graph/update_gate.h"
#include "src/passes/collectives.h"
#include "src/placement/placer.h"
#include "src/spec/schema/alternatives.h"
#include "src/training/build_job_graph.h"
#include "tests/unit/training/small_training.h"

namespace dfrun {
namespace {

constexpr int kTasks = 2;

class DataParallelTest : public SmallTraining {
 protected:
  void SetUp() override {
    Make("adam", "sync", 2 * kTasks);
    spec_.job.train->data_parallel = TrainSpec::DataParallel::kAllreduce;
  }

  Result<JobGraph> Build(int tasks = kTasks) const { return BuildJobGraph(spec_, *MakeCluster({}, tasks)); }
};

TEST_F(DataParallelTest, EachTaskHasEachTrainedVariableAndItsSlots) {
  const Result<JobGraph> job = Build();
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  const std::set<std::string> names = Variables(job->graph);
  for (const std::string name : {"a", "b", "a/Adam", "a/Adam_1", "b/Adam", "train/beta1_power", "train/beta2_power"}) {
    EXPECT_TRUE(names.contains(name)) << name;
    EXPECT_EQ(names.contains("copy_0/" + name) + names.contains("copy_1/" + name), kTasks - 1) << name;
  }
  EXPECT_FALSE(names.contains("copy_0/c"));
  EXPECT_FALSE(names.contains("copy_1/c"));
}

TEST_F(DataParallelTest, AFrozenVariableHasCopiesAndNoSlots) {
  spec_.job.variables[0].frozen = true;
  spec_.job.train->freeze = {"a"};
  const Result<JobGraph> job = Build();
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  const std::set<std::string> names = Variables(job->graph);
  EXPECT_EQ(names.contains("copy_0/a") + names.contains("copy_1/a"), kTasks - 1);
  for (const std::string name : {"a/Adam", "a/Adam_1", "copy_0/a/Adam", "copy_1/a/Adam"})
    EXPECT_FALSE(names.contains(name)) << name;
  EXPECT_TRUE(names.contains("b/Adam"));
  for (const KeptState& kept : job->kept) EXPECT_EQ(kept.slot_of, kept.of.starts_with("b/Adam") ? "b" : "") << kept.of;
  EXPECT_TRUE(std::any_of(job->kept.begin(), job->kept.end(), [](const KeptState& kept) { return kept.of == "a"; }));
  spec_.job.variables[1].frozen = true;
  EXPECT_NE(Build().status().message().find("depends on no trainable variable that 'freeze' leaves to be trained"),
            std::string::npos);
}

TEST_F(DataParallelTest, OnlyTheVariablesThemselvesAreSaved) {
  const Result<JobGraph> job = Build();
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  spec_.job.train->data_parallel = TrainSpec::DataParallel::kPs;
  const Result<JobGraph> ps = Build();
  ASSERT_TRUE(ps.ok()) << ps.status().ToString();
  const auto names = [](const JobGraph& of) {
    std::set<std::string> found;
    for (const KeptState& kept : of.kept) found.insert(kept.of);
    return found;
  };
  EXPECT_EQ(names(*job), names(*ps));
}

// No value of a trained variable or slot goes to another device in a step.
TEST_F(DataParallelTest, NoTrainedVariableTravelsInAStep) {
  Result<JobGraph> job = Build();
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  Result<Graph> step = PruneForRun(job->graph, job->step.signature);
  ASSERT_TRUE(step.ok()) << step.status().ToString();
  ASSERT_TRUE(LowerCollectives(*step).ok());
  const Status placed = PlaceGraph(*step, *MakeCluster({}, kTasks), KernelRegistry::Builtin());
  ASSERT_TRUE(placed.ok()) << placed.ToString();
  int readers = 0;
  for (const Node& node : step->nodes()) {
    for (const Output input : node.inputs) {
      const Node& source = step->node(input.node);
      if (source.op->name != "VariableV2" || source.name == "c") continue;
      EXPECT_EQ(source.device, node.device) << node.name << " reads " << source.name;
      ++readers;
    }
  }
  EXPECT_GT(readers, 20);
}

TEST_F(DataParallelTest, CopiesBeginWithTheValueOfTheVariableAndAreRestoredWithIt) {
  const Result<JobGraph> job = Build();
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  for (const RunSignature* run : {&job->init, &job->restore}) {
    std::set<NodeId> assigned;
    for (const NodeId target : run->targets) {
      const Node& node = job->graph.node(target);
      if (!node.inputs.empty()) assigned.insert(node.inputs[0].node);
    }
    for (const Node& node : job->graph.nodes()) {
      EXPECT_TRUE(node.op->name != "VariableV2" || assigned.contains(node.id)) << node.name;
    }
  }
}

TEST_F(DataParallelTest, UpdatesOfCopiesWaitForTheCheckToo) {
  const Result<JobGraph> job = Build();
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  const auto is_gated_update = [](const Node& node) { return node.op->name == "ApplyAdam" && IsGated(node); };
  EXPECT_EQ(std::count_if(job->graph.nodes().begin(), job->graph.nodes().end(), is_gated_update), 2 * kTasks);
}

// One collective for both, as they fit into a bucket, and one each without buckets.
TEST_F(DataParallelTest, SmallGradientsAreReducedTogether) {
  const auto collectives = [&] {
    const Result<JobGraph> job = Build();
    EXPECT_TRUE(job.ok()) << job.status().ToString();
    const auto is_collective = [](const Node& node) { return node.op->name == "AllReduce"; };
    return job.ok() ? std::count_if(job->graph.nodes().begin(), job->graph.nodes().end(), is_collective) : -1;
  };
  EXPECT_EQ(collectives(), 1);
  spec_.job.train->bucket_bytes = 0;
  EXPECT_EQ(collectives(), 2);
}

TEST_F(DataParallelTest, OneTaskNeedsNeitherCopiesNorCollectives) {
  const Result<JobGraph> job = Build(/*tasks=*/1);
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  for (const Node& node : job->graph.nodes()) {
    EXPECT_NE(node.op->name, "AllReduce") << node.name;
    EXPECT_FALSE(node.name.starts_with("copy_")) << node.name;
  }
}

TEST_F(DataParallelTest, VariablesAreWhereReplicasAre) {
  spec_.job.train->strategy.Set("replicas", int64_t{1});
  const Result<JobGraph> job = Build();
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  EXPECT_EQ(job->graph.node(job->graph.Find("a")).device, job->graph.node(job->graph.Find("b")).device);
}

TEST_F(DataParallelTest, AVariableBoundToATaskWithoutReplicasIsRefused) {
  spec_.job.train->strategy.Set("replicas", int64_t{1});
  spec_.graph.mutable_node(spec_.graph.Find("a")).device = "/job:worker/task:1";
  const Status status = Build().status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("where no replica is computed"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("leave out its 'device', or write 'data_parallel: ps'"), std::string::npos);
  spec_.job.train->data_parallel = TrainSpec::DataParallel::kPs;
  EXPECT_TRUE(Build().ok());
}

TEST_F(DataParallelTest, AVariableThatIsTrainedAndAssignedIsRefused) {
  GraphOps ops(spec_.graph, "");
  const Output a{spec_.graph.Find("a"), 0};
  const Output half = ops.Add("half", "Mul", {a, ops.Const("factor", Tensor::Scalar(0.5F))});
  const Output shrink = ops.Add("shrink", "Assign", {a, half});
  ASSERT_TRUE(ops.status().ok()) << ops.status().ToString();
  spec_.graph.AddControlEdge(shrink.node, spec_.job.train->loss.node);
  spec_.job.variables[0].reduce = VariableSpec::Reduce::kMean;
  const Status status = Build().status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("node 'a' (op VariableV2) is trained, and each step assigns it as well"),
            std::string::npos)
      << status.message();
  spec_.job.train->data_parallel = TrainSpec::DataParallel::kPs;
  EXPECT_TRUE(Build().ok());
}

}  // namespace
}  // namespace dfrun
