// Collectives lowered to plain nodes, in a graph that one evaluator runs whole.
#include "src/passes/collectives.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "src/autodiff/gradients.h"
#include "src/graph/order/participants.h"
#include "tests/unit/testing/graph_evaluator.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphEvaluator;
using testing::GraphMaker;
using ::testing::HasSubstr;

Tensor Doubles(const Shape& shape, double first) {
  Tensor tensor(DType::kDouble, shape);
  std::iota(tensor.data<double>(), tensor.data<double>() + tensor.num_elements(), first);
  return tensor;
}

class CollectivesTest : public ::testing::Test {
 protected:
  // A participant of a group on task `task`.
  Output Participant(int task, const std::string& op, std::vector<Output> inputs, AttrMap attrs) {
    NodeSpec spec;
    spec.name = StrCat("p", task);
    spec.op = op;
    spec.inputs = std::move(inputs);
    spec.attrs = std::move(attrs);
    for (const char* key : {"group_key", "instance_key"}) spec.attrs.Set(key, 1);
    spec.attrs.Set("T", DType::kDouble);
    spec.device = StrCat("/job:worker/task:", task, "/device:cpu:0");
    return m_.Add(std::move(spec));
  }
  Output Reducer(int task, const Tensor& value, AttrMap attrs, int group_size = 3) {
    for (const auto& [name, absent] : AttrMap{{"merge_op", "Add"}, {"final_op", "Id"}}) {
      if (!attrs.Has(name)) attrs.Set(name, absent);
    }
    attrs.Set("subdiv_offsets", std::vector<int64_t>{0});
    attrs.Set("group_size", group_size);
    return Participant(task, "CollectiveReduce", {m_.Const(StrCat("x", task), value)}, attrs);
  }
  // Adds a reader of the value of a node that the pass will remove.
  Output Reader(Output value) { return m_.Add(StrCat("read", m_.graph.num_nodes()), "Identity", {value}); }
  void Lower() {
    const Status status = LowerCollectives(m_.graph);
    ASSERT_TRUE(status.ok()) << status.ToString();
    for (const Node& node : m_.graph.nodes()) {
      EXPECT_EQ(node.op->name.find("Collective"), std::string::npos) << node.name;
      EXPECT_NE(node.op->name.substr(0, 3), "All") << node.name;
    }
  }
  // Returns the values of the nodes named read*, in their order.
  std::vector<Tensor> Values() {
    std::vector<Output> fetches;
    for (const Node& node : m_.graph.nodes()) {
      if (node.name.substr(0, 4) == "read") fetches.push_back({node.id, 0});
    }
    const Result<std::vector<Tensor>> values = GraphEvaluator().Fetch(m_.graph, fetches);
    EXPECT_TRUE(values.ok()) << values.status().ToString();
    return values.ok() ? *values : std::vector<Tensor>();
  }
  void Refuses(const std::string& why) { EXPECT_THAT(LowerCollectives(m_.graph).message(), HasSubstr(why)); }

  GraphMaker m_;
};

TEST_F(CollectivesTest, FoldsInTheOrderOfDevices) {
  // (1e16 + 1) + -1e16 is 0 in the order of tasks, and 1 in any that adds 1 last.
  for (const auto& [task, value] : {std::pair(2, -1e16), std::pair(0, 1e16), std::pair(1, 1.0)}) {
    Reader(Reducer(task, Tensor::Scalar(value), {}));
  }
  Lower();
  for (const Tensor& value : Values()) EXPECT_EQ(value.scalar<double>(), 0.0);
}

TEST_F(CollectivesTest, EveryMergeAndTheDivision) {
  const std::pair<AttrMap, double> cases[] = {{{{"merge_op", "Add"}, {"final_op", "Div"}}, 3.0},
                                              {{{"merge_op", "Mul"}}, 24.0},
                                              {{{"merge_op", "Min"}}, 2.0},
                                              {{{"merge_op", "Max"}}, 4.0}};
  for (const auto& [attrs, expected] : cases) {
    m_ = GraphMaker();
    for (int task = 0; task < 3; ++task) Reader(Reducer(task, Tensor::Scalar(2.0 + task), attrs));
    Lower();
    for (const Tensor& value : Values()) EXPECT_EQ(value.scalar<double>(), expected);
  }
}

