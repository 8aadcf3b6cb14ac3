// The choice of the device for nodes that are bound to no type of device.
#include "src/placement/device_choice.h"

#include <gtest/gtest.h>

#include "src/placement/placer.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;

constexpr std::string_view kShapeArg[] = {"shape"};

// Returns kernels of the real ops, so that their costs count.
const KernelRegistry& Kernels() {
  static const KernelRegistry& registry = *[] {
    auto* kernels = new KernelRegistry();
    const auto add = [&](const char* op, const char* type, std::span<const std::string_view> host_inputs = {}) {
      KernelDef def;
      def.op = op;
      def.device_type = type;
      def.host_inputs = host_inputs;
      EXPECT_TRUE(kernels->Register(def).ok());
    };
    for (const char* op : {"MatMul", "Relu", "Const", "VariableV2", "AssignAdd", "AddV2", "Neg"}) {
      add(op, "cpu");
      add(op, "gpu");
    }
    add("Reshape", "cpu");
    add("Reshape", "gpu", kShapeArg);
    add("Sigmoid", "cpu");
    add("Placeholder", "cpu");
    add("HDF5Reader", "cpu");
    add("HDF5Reader", "gpu");
    return kernels;
  }();
  return registry;
}

constexpr char kTask0[] = "/job:worker/task:0";
constexpr char kTask1[] = "/job:worker/task:1";
constexpr char kCpu0[] = "/job:worker/task:0/device:cpu:0";
constexpr char kGpu0[] = "/job:worker/task:0/device:gpu:0";
constexpr char kGpu1[] = "/job:worker/task:0/device:gpu:1";

ClusterDevice DeviceOf(int task, const char* type, int index) {
  return {.name = {"worker", task, type, index}, .rank = task};
}

// Rank 0 has two GPUs, rank 1 none.
Cluster MixedCluster() {
  return {{DeviceOf(0, "cpu", 0), DeviceOf(0, "gpu", 0), DeviceOf(0, "gpu", 1), DeviceOf(1, "cpu", 0)}};
}

class DeviceChoiceTest : public ::testing::Test {
 protected:
  GraphMaker m;

