// Tests of the promises of a device with memory and a stream of its own, on the test device.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "src/executor/build_plan.h"
#include "src/executor/executor.h"
#include "src/passes/prune.h"
#include "src/session/trace/step_trace.h"
#include "tests/device/sealed_device.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/tested_device.h"

namespace dfrun::testing {
namespace {

class DeviceTest : public ::testing::Test {
 protected:
  // A plan of the device that gives these values of the graph; feeds are vectors of 4 doubles.
  void Prepare(const std::vector<Output>& fetches, const std::vector<Output>& feeds) {
    RunSignature signature;
    signature.fetches = fetches;
    signature.feeds = feeds;
    signature.feed_shapes.assign(feeds.size(), PartialShape(Shape({4})));
    num_fetches_ = fetches.size();
    const Result<Graph> pruned = PruneForRun(maker_.graph, signature);
    ASSERT_TRUE(pruned.ok()) << pruned.status().ToString();
    Result<std::unique_ptr<ExecPlan>> plan = BuildPlan(*pruned, *device_, KernelRegistry::Builtin());
    ASSERT_TRUE(plan.ok()) << plan.status().ToString();
    plan_ = *std::move(plan);
  }
  Result<std::vector<Tensor>> Run(const std::vector<Tensor>& feeds, StepTrace* trace = nullptr) {
    std::vector<Tensor> fetches(num_fetches_);
    DF_TRY(RunPlan(*plan_, pool_, {.feeds = feeds, .fetches = fetches, .step = {}, .trace = trace}));
    return fetches;
  }