TEST_F(CollectivesTest, LargeValuesAreFoldedInPartsAndComeWhole) {
  const Shape shape({101, 107});  // no multiple of three
  for (int task = 0; task < 3; ++task) Reader(Reducer(task, Doubles(shape, 0.1 * task), {}));
  Lower();
  EXPECT_GE(m_.graph.Find("p0/SplitV"), 0);
  for (const Tensor& value : Values()) {
    ASSERT_EQ(value.shape(), shape);
    for (int64_t i = 0; i < value.num_elements(); ++i) {
      const double x = static_cast<double>(i);
      ASSERT_EQ(value.data<double>()[i], (x + (x + 0.1)) + (x + 0.2)) << i;
    }
  }
}

// There are 70 members: seven groups of nine, and a last of seven.
TEST_F(CollectivesTest, ManyMembersFoldByGroupsInTheirOrder) {
  constexpr int kMembers = 70;
  constexpr int kInGroup = 9;
  for (const Shape& shape : {Shape({3}), Shape({95, 101})}) {
    m_ = GraphMaker();
    std::vector<Tensor> values;
    for (int task = 0; task < kMembers; ++task) {
      values.push_back(Doubles(shape, (task % 3 == 0 ? 1e16 : -1e3) / (task + 1)));
      Reader(Reducer(task, values.back(), {{"final_op", "Div"}}, kMembers));
    }
    Lower();
    Tensor expected(DType::kDouble, shape);
    for (int64_t i = 0; i < expected.num_elements(); ++i) {
      std::vector<double> sums;
      for (int task = 0; task < kMembers; ++task) {
        const double x = values[static_cast<size_t>(task)].data<double>()[i];
        if (task % kInGroup == 0) {
          sums.push_back(x);
        } else {
          sums.back() += x;
        }
      }
      expected.data<double>()[i] = std::accumulate(sums.begin() + 1, sums.end(), sums[0]) / kMembers;
    }
    const std::vector<Tensor> results = Values();
    ASSERT_EQ(results.size(), size_t{kMembers});
    for (const Tensor& value : results) {
      ASSERT_EQ(value.shape(), shape);
      for (int64_t i = 0; i < value.num_elements(); ++i) {
        ASSERT_EQ(value.data<double>()[i], expected.data<double>()[i]) << i;
      }
    }
  }
}

TEST_F(CollectivesTest, ManyMembersHaveFewEdges) {
  constexpr int kMembers = 400;
  for (const auto& [shape, most] : {std::pair(Shape({3}), 3 * kMembers), std::pair(Shape({9000}), 3 * kMembers * 20)}) {
    m_ = GraphMaker();
    for (int task = 0; task < kMembers; ++task) Reader(Reducer(task, Doubles(shape, task), {}, kMembers));
    Lower();
    int edges = 0;  // between tasks
    for (const Node& node : m_.graph.nodes()) {
      for (const Output& input : node.inputs) {
        const std::string& from = m_.graph.node(input.node).device;
        if (!from.empty() && !node.device.empty() && from != node.device) ++edges;
      }
    }
    EXPECT_GT(edges, kMembers);
    EXPECT_LE(edges, most);
  }
}

TEST_F(CollectivesTest, NodesStayWhereTheirParticipantIs) {
  for (int task = 0; task < 3; ++task) Reader(Reducer(task, Doubles(Shape({9000}), task), {}));
  Lower();
  for (const Node& node : m_.graph.nodes()) {
    if (node.name[0] != 'p') continue;
    EXPECT_THAT(node.device, HasSubstr(StrCat("task:", node.name.substr(1, 1)))) << node.name;
  }
}

TEST_F(CollectivesTest, GathersAndBroadcasts) {
  const AttrMap gather = {{"group_size", 2}, {"shape", PartialShape({4})}};
  for (int task : {1, 0}) {
    Reader(
        Participant(task, "CollectiveGather", {m_.Const(StrCat("x", task), Doubles(Shape({2}), 10.0 * task))}, gather));
  }
  Lower();
  const Tensor all = Tensor::Vector<double>({0, 1, 10, 11});
  for (const Tensor& value : Values()) EXPECT_TRUE(value.Identical(all)) << value.ToString();

  m_ = GraphMaker();
  const AttrMap broadcast = {{"group_size", 3}, {"shape", PartialShape({2})}};
  Reader(Participant(0, "CollectiveBcastRecv", {}, broadcast));
  Reader(Participant(1, "CollectiveBcastSend", {m_.Const("x", Doubles(Shape({2}), 5))}, broadcast));
  Reader(Participant(2, "CollectiveBcastRecv", {}, broadcast));
  Lower();
  for (const Tensor& value : Values()) EXPECT_TRUE(value.Identical(Doubles(Shape({2}), 5))) << value.ToString();
}