  // A chain of products of [rows, rows] after a value that only the host has.
  Output AddProducts(int64_t rows, const std::string& device, int64_t spread = 0) {
    const Output x = Add("Placeholder", {}, device, {{"dtype", DType::kFloat}, {"shape", Shape({rows, rows})}});
    Output y = x;
    for (int i = 0; i < 3; ++i) y = Add("MatMul", {y, x}, device, {{kSpreadAttr, spread}});
    return y;
  }
  // A batch [rows, rows] of an input.
  Output AddReader(int64_t rows) {
    return Add("HDF5Reader", {m.Scalar("position", int64_t{0})}, kTask0,
               {{"path", std::string("x.h5")},
                {"datasets", std::vector<std::string>{"x"}},
                {"component_types", std::vector<DType>{DType::kFloat}},
                {"shapes", std::vector<PartialShape>{PartialShape({rows, rows})}}});
  }
  Output AddProductsOf(Output x) {
    Output y = x;
    for (int i = 0; i < 3; ++i) y = Add("MatMul", {y, x}, kTask0);
    return y;
  }
  Output Add(const std::string& op, std::vector<Output> inputs, const std::string& device, AttrMap attrs = {}) {
    NodeSpec spec;
    spec.name = m.graph.UniqueName(op);
    spec.op = op;
    spec.inputs = std::move(inputs);
    spec.device = device;
    spec.attrs = std::move(attrs);
    return m.Add(std::move(spec));
  }
  void Choose(const ChoiceOptions& options = {}) {
    const Status status = ChooseDevices(m.graph, MixedCluster(), Kernels(), options);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  const std::string& DeviceAt(Output value) { return m.graph.node(value.node).device; }
};

TEST_F(DeviceChoiceTest, LargeWorkGoesToADeviceOfItsTask) {
  const Output y = AddProducts(1024, kTask0);
  Choose();
  EXPECT_EQ(DeviceAt(y), kGpu0);
  EXPECT_EQ(DeviceAt({0, 0}), kTask0) << "the host alone has a kernel";
}

TEST_F(DeviceChoiceTest, ALargeInputGoesWithItsReaders) {
  const Output batch = AddReader(1024);
  const Output y = AddProductsOf(batch);
  Choose({.with_state = true});
  EXPECT_EQ(DeviceAt(y), kGpu0);
  EXPECT_EQ(DeviceAt(batch), kGpu0);
}

TEST_F(DeviceChoiceTest, AnInputThatTheHostReadsTooStaysThere) {
  const Output batch = AddReader(1024);
  const Output y = AddProductsOf(batch);
  Add("Sigmoid", {batch}, kTask0);
  Choose({.with_state = true});
  EXPECT_EQ(DeviceAt(y), kGpu0);
  EXPECT_EQ(DeviceAt(batch), kTask0);
}

TEST_F(DeviceChoiceTest, ASmallInputStaysWithTheHost) {
  const Output batch = AddReader(256);
  Output y = batch;
  for (int i = 0; i < 20000; ++i) y = Add("MatMul", {y, batch}, kTask0);
  Choose({.with_state = true});
  EXPECT_EQ(DeviceAt(y), kGpu0);
  EXPECT_EQ(DeviceAt(batch), kTask0);
}

TEST_F(DeviceChoiceTest, SmallWorkStaysWithTheHost) {
  const Output y = AddProducts(16, kTask0);
  Choose();
  EXPECT_EQ(DeviceAt(y), kTask0);
}

TEST_F(DeviceChoiceTest, ARankWithoutSuchDevicesKeepsItsWork) {
  const Output y = AddProducts(1024, kTask1);
  Choose();
  EXPECT_EQ(DeviceAt(y), kTask1);
}

TEST_F(DeviceChoiceTest, AConstraintOfATypeIsKept) {
  const Output y = AddProducts(1024, kCpu0);
  Choose();
  EXPECT_EQ(DeviceAt(y), kCpu0);
}

TEST_F(DeviceChoiceTest, WhatIsBoundToTheDeviceCounts) {
  const Output bound = AddProducts(1024, kTask0);
  for (const NodeId id : {1, 2, 3}) m.graph.mutable_node(id).device = kGpu1;
  const Output small = Add("Neg", {bound}, kTask0);
  Choose();
  EXPECT_EQ(DeviceAt(bound), kGpu1);
  EXPECT_EQ(DeviceAt(small), kGpu0);
}

TEST_F(DeviceChoiceTest, WhatHasNoKernelThereStaysAndTheRestGoes) {
  const Output y = AddProducts(1024, kTask0);
  const Output sigmoid = Add("Sigmoid", {y}, kTask0);
  const Output small = Add("Neg", {Add("MatMul", {sigmoid, sigmoid}, kTask0)}, kTask0);
  Choose();
  EXPECT_EQ(DeviceAt(sigmoid), kTask0);
  EXPECT_EQ(DeviceAt(small), kGpu0);
}

TEST_F(DeviceChoiceTest, ReplicasOfATaskAreSpreadOverItsDevices) {
  const Output first = AddProducts(1024, kTask0, 0);
  const Output second = AddProducts(1024, kTask0, 1);
  const Output third = AddProducts(1024, kTask0, 2);
  Choose();
  EXPECT_EQ(DeviceAt(first), kGpu0);
  EXPECT_EQ(DeviceAt(second), kGpu1);
  EXPECT_EQ(DeviceAt(third), kGpu0);
}

TEST_F(DeviceChoiceTest, SizesThatOnlyTheHostReadsStayThere) {
  const Output y = AddProducts(1024, kTask0);
  const Output sizes = Add("Placeholder", {}, kTask0, {{"dtype", DType::kInt32}, {"shape", Shape({1})}});
  const Output sum = Add("AddV2", {sizes, sizes}, kTask0);
  const Output reshaped = Add("Reshape", {y, sum}, kTask0);
  Choose();
  EXPECT_EQ(DeviceAt(sum), kTask0);
  EXPECT_EQ(DeviceAt(reshaped), kGpu0);
}

TEST_F(DeviceChoiceTest, WorkThatIsNoStepsDoesNotCount) {
  const Output rare = AddProducts(1024, kTask0);
  const Output step = AddProducts(16, kTask0);
  Choose({.step = {step.node}});
  EXPECT_EQ(DeviceAt(step), kTask0);
  EXPECT_EQ(DeviceAt(rare), kTask0);
}

TEST_F(DeviceChoiceTest, AConstantOfAGroupGoesWithTheGroup) {
  const Output y = AddProducts(1024, kTask0);
  const Output one = Add("Const", {}, "", {{"dtype", DType::kFloat}, {"value", Tensor::Scalar(1.0F)}});
  m.node(one).colocate_with = m.node(y).name;
  Choose();
  EXPECT_EQ(DeviceAt(y), kGpu0);
  EXPECT_EQ(DeviceAt(one), kGpu0);
}

// A variable that is used by steps which are compiled one by one must be where all of them find it.
TEST_F(DeviceChoiceTest, StateMovesOnlyWithTheWholeGraph) {
  const AttrMap attrs = {{"dtype", DType::kFloat}, {"shape", Shape({1024, 1024})}};
  const Output variable = Add("VariableV2", {}, kTask0, attrs);
  const Output added = Add("AssignAdd", {variable, AddProducts(1024, kTask0)}, kTask0);
  Choose();
  EXPECT_EQ(DeviceAt(variable), kTask0);
  EXPECT_EQ(DeviceAt(added), kTask0);
  Choose({.with_state = true});
  EXPECT_EQ(DeviceAt(variable), kGpu0);
  EXPECT_EQ(DeviceAt(added), kGpu0);
}

TEST_F(DeviceChoiceTest, AConstantGoesWithItsReaders) {
  const Output y = AddProducts(1024, kTask0);
  Tensor ones(DType::kFloat, Shape({1024, 1024}));
  std::fill_n(ones.data<float>(), ones.num_elements(), 1.0F);
  const Output constant = Add("Const", {}, kTask0, {{"dtype", DType::kFloat}, {"value", ones}});
  Add("AddV2", {y, constant}, kTask0);
  Choose();
  EXPECT_EQ(DeviceAt(constant), kTask0);
  ASSERT_TRUE(PlaceGraph(m.graph, MixedCluster(), Kernels()).ok());
  EXPECT_EQ(DeviceAt(constant), kGpu0);
}

}  // namespace
}  // namespace dfrun
