#include "src/session/step_runner.h"

#include <gtest/gtest.h>

#include "comm/in_process/in_process.h"
#include "kernels/device/cpu_device.h"
#include "src/executor/build_plan.h"
#include "src/framework/device/device_factory.h"
#include "src/partition/partition.h"
#include "src/placement/placer.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;

// Two devices of one rank, between which values pass in memory.
class TwoDevices : public ::testing::TestWithParam<int> {
 protected:
  TwoDevices() : pool_(GetParam()), runner_(pool_, nullptr, "rank 0") {
    for (int task : {0, 1}) {
      const DeviceName name = *DeviceName::Parse(StrCat("/job:worker/task:", task, "/device:cpu:0"));
      devices_.push_back(*MakeCpuDevice(name));
      cluster_.devices.push_back({name, 0});
    }
  }

  std::unique_ptr<LocalExecutable> Build(GraphMaker& g) {
    const KernelRegistry& kernels = KernelRegistry::Builtin();
    EXPECT_TRUE(PlaceGraph(g.graph, cluster_, kernels).ok());
    int32_t next_channel = 0;
    Result<std::vector<Partition>> partitions = PartitionGraph(g.graph, cluster_, &next_channel);
    EXPECT_TRUE(partitions.ok()) << partitions.status().ToString();
    auto part = std::make_unique<LocalExecutable>();
    for (const Partition& p : *partitions) {
      Device& device = *devices_[p.device == devices_[0]->full_name() ? 0 : 1];
      Result<std::unique_ptr<ExecPlan>> plan = BuildPlan(p.graph, device, kernels);
      EXPECT_TRUE(plan.ok()) << plan.status().ToString();
      part->plans.push_back(*std::move(plan));
    }
    part->communicator = communicator_.get();
    return part;
  }

  const std::unique_ptr<Communicator> communicator_ = std::move(comm::ConnectInProcess(1)[0]);
  DeviceList devices_;
  Cluster cluster_;
  WorkerPool pool_;
  StepRunner runner_;
};

TEST_P(TwoDevices, ExchangeValues) {
  GraphMaker g;
  const Output x = g.Add("x", "_Arg", {}, {{"T", DType::kFloat}, {"index", 0}, {"shape", PartialShape({-1})}});
  const Output there = g.Add("there", "Neg", {x});
  const Output back = g.Add("back", "Add", {there, x});
  g.Add("out", "_Retval", {back}, {{"index", 0}});
  g.node(there).device = "/task:1";
  g.node(back).device = "/task:0";
  const std::unique_ptr<LocalExecutable> part = Build(g);
  ASSERT_EQ(part->plans.size(), 2u);
  const Tensor feed = Tensor::Vector<float>({1, 2, 3});
  for (int64_t step = 0; step < 50; ++step) {
    Tensor fetch;
    StepRequest args;
    args.first_step = step;
    args.feeds = {&feed, 1};
    args.fetches = {&fetch, 1};
    const Status status = runner_.Run(*part, args);
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_TRUE(fetch.Identical(Tensor::Vector<float>({0, 0, 0})));
  }
}

TEST_P(TwoDevices, AnErrorOfOneEndsTheOtherAndTheNextStepIsWhole) {
  GraphMaker g;
  const Output w = g.Add("w", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({2})}});
  const Output read = g.Add("read", "Neg", {w});
  const Output waits = g.Add("waits", "Neg", {read});
  GraphMaker init;
  const Output same = init.Add("w", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({2})}});
  const Output set = init.Add("set", "Assign", {same, init.Const("two", Tensor::Vector<float>({2, 2}))});
  for (Output o : {w, read}) g.node(o).device = "/task:1";
  for (Output o : {same, set}) init.node(o).device = "/task:1";
  g.node(waits).device = "/task:0";
  const std::unique_ptr<LocalExecutable> part = Build(g);
  ASSERT_EQ(part->plans.size(), 2u);
  for (int i = 0; i < 3; ++i) {
    const Status failed = runner_.Run(*part, {});
    EXPECT_EQ(failed.code(), Code::kFailedPrecondition);
    EXPECT_NE(failed.message().find("read"), std::string::npos) << failed.ToString();
  }
  EXPECT_TRUE(runner_.Run(*Build(init), {}).ok());
  const Status status = runner_.Run(*part, {});
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_TRUE(runner_.failure().ok());
}

INSTANTIATE_TEST_SUITE_P(Threads, TwoDevices, ::testing::Values(1, 3));

}  // namespace
}  // namespace dfrun