TEST_F(CollectivesTest, WaitsForWhatAParticipantWaitsFor) {
  const Output before = m_.Add("before", "NoOp");
  for (int task = 0; task < 3; ++task)
    m_.graph.AddControlEdge(before.node, Reducer(task, Doubles(Shape({}), 1), {}).node);
  const Output after = m_.Add("after", "NoOp");
  m_.graph.AddControlEdge(m_.graph.Find("p1"), after.node);
  Lower();
  const Node& input = m_.graph.node(m_.graph.Find("p2/input"));
  EXPECT_EQ(input.control_inputs, std::vector<NodeId>{m_.graph.Find("before")});
  EXPECT_EQ(m_.graph.node(m_.graph.Find("after")).control_inputs, std::vector<NodeId>{m_.graph.Find("p1/AddN")});
}

TEST_F(CollectivesTest, WhatDoesNotFitIsRefused) {
  Reducer(0, Tensor::Scalar(1.0), {});
  Reducer(1, Tensor::Scalar(1.0), {});
  Refuses("2 of the 3 participants");

  m_ = GraphMaker();
  Reducer(0, Tensor::Scalar(1.0), {}, 2);
  Reducer(1, Tensor::Vector<double>({1, 2}), {}, 2);
  Refuses("participant 'p1' one of [2]");

  m_ = GraphMaker();
  Reducer(0, Tensor::Scalar(1.0), {}, 2);
  Reducer(1, Tensor::Scalar(1.0), {{"merge_op", "Mul"}}, 2);
  Refuses("attr merge_op");

  m_ = GraphMaker();
  const AttrMap broadcast = {{"group_size", 2}, {"shape", PartialShape({2})}};
  Participant(0, "CollectiveBcastRecv", {}, broadcast);
  Participant(1, "CollectiveBcastRecv", {}, broadcast);
  Refuses("one CollectiveBcastSend");

  m_ = GraphMaker();
  const Output first = Reducer(0, Tensor::Scalar(1.0), {}, 2);
  const Output second = Reducer(1, Tensor::Scalar(1.0), {}, 2);
  ASSERT_TRUE(m_.graph.SetInput(second.node, 0, first).ok());
  Refuses("each participant of a collective waits for the others");
}

TEST_F(CollectivesTest, AValueOfAnotherShapeIsRefusedWhenItComes) {
  const Output known = m_.Const("known", Doubles(Shape({3}), 1));
  const Output hidden = m_.Add("hidden", "PlaceholderWithDefault", {m_.Const("value", Doubles(Shape({2, 3}), 1))},
                               {{"shape", PartialShape()}});
  const Output all = m_.Add("all", "AllReduce", {known, hidden}, {{"reduction", std::string("Mul")}});
  EXPECT_EQ(m_.graph.shape(all), PartialShape({3}));
  const Output read = Reader(all);
  const std::string name = m_.node(read).name;
  Lower();
  const Status status = GraphEvaluator().Fetch(m_.graph, {{m_.graph.Find(name), 0}}).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument) << status.ToString();
}

TEST_F(CollectivesTest, KeysMayBeInputs) {
  const auto reducer = [&](int task, Output group_size) {
    const Output key = m_.Const(StrCat("key", task), Tensor::Scalar<int32_t>(7));
    NodeSpec spec;
    spec.name = StrCat("p", task);
    spec.op = "CollectiveReduceV2";
    spec.inputs = {m_.Const(StrCat("x", task), Tensor::Scalar(1.0 + task)), group_size, key, key};
    spec.attrs = {{"merge_op", "Add"}, {"final_op", "Id"}};
    spec.device = StrCat("/job:worker/task:", task);
    Reader(m_.Add(std::move(spec)));
  };
  const auto size = [&](int32_t n) { return m_.Const(StrCat("size", n), Tensor::Scalar(n)); };
  const Output two = size(2);
  for (int task : {0, 1}) reducer(task, two);
  Lower();
  for (const Tensor& value : Values()) EXPECT_EQ(value.scalar<double>(), 3.0);

  m_ = GraphMaker();
  reducer(0, m_.Placeholder("size", PartialShape::Scalar(), DType::kInt32));
  Refuses("must be a constant scalar");

  m_ = GraphMaker();
  reducer(0, size(2));
  reducer(1, size(3));
  Refuses("has 3");
}

