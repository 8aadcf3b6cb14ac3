// Sparse gradients with equal rows, which the update sums itself, on emulated GPUs.
#include <gtest/gtest.h>

#include <cstdlib>

#include "src/framework/kernel/variable.h"
#include "tests/gpu/gpu_steps.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/random_tensor.h"
#include "tests/unit/testing/run_pass.h"
#include "tests/unit/testing/tested_device.h"

namespace dfrun::testing {
namespace {

constexpr int64_t kRows = 7;
constexpr int64_t kColumns = 5;
constexpr int64_t kPicked = 40;

class EqualRowsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("DFRUN_DEVICE_PARTS", DFRUN_EMULATED_PARTS, 1);
    MakeDeviceOf("gpu");  // loads the part, with its passes
  }

  Output VariableOf(const std::string& name) {
    const Shape shape({kRows, kColumns});
    const Output variable =
        maker_.Add(name, "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape(shape)}});
    const Output init =
        maker_.Add(name + "_init", "Assign", {variable, maker_.Const(name + "_first", RandomNormal<float>(shape, 1))});
    RunSignature signature;
    signature.targets = {init.node};
    const Status status = GpuSteps(*device_, maker_.graph, signature).Run().status();
    EXPECT_TRUE(status.ok()) << status.ToString();
    return variable;
  }

  // Adds the update in the form in which a training builds it.
  NodeId AddUpdate(const std::string& of, const Output& rows, const Output& values) {
    const auto name = [&](const char* part) { return of + "_" + part; };
    const Output zero = maker_.Const(name("zero"), Tensor::Vector<int32_t>({0}));
    const Output one = maker_.Const(name("one"), Tensor::Vector<int32_t>({1}));
    const Output unique = maker_.Add(name("unique"), "Unique", {rows});
    const Output shape = maker_.Add(name("shape"), "Shape", {unique});
    const Output count =
        maker_.Add(name("count"), "StridedSlice", {shape, zero, one, one}, {{"shrink_axis_mask", int64_t{1}}});
    const Output sums = maker_.Add(name("sums"), "UnsortedSegmentSum", {values, {unique.node, 1}, count});
    const Output variable = VariableOf(of);
    const Output momentum = VariableOf(name("momentum"));
    const Output rate = maker_.Scalar<float>(name("rate"), 0.1F);
    const Output decay = maker_.Scalar<float>(name("decay"), 0.9F);
    return maker_.Add(name("update"), "SparseApplyMomentum", {variable, momentum, rate, sums, unique, decay}).node;
  }

  Tensor ValueOf(const std::string& variable) {
    const Result<Tensor> value = device_->ToHostMemory(device_->containers().Lookup<Variable>("", variable)->value());
    EXPECT_TRUE(value.ok());
    return value.ok() ? *value : Tensor();
  }
  static Tensor Picked(int step) {
    Tensor rows(DType::kInt64, Shape({kPicked}));
    for (int64_t i = 0; i < kPicked; ++i) rows.data<int64_t>()[i] = (i * i + step) % (kRows - 1);
    return rows;
  }

  // Runs three steps of an update, with the pass or without it, and returns what was captured.
  std::string Train(const std::string& name, bool is_fused) {
    const PartialShape rows_shape(Shape({kPicked}));
    const PartialShape values_shape(Shape({kPicked, kColumns}));
    const Output rows = maker_.Placeholder(name + "_rows", rows_shape, DType::kInt64);
    const Output values = maker_.Placeholder(name + "_values", values_shape, DType::kFloat);
    RunSignature signature;
    signature.feeds = {rows, values};
    signature.feed_shapes = {rows_shape, values_shape};
    signature.targets = {AddUpdate(name, rows, maker_.Add(name + "_twice", "AddV2", {values, values}))};
    Graph graph = maker_.graph.Clone();
    if (is_fused) {
      const Status passed = RunPass("gpu/sum_equal_rows", graph);
      EXPECT_TRUE(passed.ok()) << passed.ToString();
      for (Output& feed : signature.feeds) feed.node = graph.Find(maker_.graph.node(feed.node).name);
      signature.targets = {graph.Find(name + "_update")};
    }
    GpuSteps steps(*device_, graph, signature);
    for (int step = 1; step <= 3; ++step) {
      const auto run =
          steps.Run({Picked(step), RandomNormal<float>(Shape({kPicked, kColumns}), static_cast<uint32_t>(step))});
      EXPECT_TRUE(run.ok()) << run.status().ToString();
    }
    return steps.text();
  }

  const std::unique_ptr<Device> device_ = MakeDeviceOf("gpu");
  GraphMaker maker_;
};

TEST_F(EqualRowsTest, AreSummedByTheUpdateWithTheSameBits) {
  const std::string apart = Train("apart", /*is_fused=*/false);
  const int64_t launches = CapturingDevice::Of(*device_)->counters().launches;
  const std::string fused = Train("fused", /*is_fused=*/true);
  EXPECT_EQ(CapturingDevice::Of(*device_)->counters().launches - launches, 2) << fused;
  EXPECT_NE(apart.find("not recorded"), std::string::npos) << apart;
  EXPECT_EQ(fused.find("not recorded"), std::string::npos) << fused;
  EXPECT_TRUE(ValueOf("fused").Identical(ValueOf("apart")));
  EXPECT_TRUE(ValueOf("fused_momentum").Identical(ValueOf("apart_momentum")));
}

// Other nodes read the sums too.
TEST_F(EqualRowsTest, ThatOthersReadAreSummedForThem) {
  const Output rows = maker_.Placeholder("rows", PartialShape(Shape({kPicked})), DType::kInt64);
  const Output values = maker_.Placeholder("values", PartialShape(Shape({kPicked, kColumns})), DType::kFloat);
  AddUpdate("w", rows, values);
  const Output sums = {maker_.Find("w_sums")->id, 0};
  maker_.Add("norm", "L2Loss", {sums});
  Graph graph = maker_.graph.Clone();
  ASSERT_TRUE(RunPass("gpu/sum_equal_rows", graph).ok());
  EXPECT_GE(graph.Find("w_unique"), 0);
}

}  // namespace
}  // namespace dfrun::testing
