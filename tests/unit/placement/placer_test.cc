#include "src/placement/placer.h"

#include <gtest/gtest.h>

#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;

// Ops without kernels but for those that FakeKernels() says there are.
const OpRegistry& FakeOps() {
  static const OpRegistry& registry = *[] {
    auto* ops = new OpRegistry();
    const auto add = [&](OpBuilder op) {
      const Status status = ops->Register(op.Shape(UnknownOutputs()).Doc("A test's op."));
      EXPECT_TRUE(status.ok()) << status.ToString();
    };
    add(OpBuilder("Source").Output("y: T").Attr("T: type = DT_FLOAT"));
    add(OpBuilder("Stateful").Output("y: float").Stateful());
    add(OpBuilder("Var").Output("y: Ref(float)").Stateful());
    add(OpBuilder("Handle").Output("y: resource").Stateful());
    add(OpBuilder("Update").Input("v: Ref(float)").Input("x: float").Output("y: Ref(float)"));
    add(OpBuilder("UpdateTwo").Input("v: Ref(float)").Input("w: Ref(float)").Output("y: Ref(float)"));
    add(OpBuilder("Use").Input("v: resource").Output("y: float"));
    add(OpBuilder("List").Output("y: variant"));
    add(OpBuilder("Push").Input("l: variant").Input("x: float").Output("y: variant"));
    add(OpBuilder("Work").Input("x: T").Output("y: T").Attr("T: type"));
    add(OpBuilder("Both").Input("x: float").Input("z: float").Output("y: float"));
    add(OpBuilder("Identity").Input("x: T").Output("y: T").Attr("T: type").FollowsFirstInput());
    add(OpBuilder("CpuOnly").Input("x: float").Output("y: float"));
    add(OpBuilder("GpuOnly").Input("x: float").Output("y: float"));
    add(OpBuilder("Nowhere").Input("x: float").Output("y: float"));
    add(OpBuilder("_Arg").Output("y: float").Attr("index: int").Stateful());
    add(OpBuilder("_Retval").Input("x: float").Attr("index: int").Stateful());
    return ops;
  }();
  return registry;
}

const KernelRegistry& FakeKernels() {
  static const KernelRegistry& registry = *[] {
    auto* kernels = new KernelRegistry();
    const auto add = [&](const char* op, const char* type, const char* attr = "", DType dtype = DType::kInvalid) {
      KernelDef def;
      def.op = op;
      def.device_type = type;
      def.attr = attr;
      def.dtype = dtype;
      EXPECT_TRUE(kernels->Register(def).ok());
    };
    for (const char* op :
         {"Source", "Stateful", "Var", "Handle", "Update", "UpdateTwo", "Use", "List", "Push", "Both", "Identity"}) {
      add(op, "cpu");
      add(op, "gpu");
    }
    add("Work", "cpu", "T", DType::kFloat);
    add("Work", "cpu", "T", DType::kDouble);
    add("Work", "gpu", "T", DType::kFloat);
    add("CpuOnly", "cpu");
    add("GpuOnly", "gpu");
    return kernels;
  }();
  return registry;
}

// One rank of "ps" and two of "worker", each with a CPU; the workers with a GPU too.
Cluster FakeCluster() {
  return {{{{"ps", 0, "cpu", 0}, 0},
           {{"worker", 0, "cpu", 0}, 1},
           {{"worker", 0, "gpu", 0}, 1},
           {{"worker", 1, "cpu", 0}, 2},
           {{"worker", 1, "gpu", 0}, 2}}};
}

constexpr char kPs[] = "/job:ps/task:0/device:cpu:0";
constexpr char kWorker0[] = "/job:worker/task:0/device:cpu:0";
constexpr char kWorker0Gpu[] = "/job:worker/task:0/device:gpu:0";
constexpr char kWorker1[] = "/job:worker/task:1/device:cpu:0";
constexpr char kWorker1Gpu[] = "/job:worker/task:1/device:gpu:0";

class PlacerTest : public ::testing::Test {
 protected:
  GraphMaker m{FakeOps()};