// dfrun's own collectives: values, and gradients against numeric derivatives.
struct OwnCase {
  const char* op;
  const char* reduction;  // null: the op has none
};

class OwnCollectives : public ::testing::TestWithParam<OwnCase> {
 protected:
  static constexpr int kParticipants = 3;
  static double At(int participant, int64_t i) {
    return 0.5 + 0.37 * static_cast<double>((5 * i + 2 * participant) % 9);
  }

  // Computes y = the sum over outputs and elements of weight * output^2, with x_p moved by `step` in element `at`.
  double Value(int moved, int64_t at, double step) {
    GraphMaker m;
    const Output y = Build(m, moved, at, step);
    EXPECT_TRUE(LowerCollectives(m.graph).ok());
    const auto values = GraphEvaluator().Fetch(m.graph, {{m.graph.Find(name_), y.port}});
    EXPECT_TRUE(values.ok()) << values.status().ToString();
    return values.ok() ? (*values)[0].scalar<double>() : 0;
  }
  Output Build(GraphMaker& m, int moved, int64_t at, double step) {
    xs_.clear();
    for (int p = 0; p < kParticipants; ++p) {
      Tensor x(DType::kDouble, Shape({3, 2}));
      for (int64_t i = 0; i < 6; ++i) x.data<double>()[i] = At(p, i) + (p == moved && i == at ? step : 0);
      xs_.push_back(m.Const(StrCat("x", p), x));
    }
    AttrMap attrs;
    if (GetParam().reduction != nullptr) attrs.Set("reduction", GetParam().reduction);
    const Output made = m.Add("op", GetParam().op, xs_, attrs);
    std::vector<Output> sums;
    for (int32_t port = 0; port < kParticipants; ++port) {
      const Output square = m.Add(StrCat("square", port), "Square", {{made.node, port}});
      const Output weighted = m.Add(StrCat("weighted", port), "Mul", {square, m.Scalar(StrCat("w", port), 1.0 + port)});
      const Output axes = m.Const(StrCat("axes", port), Tensor::Vector<int32_t>({0, 1}));
      sums.push_back(m.Add(StrCat("sum", port), "Sum", {weighted, axes}));
    }
    return m.Add(name_, "AddN", sums);
  }

  const std::string name_ = "y";
  std::vector<Output> xs_;
};

