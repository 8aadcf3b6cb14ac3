// Values for other ranks are in the host memory that the device was given for them, and other values are not.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "src/base/mutex.h"
#include "src/executor/build_plan.h"
#include "src/executor/executor.h"
#include "src/partition/partition.h"
#include "src/passes/prune.h"
#include "src/placement/placer.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

// Knows which addresses are its own.
class TracingAllocator final : public Allocator {
 public:
  std::string_view name() const override { return "tracing"; }
  void* Allocate(size_t bytes) override {
    void* const memory = SystemAllocator().Allocate(bytes);
    MutexLock lock(mu_);
    blocks_[static_cast<char*>(memory)] = bytes;
    return memory;
  }
  void Free(void* memory, size_t bytes) override { SystemAllocator().Free(memory, bytes); }
  AllocatorStats Stats() const override { return {}; }
  void ResetPeak() override {}
  // Returns whether the address is in one of this allocator's blocks, freed ones included.
  bool Owns(const void* address) {
    const char* const byte = static_cast<const char*>(address);
    MutexLock lock(mu_);
    return std::any_of(blocks_.begin(), blocks_.end(),
                       [&](const auto& block) { return byte >= block.first && byte < block.first + block.second; });
  }

 private:
  Mutex mu_;
  std::map<char*, size_t> blocks_ GUARDED_BY(mu_);
};

class TestDevice final : public Device {
 public:
  TestDevice(Allocator& own, Allocator& of_network)
      : Device(*DeviceName::Parse("/job:worker/task:0/device:cpu:0"), own, of_network) {}
};

// Gives zeros, and remembers where values lay.
class AddressRecorder final : public Rendezvous {
 public:
  void Send(const ChannelKey&, const Tensor& value, bool, Callback done) override {
    sent = value.raw();
    done(Status());
  }
  void Recv(const ChannelKey&, Allocator& allocator, Tensor* value, bool* is_dead, Callback done) override {
    if (!value->initialized()) *value = *Tensor::Allocate(allocator, DType::kDouble, Shape({3}));
    std::fill_n(value->data<double>(), value->num_elements(), 0.0);
    received = value->raw();
    if (is_dead != nullptr) *is_dead = false;
    done(Status());
  }
  void Abort(const Status&) override {}
  const void* sent = nullptr;
  const void* received = nullptr;
};

// Rank 0's part of minus(minus(minus(x))), whose second is on rank 1.
Result<Graph> MakePart(int64_t elements) {
  testing::GraphMaker g;
  const Output x = g.Placeholder("x", {elements});
  const Output there = g.Add("there", "Neg", {g.Add("here", "Neg", {x})});
  const Output back = g.Add("back", "Neg", {there});
  g.node(there).device = "/task:1";
  g.node(back).device = "/task:0";
  RunSignature signature;
  signature.feeds = {x};
  signature.feed_shapes = {PartialShape({elements})};
  signature.fetches = {back};
  DF_ASSIGN(Graph pruned, PruneForRun(g.graph, signature));
  DF_ASSIGN(const Cluster cluster, MakeCluster({}, 2));
  DF_TRY(PlaceGraph(pruned, cluster, KernelRegistry::Builtin()));
  int32_t channels = 0;
  DF_ASSIGN(std::vector<Partition> parts, PartitionGraph(pruned, cluster, &channels));
  return std::move(parts[0].graph);
}

class NetworkMemoryTest : public ::testing::TestWithParam<int64_t> {};

TEST_P(NetworkMemoryTest, HoldsWhatIsSentAndReceived) {
  TracingAllocator own;
  TracingAllocator of_network;
  TestDevice device(own, of_network);
  const Result<Graph> part = MakePart(GetParam());
  ASSERT_TRUE(part.ok()) << part.status().ToString();
  const auto plan = BuildPlan(*part, device, KernelRegistry::Builtin());
  ASSERT_TRUE(plan.ok()) << plan.status().ToString();
  WorkerPool pool(1);
  const int64_t elements = std::max<int64_t>(GetParam(), 3);
  const Tensor feed = *Tensor::Allocate(SystemAllocator(), DType::kDouble, Shape({elements}));
  std::vector<Tensor> fetches(1);
  AddressRecorder rendezvous;
  const Status status = RunPlan(
      **plan, pool, {.feeds = {&feed, 1}, .fetches = fetches, .step = {.step_id = 1, .rendezvous = &rendezvous}});
  ASSERT_TRUE(status.ok()) << status.ToString();
  EXPECT_TRUE(of_network.Owns(rendezvous.sent));
  EXPECT_TRUE(of_network.Owns(rendezvous.received));
  EXPECT_FALSE(own.Owns(rendezvous.sent));
}

// The sizes put values in the arena, by themselves, and (-1) in memory of a size that is not known.
INSTANTIATE_TEST_SUITE_P(Sizes, NetworkMemoryTest, ::testing::Values(8, 1 << 16, -1));

}  // namespace
}  // namespace dfrun