  Output Add(const std::string& name, const std::string& op, std::vector<Output> inputs = {},
             const std::string& device = "", const std::string& colocate_with = "") {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    spec.inputs = std::move(inputs);
    spec.device = device;
    spec.colocate_with = colocate_with;
    if (op == "_Arg" || op == "_Retval") spec.attrs = {{"index", 0}};
    return m.Add(std::move(spec));
  }
  void Place() {
    const Status status = PlaceGraph(m.graph, FakeCluster(), FakeKernels());
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  Status Error() { return PlaceGraph(m.graph, FakeCluster(), FakeKernels()); }
  const std::string& Device(const std::string& name) { return m.graph.node(m.graph.Find(name)).device; }
};

TEST_F(PlacerTest, TheFirstDeviceIsTheDefault) {
  Add("work", "Work", {Add("s", "Stateful")});
  Place();
  EXPECT_EQ(Device("s"), kPs);
  EXPECT_EQ(Device("work"), kPs);
}

TEST_F(PlacerTest, PartialNamesConstrain) {
  const Output s = Add("s", "Stateful", {}, "/job:worker/task:1");
  Add("a", "Work", {s}, "/job:worker");
  Add("b", "Work", {s}, "/device:gpu:*");
  Add("c", "Work", {s}, "/task:1/device:gpu:0");
  Place();
  EXPECT_EQ(Device("s"), kWorker1);
  EXPECT_EQ(Device("a"), kWorker0);
  EXPECT_EQ(Device("b"), kWorker0Gpu);
  EXPECT_EQ(Device("c"), kWorker1Gpu);
}

TEST_F(PlacerTest, KernelsDecideByOpAndType) {
  const Output s = Add("s", "Stateful");
  Add("g", "GpuOnly", {s});
  Add("d", "Work", {m.Add("double", "Source", {}, {{"T", DType::kDouble}})}, "/job:worker");
  Place();
  EXPECT_EQ(Device("g"), kWorker0Gpu);
  EXPECT_EQ(Device("d"), kWorker0);
}

TEST_F(PlacerTest, GroupsAreJoinedByColocationRefsAndResources) {
  const Output s = Add("s", "Stateful");
  const Output v = Add("v", "Var");
  const Output update = Add("update", "Update", {v, s});
  Add("again", "Update", {update, s}, "/job:worker/task:1");
  Add("with", "Work", {s}, "", "v");
  const Output h = Add("h", "Handle", {}, "/job:worker");
  Add("use", "Use", {h});
  Place();
  for (const char* name : {"v", "update", "again", "with"}) EXPECT_EQ(Device(name), kWorker1) << name;
  EXPECT_EQ(Device("use"), kWorker0);
}

TEST_F(PlacerTest, ReadersOfAVariantGoWhereItIs) {
  const Output s = Add("s", "Stateful");
  const Output list = Add("list", "List", {}, "/job:worker/task:1");
  Add("longer", "Push", {Add("pushed", "Push", {list, s}), s}, "/job:worker/task:0");
  Add("with", "Work", {s}, "", "longer");
  Add("free", "Push", {Add("late", "List"), s}, "/job:worker/task:0");
  Place();
  for (const char* name : {"list", "pushed", "longer", "with"}) EXPECT_EQ(Device(name), kWorker1) << name;
  EXPECT_EQ(Device("late"), kWorker0) << "the reader's constraint, where the variant has none";
}

TEST_F(PlacerTest, ReadersOfARefAsAValueAreFree) {
  const Output v = Add("v", "Var", {}, "/job:worker/task:1");
  Add("work", "Work", {v});
  Place();
  EXPECT_EQ(Device("work"), kPs);
}

TEST_F(PlacerTest, AGroupGoesWhereAllOfItHaveKernels) {
  const Output s = Add("s", "Stateful");
  Add("a", "Work", {s}, "/job:worker");
  Add("b", "GpuOnly", {s}, "", "a");
  Place();
  EXPECT_EQ(Device("a"), kWorker0Gpu);
}

TEST_F(PlacerTest, PassingOnFollowsTheFirstInput) {
  const Output v = Add("v", "Var", {}, "/job:worker/task:1");
  Add("read", "Identity", {v});
  Add("read_elsewhere", "Identity", {v}, "/job:ps");
  Place();
  EXPECT_EQ(Device("read"), kWorker1);
  EXPECT_EQ(Device("read_elsewhere"), kPs);
}

TEST_F(PlacerTest, SourcesGoToTheirReadersIfThoseAreTogether) {
  const Output one = Add("one", "Source");
  const Output two = Add("two", "Source");
  const Output none = Add("none", "Source");
  Add("a", "Both", {one, two}, "/job:worker/task:1");
  Add("b", "Work", {two}, "/job:worker/task:0");
  Place();
  EXPECT_EQ(Device("one"), kWorker1);
  EXPECT_EQ(Device("two"), kPs);
  EXPECT_EQ(m.graph.node(none.node).device, kPs);
}

TEST_F(PlacerTest, ArgsAndRetvalsAreOnTheFirstRank) {
  const Output arg = Add("arg", "_Arg");
  Add("ret", "_Retval", {Add("work", "Work", {arg}, "/job:worker")});
  Place();
  EXPECT_EQ(Device("arg"), kPs);
  EXPECT_EQ(Device("ret"), kPs);
}

TEST_F(PlacerTest, GroupsWithStateDoNotFollowAnInputThatOtherPartsOfTheGraphMayLack) {
  const Output s = Add("s", "Stateful", {}, "/job:worker/task:1");
  Add("passes", "Identity", {s});
  Add("v", "Var", {}, "", "passes");
  Place();
  EXPECT_EQ(Device("v"), kPs);
}

TEST_F(PlacerTest, EveryNodeThatClassNamesShares) {
  const Output a = Add("a", "Source", {}, "/job:worker/task:1");
  Add("b", "Var");
  m.Add("c", "Work", {a}, {{"_class", std::vector<std::string>{"loc:@a", "loc:@b", "else"}}});
  Place();
  EXPECT_EQ(Device("b"), kWorker1);
  EXPECT_EQ(Device("c"), kWorker1);
  m.Add("d", "Work", {a}, {{"_class", std::vector<std::string>{"loc:@absent"}}});
  EXPECT_NE(Error().message().find("'absent'"), std::string::npos);
}

TEST_F(PlacerTest, GroupsOutliveThePruningOfAnyOfThem) {
  const Output a = Add("a", "Stateful");
  Add("b", "Stateful");
  m.Add("c", "Work", {a}, {{"_class", std::vector<std::string>{"loc:@a", "loc:@b"}}});
  ASSERT_TRUE(SpreadConstraints(m.graph).ok());
  int free = 0;
  for (const Node& node : m.graph.nodes()) {
    EXPECT_FALSE(node.attrs.Has("_class"));
    free += node.colocate_with.empty() ? 1 : 0;
    if (node.colocate_with.empty()) continue;
    EXPECT_TRUE(m.graph.node(m.graph.Find(node.colocate_with)).colocate_with.empty());
  }
  EXPECT_EQ(free, 1);
}

TEST_F(PlacerTest, SpreadConstraintsReachTheWholeGroup) {
  const Output v = Add("v", "Var");
  const Output s = Add("s", "Stateful");
  Add("update", "Update", {v, s}, "/job:worker");
  Add("other", "Update", {v, s}, "/task:1");
  ASSERT_TRUE(SpreadConstraints(m.graph).ok());
  for (const char* name : {"v", "update", "other"}) EXPECT_EQ(Device(name), "/job:worker/task:1") << name;
  EXPECT_EQ(Device("s"), "");
}

TEST_F(PlacerTest, AColocationWinsOverADevice) {
  const Output s = Add("s", "Stateful");
  Add("a", "Work", {s}, "/job:ps");
  Add("b", "Work", {s}, "/job:worker", "a");
  const Output c = m.Add("c", "Work", {s}, {{"_class", std::vector<std::string>{"loc:@a"}}});
  m.node(c).device = kWorker1Gpu;
  Place();
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(Device(name), kPs) << name;
}

TEST_F(PlacerTest, TheDeviceOfAColocatedNodeCountsWhereTheOtherSaysNone) {
  const Output s = Add("s", "Stateful");
  Add("a", "Work", {s}, "/job:worker");
  Add("b", "Work", {s}, "/task:1/device:gpu:0", "a");
  Add("c", "Work", {s}, "/job:ps", "b");
  Place();
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(Device(name), kWorker1Gpu) << name;
}

TEST_F(PlacerTest, WhatTakesAVariableGoesToIt) {
  const Output v = Add("v", "Var", {}, "/job:worker/task:1/device:cpu:0");
  const Output s = Add("s", "Stateful", {}, "/job:ps");
  const Output first = Add("first", "Update", {v, s}, "/job:ps");
  Add("second", "Update", {first, s}, kWorker0Gpu);
  Place();
  for (const char* name : {"v", "first", "second"}) EXPECT_EQ(Device(name), kWorker1) << name;
  EXPECT_EQ(Device("s"), kPs);
}

TEST_F(PlacerTest, VariablesOnTwoDevicesShareNoReader) {
  const Output v = Add("v", "Var", {}, "/job:ps");
  const Output w = Add("w", "Var", {}, "/job:worker");
  const Output s = Add("s", "Stateful");
  Add("a", "Update", {v, s});
  Add("b", "Update", {w, s}, "", "a");
  const Status status = Error();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  for (const char* part : {"node 'v'", "node 'w'", "/job:ps", "/job:worker"}) {
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
  }
}

TEST_F(PlacerTest, SoftPlacementFallsBack) {
  const Output s = Add("s", "Stateful");
  const Output absent = Add("absent", "Source", {}, "/job:worker/task:1/device:tpu:0");
  Add("nowhere", "Work", {s}, "/job:chief");
  Add("cpu_only", "CpuOnly", {s}, kWorker1Gpu);
  Add("at_ps", "Work", {s}, "/job:ps");
  m.Add("torn", "Work", {absent}, {{"_class", std::vector<std::string>{"loc:@at_ps", "loc:@cpu_only"}}});
  EXPECT_FALSE(Error().ok());
  ASSERT_TRUE(DropUnmatchedConstraints(m.graph, FakeCluster()).ok());
  const Status status = PlaceGraph(m.graph, FakeCluster(), FakeKernels(), true);
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(Device("absent"), kWorker1);
  EXPECT_EQ(Device("nowhere"), kPs);  // the first device
  EXPECT_EQ(Device("cpu_only"), kWorker1);
  EXPECT_EQ(Device("torn"), kPs);
}

TEST_F(PlacerTest, SoftPlacementMovesVariablesWithTheirGroup) {
  const Cluster cluster = FakeCluster();
  const SoftPlacement soft{cluster, FakeKernels()};
  const Output s = Add("s", "Stateful");
  const Output v = Add("v", "Var", {}, "/job:worker/task:1/device:tpu:0");
  Add("slot", "Var", {}, "/job:worker/task:1/device:tpu:0");
  Add("update", "Update", {v, s});
  // Only the cpu has kernels for all of this group, wherever in the graph the group is.
  Add("w", "Var", {}, kWorker1Gpu);
  Add("cpu_only", "CpuOnly", {s}, "", "w");
  Add("elsewhere", "Var", {}, "/job:chief");
  // Two variables of one update, on two devices.
  const Output a = Add("a", "Var", {}, "/job:worker/task:1");
  const Output b = Add("b", "Var", {}, kWorker0Gpu);
  m.Add("both", "UpdateTwo", {a, b});
  EXPECT_FALSE(Error().ok());
  ASSERT_TRUE(SpreadConstraints(m.graph, &soft).ok());
  const Status status = PlaceGraph(m.graph, FakeCluster(), FakeKernels(), true);
  ASSERT_TRUE(status.ok()) << status.ToString();
  for (const char* name : {"v", "slot", "update", "w", "cpu_only"}) EXPECT_EQ(Device(name), kWorker1) << name;
  EXPECT_EQ(Device("elsewhere"), kPs);  // the first device
  EXPECT_EQ(Device("a"), Device("b"));
  EXPECT_EQ(Device("a"), Device("both"));
}

TEST_F(PlacerTest, ContradictionsNameBothNodes) {
  const Output s = Add("s", "Stateful");
  Add("a", "Work", {s}, "/job:ps");
  Add("b", "Work", {s}, "/job:worker");
  m.Add("c", "Work", {s}, {{"_class", std::vector<std::string>{"loc:@a", "loc:@b"}}});
  const Status status = Error();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  for (const char* part : {"node 'a'", "node 'b'", "/job:ps", "/job:worker"}) {
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
  }
  EXPECT_EQ(Device("s"), "");  // unchanged
}

TEST_F(PlacerTest, AConstraintThatNothingMatchesListsTheDevices) {
  Add("s", "Stateful", {}, "/job:worker/task:7");
  const Status status = Error();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  for (const char* part : {"node 's'", "/job:worker/task:7", kPs, kWorker0Gpu}) {
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
  }
}

TEST_F(PlacerTest, AMissingKernelNamesThoseThatThereAre) {
  Add("d", "Work", {m.Add("double", "Source", {}, {{"T", DType::kDouble}})}, "/device:gpu:0");
  const Status status = Error();
  EXPECT_EQ(status.code(), Code::kNotFound);
  for (const char* part : {"node 'd'", "no gpu kernel for Work with T=float64", "cpu T=float64", "gpu T=float32"}) {
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
  }
}

TEST_F(PlacerTest, AnOpWithoutAnyKernelSaysSo) {
  Add("n", "Nowhere", {Add("s", "Stateful")});
  const Status status = Error();
  EXPECT_EQ(status.code(), Code::kNotFound);
  EXPECT_NE(status.message().find("no kernel"), std::string::npos) << status.message();
}

TEST_F(PlacerTest, AGroupWithoutACommonTypeOfDeviceIsRefused) {
  const Output s = Add("s", "Stateful");
  Add("c", "CpuOnly", {s});
  Add("g", "GpuOnly", {s}, "", "c");
  EXPECT_EQ(Error().code(), Code::kNotFound);
}

TEST_F(PlacerTest, UnreadableNamesAndMissingPartnersAreRefused) {
  const Output s = Add("s", "Stateful", {}, "/nonsense");
  EXPECT_NE(Error().message().find("node 's'"), std::string::npos);
  m.node(s).device = "";
  m.node(s).colocate_with = "gone";
  const Status status = Error();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("'gone'"), std::string::npos) << status.message();
}

TEST_F(PlacerTest, AClusterNeedsDevices) {
  EXPECT_EQ(PlaceGraph(m.graph, Cluster(), FakeKernels()).code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace dfrun
