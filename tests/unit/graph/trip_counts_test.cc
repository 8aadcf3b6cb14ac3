#include "src/graph/trip_counts.h"

#include <gtest/gtest.h>

#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;

class TripCountsTest : public ::testing::Test {
 protected:
  Output Enter(const std::string& name, Output value, bool is_constant = false) {
    return m.Add(name, "Enter", {value},
                 {{"frame_name", std::string("loop")}, {"is_constant", is_constant}, {"parallel_iterations", 2}});
  }
  // The variable of a loop, whose turns begin with `first`.
  Output Variable(const std::string& name, int32_t first) {
    NodeSpec merge;
    merge.name = name;
    merge.op = "Merge";
    merge.inputs = {Enter(name + "/enter", m.Scalar<int32_t>(name + "/first", first)), Output{}};
    merge.attrs = {{"T", DType::kInt32}, {"N", 2}};
    return m.Add(std::move(merge));
  }
  Output Constant(const std::string& name, int32_t value) {
    return Enter(name + "/enter", m.Scalar<int32_t>(name, value), true);
  }
  // Closes the loop: it goes on while `condition`, and each turn makes `variable` of itself and `step` by `op`.
  void Close(Output variable, Output condition, const std::string& op, int32_t step) {
    const Output cond = m.Add("cond", "LoopCond", {condition});
    const Output branch = m.Add("branch", "Switch", {variable, cond});
    const Output inside = m.Add("inside", "Identity", {{branch.node, 1}});
    const Output next = m.Add("next", "NextIteration", {m.Add("body", op, {inside, Constant("step", step)})});
    ASSERT_TRUE(m.graph.SetInput(variable.node, 1, next).ok());
    m.Add("exit", "Exit", {{branch.node, 0}});
  }
  // The trip count of while (variable `comparison` limit) variable = variable `op` step; -1: not known.
  int64_t Turns(int32_t first, const std::string& comparison, int32_t limit, const std::string& op, int32_t step) {
    m.graph = Graph();
    const Output variable = Variable("x", first);
    Close(variable, m.Add("goes_on", comparison, {variable, Constant("limit", limit)}), op, step);
    TripCounts counts;
    FindTripCounts(m.graph, counts);
    const auto found = counts.find("loop");
    if (found == counts.end()) return -1;
    EXPECT_TRUE(found->second.is_exact);
    return found->second.turns;
  }

  GraphMaker m;
};

// The turns of the loop as C++ runs it.
int64_t TurnsInCpp(int32_t x, bool (*goes_on)(int32_t, int32_t), int32_t limit, int32_t step) {
  int64_t turns = 0;
  for (; goes_on(x, limit); x += step) ++turns;
  return turns;
}

TEST_F(TripCountsTest, CountersRiseOrFallToAConstant) {
  for (const int32_t step : {1, 3}) {
    for (const int32_t limit : {-2, 0, 1, 9, 10}) {
      EXPECT_EQ(Turns(0, "Less", limit, "Add", step), TurnsInCpp(
                                                          0, [](int32_t a, int32_t b) { return a < b; }, limit, step));
      EXPECT_EQ(Turns(0, "LessEqual", limit, "AddV2", step),
                TurnsInCpp(
                    0, [](int32_t a, int32_t b) { return a <= b; }, limit, step));
      EXPECT_EQ(Turns(7, "Greater", limit, "Sub", step),
                TurnsInCpp(
                    7, [](int32_t a, int32_t b) { return a > b; }, limit, -step));
      EXPECT_EQ(Turns(7, "GreaterEqual", limit, "Add", -step),
                TurnsInCpp(
                    7, [](int32_t a, int32_t b) { return a >= b; }, limit, -step));
    }
  }
  EXPECT_EQ(Turns(0, "Less", 5, "Sub", 1), -1);  // without end, as far as integers go
  EXPECT_EQ(Turns(1, "Less", 5, "Mul", 2), -1);
}

TEST_F(TripCountsTest, AConditionBesideTheCounterMayEndTheLoopBefore) {
  const Output variable = Variable("x", 0);
  const Output open = Enter("open/enter", m.Placeholder("open", PartialShape::Scalar(), DType::kBool), true);
  const Output below = m.Add("below", "Less", {variable, Constant("limit", 8)});
  Close(variable, m.Add("both", "LogicalAnd", {below, open}), "Add", 1);
  TripCounts counts;
  FindTripCounts(m.graph, counts);
  ASSERT_TRUE(counts.contains("loop"));
  EXPECT_EQ(counts.at("loop").turns, 8);
  EXPECT_FALSE(counts.at("loop").is_exact);
  EXPECT_FALSE(CountRuns(m.graph, counts)[m.graph.Find("body")].is_exact);
}

TEST_F(TripCountsTest, NodesRunAsOftenAsTheirLoopTurns) {
  ASSERT_EQ(Turns(0, "Less", 5, "Add", 1), 5);
  TripCounts counts;
  FindTripCounts(m.graph, counts);
  const std::vector<NodeRuns> runs = CountRuns(m.graph, counts);
  const auto of = [&](const char* name) { return runs[m.graph.Find(name)].times; };
  EXPECT_EQ(of("x/first"), 1);
  EXPECT_EQ(of("x/enter"), 1);
  EXPECT_EQ(of("exit"), 1);
  for (const char* name : {"inside", "body", "next"}) EXPECT_EQ(of(name), 5) << name;
  for (const char* name : {"x", "goes_on", "cond", "branch"}) EXPECT_EQ(of(name), 6) << name;
  EXPECT_TRUE(runs[m.graph.Find("body")].is_exact);
  // Without the trip count each counts once.
  for (const NodeRuns& of_node : CountRuns(m.graph, {})) EXPECT_EQ(of_node.times, 1);
}

}  // namespace
}  // namespace dfrun
