#include <gtest/gtest.h>

#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/run_pass.h"

namespace dfrun {
namespace {

using Names = std::vector<std::string>;

// A variable that is read twice.
class DedupVariableReadsTest : public ::testing::Test {
 protected:
  DedupVariableReadsTest() {
    handle = Handle("W");
    first = Read("first");
    second = Read("second");
    g.Add("of_first", "Neg", {first});
    of_second = g.Add("of_second", "Neg", {second});
  }
  Output Handle(const std::string& name) {
    return g.Add(name, "VarHandleOp", {},
                 {{"dtype", DType::kFloat}, {"shape", PartialShape({4})}, {"shared_name", "W"}});
  }
  Output Read(const std::string& name) { return g.Add(name, "ReadVariableOp", {handle}, {{"dtype", DType::kFloat}}); }
  Output Update(Output of) {
    return g.Add("update", "AssignSubVariableOp", {of, g.Placeholder("delta", {4}, DType::kFloat)});
  }
  void Merge() {
    const Status status = testing::RunPass("dedup_variable_reads", g.graph);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  void ExpectAsItWas() {
    Merge();
    EXPECT_EQ(g.InputsOf("of_second"), Names{"second"});
  }

  testing::GraphMaker g;
  Output handle, first, second, of_second;
};

TEST_F(DedupVariableReadsTest, ReadsBecomeOne) {
  const Output waiter = g.Add("waiter", "NoOp");
  g.node(waiter).control_inputs = {second.node};
  Merge();
  EXPECT_EQ(g.InputsOf("of_first"), Names{"first"});
  EXPECT_EQ(g.InputsOf("of_second"), Names{"first"});
  EXPECT_EQ(g.ControlsOf("waiter"), Names{"first"});
  EXPECT_EQ(g.Find("second"), nullptr);
}

TEST_F(DedupVariableReadsTest, BeforeAnUpdateToo) {
  const Output update = Update(handle);
  g.node(update).control_inputs = {first.node, of_second.node};
  const Output after = Read("after");
  g.node(after).control_inputs = {update.node};
  g.Add("of_after", "Neg", {after});
  Merge();
  EXPECT_EQ(g.InputsOf("of_second"), Names{"first"});
  EXPECT_EQ(g.ControlsOf("update"), (Names{"first", "of_second"}));
  EXPECT_EQ(g.InputsOf("of_after"), Names{"after"});
}

TEST_F(DedupVariableReadsTest, WithWhatReadsOtherwise) {
  const Output ids = g.Placeholder("ids", {2}, DType::kInt32);
  g.Add("gather", "ResourceGather", {handle, ids}, {{"dtype", DType::kFloat}});
  g.Add("is_there", "VarIsInitializedOp", {handle});
  Merge();
  EXPECT_EQ(g.InputsOf("of_second"), Names{"first"});
}

TEST_F(DedupVariableReadsTest, ReadsThatAnUpdateDoesNotWaitForStay) {
  g.node(Update(handle)).control_inputs = {first.node};
  ExpectAsItWas();
}

TEST_F(DedupVariableReadsTest, ReadsAfterAnUpdateStay) {
  const Output update = Update(handle);
  g.node(update).control_inputs = {first.node};
  g.node(second).control_inputs = {update.node};
  ExpectAsItWas();
}

TEST_F(DedupVariableReadsTest, AnUpdateByAnotherHandleCounts) {
  Update(Handle("same"));
  ExpectAsItWas();
}

TEST_F(DedupVariableReadsTest, ReadsOnDifferentDevicesStay) {
  g.node(second).device = "/job:worker/task:1";
  ExpectAsItWas();
}

TEST_F(DedupVariableReadsTest, ReadsThatWaitStay) {
  const Output before = g.Add("before", "NoOp");
  g.node(second).control_inputs = {before.node};
  ExpectAsItWas();
}

TEST_F(DedupVariableReadsTest, GraphsWithControlFlowStay) {
  const Output condition = g.Placeholder("condition", PartialShape({}), DType::kBool);
  g.Add("switch", "Switch", {first, condition});
  ExpectAsItWas();
}

}  // namespace
}  // namespace dfrun
