// Tests of the GPU device on emulated GPUs: the promises of src/framework/device/device.h, and the errors of its
// kernels.
#include <gtest/gtest.h>

#include <cstdlib>

#include "src/framework/device/device_factory.h"
#include "src/framework/kernel/kernel_registry.h"
#include "src/framework/op/arithmetic.h"
#include "src/framework/op/op.h"
#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/random_tensor.h"
#include "tests/unit/testing/tested_device.h"

namespace dfrun::testing {
namespace {

constexpr char kType[] = "gpu";

class EmulatedDeviceTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("DFRUN_DEVICE_PARTS", DFRUN_EMULATED_PARTS, 1);
    MakeDeviceOf(kType);  // loads the part, with its kernels
  }
};

TEST_F(EmulatedDeviceTest, CopiesInAllDirections) {
  const std::unique_ptr<Device> device = MakeDeviceOf(kType);
  const Tensor host = Tensor::Vector<int32_t>({3, 1, 4, 1, 5});
  Result<Tensor> first = device->ToOwnMemory(host);
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(IsHostMemory(first->memory()));
  const Result<Tensor> second = device->Clone(*first, device->allocator());
  ASSERT_TRUE(second.ok());
  first->Reset();
  const Result<Tensor> back = device->ToHostMemory(*second);
  ASSERT_TRUE(back.ok());
  EXPECT_TRUE(back->Identical(host));
  EXPECT_EQ(back->memory(), MemoryKind::kPinned);
  EXPECT_TRUE(device->Synchronize().ok());
}

// More than fits into a piece of what the GPU fetches while the host copies, by less than another.
TEST_F(EmulatedDeviceTest, CopiesLargeValuesOfTheHost) {
  const std::unique_ptr<Device> device = MakeDeviceOf(kType);
  const Tensor host = RandomNormal<float>(Shape({(9 << 20) / 4 + 1}), 7);
  ASSERT_EQ(host.memory(), MemoryKind::kHost);
  const Result<Tensor> there = device->ToOwnMemory(host);
  ASSERT_TRUE(there.ok());
  const Result<Tensor> back = device->ToHostMemory(*there);
  ASSERT_TRUE(back.ok());
  EXPECT_TRUE(back->Identical(host));
}

// The host does not see the divisor: the step ends with the refusal, once, and the next is told nothing.
TEST_F(EmulatedDeviceTest, AKernelRefusesWhenTheStepEnds) {
  NodeRunner runner(kType);
  const Tensor x = Tensor::Vector<int32_t>({6, 8});
  const auto failed = runner.Run(NodeRunner::Way::kStaticShapes, "FloorDiv", {}, {x, Tensor::Vector<int32_t>({3, 0})});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.status().code(), Code::kInvalidArgument);
  EXPECT_NE(failed.status().ToString().find("node 'node' (op FloorDiv): Integer division by zero"), std::string::npos)
      << failed.status().ToString();
  const auto quotient =
      runner.Run(NodeRunner::Way::kStaticShapes, "FloorDiv", {}, {x, Tensor::Vector<int32_t>({3, 5})});
  ASSERT_TRUE(quotient.ok()) << quotient.status().ToString();
  EXPECT_TRUE((*quotient)[0].Identical(Tensor::Vector<int32_t>({2, 1})));
}

// A fused convolution has the bits of its separate ops, and the freedoms that a node gives its kernel change none
// without the libraries.
TEST_F(EmulatedDeviceTest, AFusedConvolutionHasTheBitsOfItsOps) {
  NodeRunner runner(kType);
  const auto run = [&](const char* op, const AttrMap& attrs, const std::vector<Input>& inputs) {
    auto outputs = runner.Run(NodeRunner::Way::kStaticShapes, op, attrs, inputs);
    EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
    return outputs.ok() ? (*outputs)[0] : Tensor();
  };
  const Tensor x = RandomNormal<float>(Shape({2, 5, 6, 3}), 1);
  const Tensor filter = RandomNormal<float>(Shape({3, 3, 3, 4}), 2);
  const Tensor bias = RandomNormal<float>(Shape({4}), 3);
  AttrMap attrs = {{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", "SAME"}};
  const Tensor biased = run("BiasAdd", {}, {run("Conv2D", attrs, {x, filter}), bias});
  attrs.Set("num_args", int64_t{1});
  Arithmetic{.tf32 = true, .deterministic = false}.SetOn(attrs);
  attrs.Set("fused_ops", std::vector<std::string>{"BiasAdd"});
  EXPECT_TRUE(run("_FusedConv2D", attrs, {x, filter, bias}).Identical(biased));
  attrs.Set("fused_ops", std::vector<std::string>{"BiasAdd", "Relu"});
  EXPECT_TRUE(run("_FusedConv2D", attrs, {x, filter, bias}).Identical(run("Relu", {}, {biased})));
}

// Every GPU kernel is for dtypes that its op has, and the CPU has a kernel there too, to which a graph can fall back.
// Ops that only captured subgraphs have, or that passes make in a GPU's part of a graph, need none.
TEST_F(EmulatedDeviceTest, EveryKernelIsOfAnOpThatCpusHave) {
  const KernelRegistry& kernels = KernelRegistry::Builtin();
  int count = 0;
  for (const OpDef* op : OpRegistry::Builtin().List()) {
    const std::string& name = op->name;
    for (const KernelDef* def : kernels.List(name)) {
      const bool is_of_pass = op->doc.find("made when a graph is optimised") != std::string::npos;
      if (def->device_type != kType || name.starts_with("_Device") || is_of_pass) continue;
      ++count;
      AttrMap attrs;
      if (!def->attr.empty()) attrs.Set(std::string(def->attr), def->dtype);
      EXPECT_TRUE(kernels.Find(name, HostDeviceType(), attrs).ok()) << name << " " << def->attr << "=" << def->dtype;
      for (const std::string_view argument : def->host_inputs) EXPECT_FALSE(argument.empty()) << name;
    }
  }
  EXPECT_GT(count, 1000);
}

}  // namespace
}  // namespace dfrun::testing
