#include "src/costs/cost_table.h"

#include <iterator>

#include "src/base/host/cpu_model.h"
#include "src/base/host/host_name.h"
#include "src/framework/device/device_speed.h"
#include "src/framework/device/device_types.h"

namespace dfrun {
namespace {

constexpr std::string_view kPairNames[] = {"same_device", "same_process", "same_host", "network"};
static_assert(std::size(kPairNames) == kPairClasses.size());

// Assumed where nothing is measured. On one device a value stays where it is; within a process another device takes a
// copy through the host's memory; then shared memory, and a network of 10 Gbit/s.
constexpr PairSpeed kAssumedPairs[] = {{1e-8, 1e15}, {1e-6, 1e10}, {5e-6, 5e9}, {3e-5, 1.2e9}};
static_assert(std::size(kAssumedPairs) == kPairClasses.size());
constexpr ExecutorSpeed kAssumedExecutor = {5e-8, 1e-8};

}  // namespace

std::string_view PairClassName(PairClass pair) {
  return kPairNames[static_cast<size_t>(pair)];
}

std::optional<PairClass> PairClassOfName(std::string_view name) {
  for (PairClass pair : kPairClasses) {
    if (PairClassName(pair) == name) return pair;
  }
  return {};
}

NodeSpeed CostTable::Node(std::string_view device_type, OpFamily family) const {
  const auto found = nodes_.find({std::string(device_type), family});
  if (found != nodes_.end()) return found->second;
  if (const auto assumed = assumed_.find(device_type); assumed != assumed_.end()) return assumed->second;
  const std::optional<DeviceSpeed> of_type = SpeedOf(device_type);
  const DeviceSpeed speed = of_type ? *of_type : *SpeedOf(HostDeviceType());
  return {speed.node_seconds, speed.flops, speed.bytes};
}

PairSpeed CostTable::Pair(PairClass pair) const {
  const auto found = pairs_.find(pair);
  return found != pairs_.end() ? found->second : kAssumedPairs[static_cast<size_t>(pair)];
}

ExecutorSpeed CostTable::Executor() const {
  return executor_.value_or(kAssumedExecutor);
}

const MeasuredCost* CostTable::Measured(std::string_view key) const {
  const auto found = measured_.find(key);
  return found == measured_.end() ? nullptr : &found->second;
}

void CostTable::SetNode(std::string_view device_type, OpFamily family, const NodeSpeed& speed) {
  nodes_[{std::string(device_type), family}] = speed;
}

void CostTable::SetMeasured(std::string_view key, MeasuredCost cost) {
  measured_.insert_or_assign(std::string(key), std::move(cost));
}

CostTable TableOfThisHost(int threads) {
  CostTable table;
  table.host = HostName();
  table.processor = CpuModel();
  table.threads = threads;
  return table;
}

}  // namespace dfrun
