// Replicas of one rank that are gated each by its own findings: the counts of _ReplicaFindings, and gates of groups.
#include "src/framework/step/replica_findings.h"

#include <gtest/gtest.h>

#include <vector>

#include "src/graph/update_gate.h"
#include "src/session/session.h"
#include "tests/unit/session/rank_threads.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;
using testing::RankThreads;

ReplicaFindings After(const std::vector<int32_t>& found, int64_t limit) {
  ReplicaFindings findings;
  for (const int32_t number : found) findings.Add(number, limit);
  return findings;
}

TEST(ReplicaFindingsTest, TheFirstFindingEndsTheJobAtALimitOfOne) {
  const ReplicaFindings findings = After({0, 7, 0, 3, 0}, 1);
  EXPECT_EQ(findings.number, 7);
  EXPECT_EQ(findings.steps_since, 3);
  EXPECT_EQ(findings.row, 0);
  EXPECT_EQ(findings.total, 2);
}

TEST(ReplicaFindingsTest, OnlyStepsBehindEachOtherCountTowardsALimit) {
  EXPECT_EQ(After({5, 5, 0, 5, 5}, 3).number, 0);
  EXPECT_EQ(After({5, 5, 0, 5, 5}, 3).row, 2);
  const ReplicaFindings full = After({5, 5, 0, 5, 6, 2, 0}, 3);
  EXPECT_EQ(full.number, 2);
  EXPECT_EQ(full.steps_since, 1);
  EXPECT_EQ(full.total, 5);
}

TEST(ReplicaFindingsTest, WithoutALimitNoStepEndsTheJob) {
  const ReplicaFindings findings = After({4, 4, 4, 4}, 0);
  EXPECT_EQ(findings.number, 0);
  EXPECT_EQ(findings.total, 4);
}

// Two replicas, a and b: each counts its steps by an update that its own gate leaves out. A third update, of no group,
// waits for both gates.
class GateGroupsTest : public ::testing::Test {
 protected:
  void Make(int64_t limit) {
    GraphMaker g;
    const auto variable = [&](const std::string& name, const Tensor& value) {
      const Output v = g.Add(name, "VariableV2", {}, {{"shape", value.shape()}, {"dtype", DType::kInt64}});
      g.Add(name + "/first", "Assign", {v, g.Const(name + "/value", value)});
      init_.push_back(name + "/first");
      return v;
    };
    std::vector<NodeId> gates;
    for (const char* name : {"a", "b"}) {
      const std::string replica = name;
      const Output found = g.Placeholder(replica + "/found", PartialShape::Scalar(), DType::kInt32);
      const Output findings = variable(replica + "/findings", Tensor::Vector<int64_t>({0, 0, 0, 0}));
      const Output withheld = g.Add(replica + "/withheld", "_ReplicaFindings", {findings, found}, {{"limit", limit}});
      const Output gate = g.Add(replica + "/gate", kUpdateGateOp, {withheld});
      gates.push_back(gate.node);
      AddUpdate(g, replica, variable(replica + "/steps", Tensor::Scalar<int64_t>(0)), {gate.node});
      for (const char* part : {"/gate", "/update"})
        g.graph.mutable_node(g.graph.Find(replica + part))
            .attrs.Set(kGateGroupAttr, static_cast<int64_t>(gates.size()));
    }
    AddUpdate(g, "all", variable("all/steps", Tensor::Scalar<int64_t>(0)), gates);
    Result<std::unique_ptr<Session>> session = Session::Create(ranks_.master(), std::move(g.graph));
    ASSERT_TRUE(session.ok()) << session.status().ToString();
    session_ = *std::move(session);
    ASSERT_TRUE(session_->Run({}, {}, init_).ok());
  }

  static void AddUpdate(GraphMaker& g, const std::string& name, Output steps, const std::vector<NodeId>& gates) {
    const Output update = g.Add(name + "/update", "AssignAdd", {steps, g.Scalar<int64_t>(name + "/one", 1)});
    g.node(update).attrs.Set(kGatedAttr, true);
    for (const NodeId gate : gates) g.graph.AddControlEdge(gate, update.node);
  }

  // A step in which the replicas find these.
  void Step(int32_t a, int32_t b) {
    const Status step = session_
                            ->Run({{"a/found", Tensor::Scalar(a)}, {"b/found", Tensor::Scalar(b)}}, {},
                                  {"a/update", "b/update", "all/update"})
                            .status();
    ASSERT_TRUE(step.ok()) << step.ToString();
  }

  // The steps that updates counted: of a, of b, of all.
  std::vector<int64_t> Steps() {
    const Result<std::vector<Tensor>> steps = session_->Run({}, {"a/steps", "b/steps", "all/steps"});
    EXPECT_TRUE(steps.ok()) << steps.status().ToString();
    std::vector<int64_t> counts;
    for (const Tensor& count : *steps) counts.push_back(count.scalar<int64_t>());
    return counts;
  }

  RankThreads ranks_{1};
  std::vector<std::string> init_;
  std::unique_ptr<Session> session_;
};

TEST_F(GateGroupsTest, AGateLeavesOutTheUpdatesOfItsGroupAlone) {
  Make(/*limit=*/3);
  Step(0, 0);
  EXPECT_EQ(Steps(), (std::vector<int64_t>{1, 1, 1}));
  Step(5, 0);
  EXPECT_EQ(Steps(), (std::vector<int64_t>{1, 2, 2}));
  Step(0, 7);
  EXPECT_EQ(Steps(), (std::vector<int64_t>{2, 2, 3}));
  Step(5, 7);
  EXPECT_EQ(Steps(), (std::vector<int64_t>{2, 2, 4}));
  EXPECT_EQ(session_->steps_not_finite(), 3);
}

TEST_F(GateGroupsTest, WithALimitOfOneAReplicaMakesNoUpdateAfterItsFirstFinding) {
  Make(/*limit=*/1);
  Step(0, 9);
  Step(0, 0);
  Step(0, 0);
  EXPECT_EQ(Steps(), (std::vector<int64_t>{3, 0, 3}));
  const Result<std::vector<Tensor>> findings = session_->Run({}, {"b/findings"});
  ASSERT_TRUE(findings.ok());
  EXPECT_TRUE((*findings)[0].Identical(Tensor::Vector<int64_t>({9, 2, 0, 1})));
}

}  // namespace
}  // namespace dfrun