TEST_P(OwnCollectives, GradientsAgreeWithNumericDerivatives) {
  GraphMaker m;
  const std::vector<Output> ys = {Build(m, -1, 0, 0)};
  const auto gradients = AddGradients(m.graph, ys, xs_);
  ASSERT_TRUE(gradients.ok()) << gradients.status().ToString();
  for (int p = 0; p < kParticipants; ++p) m.Add(StrCat("dx", p), "Identity", {(*gradients)[p].dense});
  ASSERT_TRUE(LowerCollectives(m.graph).ok());
  for (int p = 0; p < kParticipants; ++p) {
    const auto values = GraphEvaluator().Fetch(m.graph, {{m.graph.Find(StrCat("dx", p)), 0}});
    ASSERT_TRUE(values.ok()) << values.status().ToString();
    for (int64_t i = 0; i < 6; ++i) {
      constexpr double kStep = 1e-5;
      const double numeric = (Value(p, i, kStep) - Value(p, i, -kStep)) / (2 * kStep);
      EXPECT_NEAR((*values)[0].data<double>()[i], numeric, 1e-6 * std::max(1.0, std::abs(numeric))) << p << ", " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, OwnCollectives,
                         ::testing::Values(OwnCase{"AllReduce", "Add"}, OwnCase{"AllReduce", "Mean"},
                                           OwnCase{"AllReduce", "Mul"}, OwnCase{"AllReduce", "Min"},
                                           OwnCase{"AllReduce", "Max"}, OwnCase{"AllGather", nullptr},
                                           OwnCase{"ReduceScatter", "Add"}, OwnCase{"ReduceScatter", "Mean"},
                                           OwnCase{"ReduceScatter", "Mul"}, OwnCase{"ReduceScatter", "Max"}),
                         [](const auto& info) {
                           const OwnCase& test = info.param;
                           return StrCat(test.op, test.reduction == nullptr ? "" : test.reduction);
                         });

TEST(AllReduceCollective, WhatNobodyReadsIsNotComputed) {
  GraphMaker m;
  const Output made = m.Add("op", "AllReduce", {m.Scalar("a", 1.0), m.Scalar("b", 2.0)});
  m.Add("y", "Neg", {{made.node, 1}});
  ASSERT_TRUE(LowerCollectives(m.graph).ok());
  EXPECT_EQ(m.graph.Find("op/0/AddN"), -1);
  EXPECT_GE(m.graph.Find("op/1/AddN"), 0);
}

TEST(BroadcastCollective, GivesItsInputAndAddsUpGradients) {
  GraphMaker m;
  const Output x = m.Const("x", Tensor::Vector<double>({1, 2}));
  const Output made = m.Add("op", "Broadcast", {x}, {{"N", 3}});
  const std::vector<Output> ys = {{made.node, 0}, {made.node, 2}};
  const auto gradients = AddGradients(m.graph, ys, std::vector<Output>{x});
  ASSERT_TRUE(gradients.ok()) << gradients.status().ToString();
  m.Add("dx", "Identity", {(*gradients)[0].dense});
  m.Add("y", "Identity", {{made.node, 1}});
  ASSERT_TRUE(LowerCollectives(m.graph).ok());
  const auto values = GraphEvaluator().Fetch(m.graph, {{m.graph.Find("y"), 0}, {m.graph.Find("dx"), 0}});
  ASSERT_TRUE(values.ok()) << values.status().ToString();
  EXPECT_TRUE((*values)[0].Identical(Tensor::Vector<double>({1, 2})));
  EXPECT_TRUE((*values)[1].Identical(Tensor::Vector<double>({2, 2})));
}

// The group has two values, on tasks of their own.
class ParticipantsTest : public ::testing::Test {
 protected:
  static std::string Device(int task) { return StrCat("/job:worker/task:", task, "/device:cpu:0"); }
  Output On(int task, const std::string& name, const std::string& op, const std::vector<Output>& inputs,
            const AttrMap& attrs = {}) {
    const Output added = m_.Add(name, op, inputs, attrs);
    m_.node(added).device = Device(task);
    return added;
  }
  Output Value(int task, const PartialShape& shape) {
    return On(task, StrCat("x", task), "Placeholder", {}, {{"dtype", DType::kFloat}, {"shape", shape}});
  }
  // Places nodes without constraints where their inputs are, as placement does.
  void Place(int task_of_others) {
    for (NodeId id = 0; id < m_.graph.num_nodes(); ++id) {
      Node& node = m_.graph.mutable_node(id);
      const NodeId home = m_.graph.Find(node.colocate_with);
      if (node.device.empty()) node.device = home >= 0 ? m_.graph.node(home).device : Device(task_of_others);
    }
  }
  void Lower() {
    const Status status = LowerCollectives(m_.graph, CollectivesOption::kParticipants);
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  std::vector<const Node*> Participants() const {
    std::vector<const Node*> found;
    for (const Node& node : m_.graph.nodes()) {
      if (IsParticipant(node)) found.push_back(&node);
    }
    return found;
  }

  GraphMaker m_;
};

TEST_F(ParticipantsTest, EachHasANodeWhereItsValueIs) {
  const Output all = m_.Add("all", "AllReduce", {Value(0, {4}), Value(1, {4})}, {{"reduction", "Max"}});
  m_.Add("y", "Neg", {{all.node, 1}});  // nobody reads output 0, but its participant is needed
  Lower();
  Place(0);
  ASSERT_TRUE(ChooseCollectives(m_.graph, CollectivesOption::kParticipants).ok());
  const std::vector<const Node*> participants = Participants();
  ASSERT_EQ(participants.size(), 2u);
  for (int i : {0, 1}) {
    const Node& node = *participants[static_cast<size_t>(i)];
    EXPECT_EQ(node.op->name, "_AllReduce");
    EXPECT_EQ(node.device, Device(i));
    EXPECT_EQ(*node.attrs.Get<int64_t>("index"), i);
    EXPECT_EQ(*node.attrs.Get<std::string>("reduction"), "Max");
    EXPECT_EQ(*node.attrs.Get<std::string>("implementation"), "point_to_point");
  }
  EXPECT_EQ(m_.InputsOf("y"), std::vector<std::string>{participants[1]->name});
}

TEST_F(ParticipantsTest, OfACollectiveOfWhatOthersGaveAreWhereThoseAre) {
  const Output first = m_.Add("first", "AllReduce", {Value(0, {4}), Value(1, {4})});
  m_.Add("second", "AllGather", {{first.node, 0}, {first.node, 1}});
  Lower();
  Place(0);
  ASSERT_EQ(Participants().size(), 4u);
  for (const Node* node : Participants()) {
    EXPECT_EQ(node->device, Device(static_cast<int>(*node->attrs.Get<int64_t>("index")))) << node->name;
  }
}

TEST_F(ParticipantsTest, NobodyAsksForThemByDefault) {
  m_.Add("all", "AllReduce", {Value(0, {4}), Value(1, {4})});
  ASSERT_TRUE(LowerCollectives(m_.graph).ok());
  EXPECT_TRUE(Participants().empty());
}

TEST_F(ParticipantsTest, ValuesOfUnknownShapeAreLowered) {
  m_.Add("all", "AllReduce", {Value(0, {-1}), Value(1, {-1})});
  Lower();
  EXPECT_TRUE(Participants().empty());
}

TEST_F(ParticipantsTest, WhatMayBeDeadIsLowered) {
  const Output yes = m_.Placeholder("yes", PartialShape::Scalar(), DType::kBool);
  std::vector<Output> values;
  for (int task : {0, 1}) {
    values.push_back({On(task, StrCat("switch", task), "Switch", {Value(task, {4}), yes}).node, 1});
  }
  m_.Add("all", "AllReduce", values);
  Lower();
  EXPECT_TRUE(Participants().empty());
}

TEST_F(ParticipantsTest, OfTwoOnOneDeviceThereIsNoCollective) {
  const Output x = Value(1, {4});
  m_.Add("all", "AllReduce", {Value(0, {4}), x, On(1, "again", "Neg", {x})});
  Lower();
  EXPECT_EQ(Participants().size(), 3u);
  Place(0);
  ASSERT_TRUE(ChooseCollectives(m_.graph, CollectivesOption::kParticipants).ok());
  EXPECT_TRUE(Participants().empty());
  int sums = 0;
  for (const Node& node : m_.graph.nodes()) sums += node.op->name == "AddN" ? 1 : 0;
  EXPECT_EQ(sums, 3);
}

TEST_F(ParticipantsTest, NoneMayNeedWhatAnotherGets) {
  const Output first = m_.Add("first", "AllReduce", {Value(0, {4}), Value(1, {4})});
  const AttrMap group = {{"group_size", 2},   {"group_key", 1},   {"instance_key", 1},
                         {"merge_op", "Add"}, {"final_op", "Id"}, {"subdiv_offsets", std::vector<int64_t>{0}}};
  const Output a = On(0, "a", "CollectiveReduce", {{first.node, 0}}, group);
  On(1, "b", "CollectiveReduce", {a}, group);
  EXPECT_THAT(LowerCollectives(m_.graph, CollectivesOption::kParticipants).message(),
              HasSubstr("each participant of a collective waits for the others"));
}

// A node that needs one participant comes after all participants, and these come after all that one of them needs.
TEST_F(ParticipantsTest, StandTogetherInTheOrder) {
  const Output late = On(1, "late", "Neg", {Value(1, {4})});
  const Output all = m_.Add("all", "AllReduce", {Value(0, {4}), late});
  m_.Add("y", "Neg", {{all.node, 0}});
  Lower();
  const Result<std::vector<NodeId>> order = OrderWithParticipants(m_.graph);
  ASSERT_TRUE(order.ok()) << order.status().ToString();
  const auto at = [&](NodeId id) { return std::find(order->begin(), order->end(), id) - order->begin(); };
  for (const Node* node : Participants()) {
    EXPECT_LT(at(m_.graph.Find("late")), at(node->id)) << node->name;
    EXPECT_LT(at(node->id), at(m_.graph.Find("y"))) << node->name;
  }
}

}  // namespace
}  // namespace dfrun