  const std::unique_ptr<Device> device_ = MakeDeviceOf("sealed");
  WorkerPool pool_{1};
  GraphMaker maker_;
  std::unique_ptr<ExecPlan> plan_;
  size_t num_fetches_ = 0;
};

using DeviceDeathTest = DeviceTest;

TEST_F(DeviceDeathTest, TheHostCannotReadItsMemory) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // the device has a thread
  const Tensor host = Tensor::Vector<float>({1, 2});
  const Result<Tensor> value = device_->ToOwnMemory(host);
  ASSERT_TRUE(value.ok());
  EXPECT_FALSE(IsHostMemory(value->memory()));
  const volatile float* const elements = value->data<float>();
  EXPECT_DEATH(static_cast<void>(*elements), "");
}

TEST_F(DeviceTest, CopiesInAllDirections) {
  const Tensor host = Tensor::Vector<int32_t>({3, 1, 4, 1, 5});
  Result<Tensor> first = device_->ToOwnMemory(host);
  ASSERT_TRUE(first.ok());
  const Result<Tensor> second = device_->Clone(*first, device_->allocator());
  ASSERT_TRUE(second.ok());
  first->Reset();  // enqueued work still reads it
  const Result<Tensor> back = device_->ToHostMemory(*second);
  ASSERT_TRUE(back.ok());
  EXPECT_TRUE(back->Identical(host));
  EXPECT_TRUE(device_->Synchronize().ok());
}

TEST_F(DeviceTest, StringsStayWithTheHost) {
  const Result<Tensor> value = device_->ToOwnMemory(Tensor::Scalar<std::string>("text"));
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(value->scalar<std::string>(), "text");
}

// Each sum takes the memory of an earlier one as soon as that has been enqueued, before it is done.
TEST_F(DeviceTest, MemoryIsUsedAgainInTheOrderOfTheStream) {
  constexpr int kNodes = 200;
  const Output x = maker_.Placeholder("x");
  Output sum = x;
  for (int i = 0; i < kNodes; ++i) sum = maker_.Add(StrCat("sum", i), "Add", {sum, x});
  Prepare({sum}, {x});
  for (int step = 1; step <= 20; ++step) {
    const double value = step;
    const auto fetched = Run({Tensor::Vector<double>({value, value, 0, -value})});
    ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
    const double expected = (kNodes + 1) * value;
    EXPECT_TRUE((*fetched)[0].Identical(Tensor::Vector<double>({expected, expected, 0, -expected})));
  }
}

// A dimension that a value of the device decides: the host argument is copied before its reader runs.
TEST_F(DeviceTest, HostArgumentsComeFromValuesOfTheDevice) {
  const Output x = maker_.Placeholder("x");
  const Output two = maker_.Add("two", "Cast", {maker_.Scalar<double>("double", 2)},
                                {{"SrcT", DType::kDouble}, {"DstT", DType::kInt32}});
  const Output shape = maker_.Add("shape", "Pack", {two, two}, {{"N", 2}, {"T", DType::kInt32}});
  Prepare({maker_.Add("y", "Reshape", {x, shape})}, {x});
  const auto fetched = Run({Tensor::Vector<double>({1, 2, 3, 4})});
  ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
  EXPECT_EQ((*fetched)[0].shape(), Shape({2, 2}));
}

// The host reads a variable after the update that the reader's other input follows.
TEST_F(DeviceTest, HostArgumentsThatAreVariablesAreReadWhenTheirReaderIsDue) {
  const Output x = maker_.Placeholder("x");
  const Output shape = maker_.Add("shape", "VariableV2", {}, {{"dtype", DType::kInt32}, {"shape", PartialShape({2})}});
  const Output update =
      maker_.Add("update", "Assign", {shape, maker_.Const("wanted", Tensor::Vector<int32_t>({2, 2}))});
  NodeSpec minus;
  minus.name = "minus";
  minus.op = "Neg";
  minus.inputs = {x};
  minus.control_inputs = {update.node};
  Prepare({maker_.Add("y", "Reshape", {maker_.Add(std::move(minus)), shape})}, {x});
  const auto fetched = Run({Tensor::Vector<double>({1, 2, 3, 4})});
  ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
  EXPECT_EQ((*fetched)[0].shape(), Shape({2, 2}));
}

// The work fails after the call that enqueued it. The step's error has the node's name, and the next step is not
// affected.
TEST_F(DeviceTest, AnErrorOfEnqueuedWorkIsTheSteps) {
  const Output x = maker_.Placeholder("x");
  const Output whole = maker_.Add("whole", "Cast", {x}, {{"SrcT", DType::kDouble}, {"DstT", DType::kInt32}});
  const Output ratio = maker_.Add("ratio", "FloorDiv", {whole, whole});
  Prepare({ratio}, {x});
  const auto failed = Run({Tensor::Vector<double>({1, 2, 0, 4})});
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.status().code(), Code::kInvalidArgument);
  EXPECT_NE(failed.status().ToString().find("node 'ratio' (op FloorDiv) on "), std::string::npos)
      << failed.status().ToString();
  const auto fetched = Run({Tensor::Vector<double>({1, 2, 3, 4})});
  ASSERT_TRUE(fetched.ok()) << fetched.status().ToString();
  EXPECT_TRUE((*fetched)[0].Identical(Tensor::Vector<int32_t>({1, 1, 1, 1})));
}

TEST_F(DeviceTest, TracesTellEnqueuedWorkApart) {
  const Output x = maker_.Placeholder("x");
  const Output shape = maker_.Const("shape", Tensor::Vector<int32_t>({2, 2}));
  Prepare({maker_.Add("y", "Reshape", {maker_.Add("minus", "Neg", {x}), shape})}, {x});
  StepTrace trace;
  ASSERT_TRUE(Run({Tensor::Vector<double>({1, 2, 3, 4})}, &trace).ok());
  const Trace taken = trace.Take();
  const std::vector<TraceRecord>& records = taken.records;
  const auto of_op = [&](const char* op) {
    return std::find_if(records.begin(), records.end(), [&](const TraceRecord& r) { return taken.node(r).op == op; });
  };
  ASSERT_NE(of_op("Neg"), records.end());
  EXPECT_TRUE(of_op("Neg")->is_enqueued);
  for (const char* copy : {"_CopyToDevice", "_CopyToHost"}) {
    ASSERT_NE(of_op(copy), records.end());
    EXPECT_TRUE(of_op(copy)->is_async);
    EXPECT_FALSE(of_op(copy)->is_enqueued);
  }
  EXPECT_EQ(of_op("_HostConst"), records.end()) << "a constant is there before the step";
}

}  // namespace
}  // namespace dfrun::testing
