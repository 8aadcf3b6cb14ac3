// Graphs of `strategy: local`: variables of each replica, steps without messages, and the outer step between them.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "src/graph/graph_ops.h"
#include "src/graph/update_gate.h"
#include "src/placement/placer.h"
#include "src/spec/schema/alternatives.h"
#include "src/training/build_job_graph.h"
#include "tests/unit/training/small_training.h"

namespace dfrun {
namespace {

constexpr int kTasks = 2;
constexpr int kReplicas = 4;

class LocalStepsTest : public SmallTraining {
 protected:
  void SetUp() override {
    Make("adam", "local", kReplicas);
    spec_.job.train->strategy.Set("sync_every", int64_t{5});
  }

  Result<JobGraph> Build() const { return BuildJobGraph(spec_, *MakeCluster({}, kTasks)); }

  // The edges of the part that a signature runs whose ends are on two devices.
  static std::vector<std::string> Messages(const JobGraph& job, const RunSignature& signature) {
    std::vector<std::string> messages;
    Result<Graph> part = PruneForRun(job.graph, signature);
    EXPECT_TRUE(part.ok()) << part.status().ToString();
    const Status placed = PlaceGraph(*part, *MakeCluster({}, kTasks), KernelRegistry::Builtin());
    EXPECT_TRUE(placed.ok()) << placed.ToString();
    for (const Node& node : part->nodes()) {
      const auto look = [&](NodeId source) {
        if (part->node(source).device != node.device)
          messages.push_back(StrCat(part->node(source).name, " -> ", node.name));
      };
      for (const Output input : node.inputs) look(input.node);
      for (const NodeId control : node.control_inputs) look(control);
    }
    return messages;
  }
};

TEST_F(LocalStepsTest, EachReplicaHasVariablesAndSlotsOfItsOwn) {
  const Result<JobGraph> job = Build();
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  const std::set<std::string> names = Variables(job->graph);
  for (int r = 0; r < kReplicas; ++r) {
    for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(names.contains(StrCat("replica_", r, "/", name))) << name;
    for (const char* name : {"a/Adam", "b/Adam_1", "train/beta1_power"})
      EXPECT_TRUE(names.contains(r == 0 ? name : StrCat("replica_", r, "/", name))) << name;
  }
  for (const char* name : {"a/OuterMomentum", "b/OuterMomentum"}) EXPECT_TRUE(names.contains(name)) << name;
  EXPECT_FALSE(names.contains("c/OuterMomentum"));
}

TEST_F(LocalStepsTest, AStepThatIsNotLoggedSendsNothing) {
  const Result<JobGraph> job = Build();
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  RunSignature quiet = job->step.signature;
  quiet.fetches.clear();
  EXPECT_EQ(Messages(*job, quiet), std::vector<std::string>());
  EXPECT_FALSE(Messages(*job, job->sync).empty());
}

// Two replicas share a rank: each has a gate of its own, and those of a rank are of different groups.
TEST_F(LocalStepsTest, TheUpdatesOfAReplicaWaitForItsOwnGate) {
  for (const TrainSpec::OnNan on_nan : {TrainSpec::OnNan::kStop, TrainSpec::OnNan::kSkip, TrainSpec::OnNan::kWarn}) {
    spec_.job.train->on_nan = on_nan;
    const Result<JobGraph> job = Build();
    ASSERT_TRUE(job.ok()) << job.status().ToString();
    int updates = 0;
    for (const Node& node : job->graph.nodes()) {
      if (node.op->name != "ApplyAdam") continue;
      ++updates;
      EXPECT_EQ(IsGated(node), on_nan != TrainSpec::OnNan::kWarn) << node.name;
      if (!IsGated(node)) continue;
      std::vector<const Node*> gates;
      for (const NodeId control : node.control_inputs) {
        if (job->graph.node(control).op->name == kUpdateGateOp) gates.push_back(&job->graph.node(control));
      }
      ASSERT_EQ(gates.size(), 1U) << node.name;
      const std::string replica = job->graph.node(node.inputs[0].node).name.substr(0, std::string("replica_0").size());
      EXPECT_TRUE(gates[0]->name.starts_with(replica + "/")) << gates[0]->name;
      EXPECT_EQ(GateGroup(node), GateGroup(*gates[0]));
      EXPECT_EQ(GateGroup(node), replica == "replica_0" || replica == "replica_2" ? 1U : 2U);
    }
    EXPECT_EQ(updates, 2 * kReplicas);
  }
}

TEST_F(LocalStepsTest, EveryVariableHasAValueWhenTheJobBeginsAndWhenItGoesOn) {
  for (const bool compresses : {false, true}) {
    spec_.job.train->strategy.Set("compress_gradients", compresses);
    const Result<JobGraph> job = Build();
    ASSERT_TRUE(job.ok()) << job.status().ToString();
    for (const RunSignature* run : {&job->init, &job->restore}) {
      std::multiset<NodeId> assigned;
      for (const NodeId target : run->targets) {
        const Node& node = job->graph.node(target);
        if (!node.inputs.empty()) assigned.insert(node.inputs[0].node);
      }
      for (const Node& node : job->graph.nodes()) {
        EXPECT_EQ(assigned.count(node.id), node.op->name == "VariableV2" ? 1U : 0U) << node.name;
      }
    }
  }
}

// The replicas' variables are the job's own after an outer step: a checkpoint holds them between two of these alone.
TEST_F(LocalStepsTest, CheckpointsHoldTheReplicasVariablesBetweenOuterStepsAlone) {
  const Result<JobGraph> job = Build();
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  const auto saved = [&](const RunSignature& save) {
    std::set<std::string> names;
    for (const Output shard : save.fetches) {
      const Result<std::vector<std::string>> of_shard =
          job->graph.node(shard.node).attrs.Get<std::vector<std::string>>("names");
      EXPECT_TRUE(of_shard.ok());
      names.insert(of_shard->begin(), of_shard->end());
    }
    return names;
  };
  const std::set<std::string> after = saved(job->save);
  const std::set<std::string> between = saved(job->save_between_syncs);
  for (const char* name : {"a", "c", "a/Adam", "replica_3/a/Adam", "a/OuterMomentum", "replica_1/train/beta2_power"})
    EXPECT_TRUE(after.contains(name) && between.contains(name)) << name;
  for (const char* name : {"replica_0/a", "replica_3/b"}) {
    EXPECT_FALSE(after.contains(name)) << name;
    EXPECT_TRUE(between.contains(name)) << name;
  }
  EXPECT_FALSE(between.contains("replica_1/c"));
  const auto kept = std::find_if(job->kept.begin(), job->kept.end(),
                                 [](const KeptState& state) { return state.of == "replica_3/a/Adam"; });
  ASSERT_NE(kept, job->kept.end());
  EXPECT_EQ(kept->copy_of, "a/Adam");
  EXPECT_EQ(kept->slot_of, "a");
  EXPECT_EQ(kept->copied.size(), 1U);
}

TEST_F(LocalStepsTest, EvaluationsAndCheckpointsComeAfterOuterSteps) {
  spec_.job.checkpoint.emplace().every = 12;
  const Status refused = Build().status();
  EXPECT_NE(refused.message().find("'every' of 'checkpoint' is 12"), std::string::npos) << refused.ToString();
  EXPECT_NE(refused.message().find("10 or 15 is one"), std::string::npos) << refused.ToString();
  spec_.job.checkpoint->every = 15;
  EXPECT_TRUE(Build().ok());
}

TEST_F(LocalStepsTest, FindingsOfAllReplicasHaveNames) {
  const Result<JobGraph> job = Build();
  ASSERT_TRUE(job.ok()) << job.status().ToString();
  ASSERT_EQ(job->checked_losses, size_t{kReplicas});
  ASSERT_EQ(job->checked_names.size(), size_t{3 * kReplicas});
  EXPECT_EQ(job->checked_names[1], "the loss in replica 1");
  EXPECT_EQ(job->checked_names[kReplicas], "the gradient of variable 'a' in replica 0");
  EXPECT_EQ(job->checked_names.back(), "the gradient of variable 'b' in replica 3");
  EXPECT_EQ(job->checked.fetches.size(), size_t{kReplicas + 1});
}

}  // namespace
}  // namespace dfrun
