// Conditionals and loops split over two devices of one process, their nodes on either at random, against the same graph
// on one device, bit by bit. The graphs are those that TensorFlow exported, its gradients included.
#include <gtest/gtest.h>

#include <filesystem>

#include "comm/in_process/in_process.h"
#include "kernels/device/cpu_device.h"
#include "src/executor/build_plan.h"
#include "src/framework/device/device_factory.h"
#include "src/graph/graph_def/graph_def.h"
#include "src/partition/partition.h"
#include "src/passes/prune.h"
#include "src/placement/placer.h"
#include "src/session/step_runner.h"
#include "tests/unit/testing/random_devices.h"

namespace dfrun {
namespace {

std::vector<std::string> GraphFiles() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("tests/golden/control_flow")) {
    if (entry.path().extension() == ".pb") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class FlowDevices : public ::testing::TestWithParam<std::string> {
 protected:
  // Returns the values of the node `result` in three steps.
  Result<std::vector<Tensor>> Run(int num_devices, uint64_t seed, int threads) {
    DeviceList devices;
    Cluster cluster;
    for (int i = 0; i < num_devices; ++i) {
      DF_ASSIGN(const DeviceName name, DeviceName::Parse(StrCat("/job:worker/task:0/device:cpu:", i)));
      DF_ASSIGN(std::unique_ptr<Device> device, MakeCpuDevice(name));
      devices.push_back(std::move(device));
      cluster.devices.push_back({name, 0});
    }
    WorkerPool pool(threads);
    StepRunner runner(pool, nullptr, "rank 0");
    LocalExecutable part;
    DF_TRY(Build(devices, cluster, seed, part));
    std::vector<Tensor> results;
    for (int64_t step = 0; step < 3; ++step) {
      Tensor fetch;
      StepRequest args;
      args.first_step = step;
      args.fetches = {&fetch, 1};
      DF_TRY(runner.Run(part, args));
      DF_ASSIGN(Tensor copy, fetch.Copy(SystemAllocator()));
      results.push_back(std::move(copy));
    }
    return results;
  }

 private:
  Status Build(const DeviceList& devices, const Cluster& cluster, uint64_t seed, LocalExecutable& part) {
    DF_ASSIGN(Graph graph, ReadGraphDefFile(GetParam()));
    DF_TRY(testing::PutOnRandomDevices(graph, cluster, seed));
    RunSignature signature;
    signature.fetches = {{graph.Find("result"), 0}};
    DF_ASSIGN(Graph pruned, PruneForRun(graph, signature));
    DF_TRY(PlaceGraph(pruned, cluster, KernelRegistry::Builtin()));
    int32_t next_channel = 0;
    DF_ASSIGN(const std::vector<Partition> partitions, PartitionGraph(pruned, cluster, &next_channel));
    for (const Partition& p : partitions) {
      const auto device = std::find_if(devices.begin(), devices.end(),
                                       [&](const auto& candidate) { return candidate->full_name() == p.device; });
      DF_ASSIGN(std::unique_ptr<ExecPlan> plan, BuildPlan(p.graph, **device, KernelRegistry::Builtin()));
      part.plans.push_back(std::move(plan));
    }
    part.communicator = communicator_.get();
    return Status();
  }

  const std::unique_ptr<Communicator> communicator_ = std::move(comm::ConnectInProcess(1)[0]);
};

TEST_P(FlowDevices, TwoDevicesGiveTheBitsOfOne) {
  const Result<std::vector<Tensor>> wanted = Run(1, 0, 1);
  ASSERT_TRUE(wanted.ok()) << wanted.status().ToString();
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const Result<std::vector<Tensor>> split = Run(2, seed, seed % 3 == 2 ? 3 : 1);
    ASSERT_TRUE(split.ok()) << "seed " << seed << ": " << split.status().ToString();
    for (size_t i = 0; i < wanted->size(); ++i) {
      EXPECT_TRUE((*split)[i].Identical((*wanted)[i]))
          << "seed " << seed << ", step " << i << ": " << (*split)[i].ToString(64) << " in place of "
          << (*wanted)[i].ToString(64);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Exported, FlowDevices, ::testing::ValuesIn(GraphFiles()),
                         [](const auto& info) { return std::filesystem::path(info.param).stem().string(); });

}  // namespace
}  // namespace dfrun
