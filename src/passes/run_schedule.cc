#include "src/passes/run_schedule.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "src/base/sort_unique.h"
#include "src/framework/device/device.h"
#include "src/framework/device/device_factory.h"
#include "src/graph/node_cost.h"
#include "src/graph/order/node_order.h"
#include "src/graph/order/participants.h"

namespace dfrun {
namespace {

constexpr double kMessageSeconds = 2e-5;
constexpr double kBytesPerSecond = 2e9;

constexpr int32_t kNone = -1;

int64_t NumberOf(const Node& node, std::string_view attr) {
  const Result<int64_t> number = node.attrs.Get<int64_t>(attr);
  return number.ok() ? *number : kNone;
}

int64_t ChannelOf(const Node& node) {
  return NumberOf(node, "channel");
}

int64_t GroupOf(const Node& node) {
  return NumberOf(node, "group");
}

// The speed of a partition's device. An unknown type counts as the host's: then other work is early, not late.
DeviceSpeed SpeedOfPartition(const Graph& graph) {
  const Result<DeviceName> device = DeviceName::Parse(graph.node(0).device);
  const std::optional<DeviceSpeed> speed = device.ok() && device->type ? SpeedOf(*device->type) : std::nullopt;
  return speed ? *speed : *SpeedOf(HostDeviceType());
}

// Returns 0 where it is not known.
int64_t TransferBytes(const Node& recv) {
  return StaticBytes(recv.output_types[0].dtype, recv.output_shapes[0]).value_or(0);
}

}  // namespace

std::optional<int64_t> StaticBytes(DType dtype, const PartialShape& shape) {
  if (!IsPlain(dtype) || !shape.IsFullyDefined()) return {};
  const Result<Shape> known = shape.ToShape();
  if (!known.ok()) return {};
  return known->num_elements() * static_cast<int64_t>(DTypeSize(dtype));
}

double TransferSeconds(int64_t bytes) {
  return kMessageSeconds + static_cast<double>(bytes) / kBytesPerSecond;
}

Result<RunSchedule> RunSchedule::Create(std::span<Graph* const> partitions) {
  RunSchedule schedule;
  schedule.AddItems(partitions);
  schedule.AddDependencies(partitions);
  DependencyOrder found = OrderByDependencies(schedule.before_);
  for (const int32_t item : found.cycle) {
    const Node at = schedule.NodeOf(item);
    if (at.partition == kNone) continue;
    return Internal(partitions[static_cast<size_t>(at.partition)]->Describe(at.id),
                    " would wait by way of another device for what waits for it");
  }
  schedule.order_ = std::move(found.order);
  schedule.FindSeconds(partitions);
  schedule.FindTimes();
  return schedule;
}

std::span<const int32_t> RunSchedule::Before(int32_t item) const {
  const auto begin = static_cast<size_t>(before_.begin[static_cast<size_t>(item)]);
  const auto end = static_cast<size_t>(before_.begin[static_cast<size_t>(item) + 1]);
  return {before_.before.data() + begin, end - begin};
}

void RunSchedule::AddItems(std::span<Graph* const> partitions) {
  std::vector<int64_t> groups;
  for (size_t p = 0; p < partitions.size(); ++p) {
    first_.push_back(static_cast<int32_t>(nodes_.size()));
    for (const dfrun::Node& node : partitions[p]->nodes()) {
      nodes_.push_back({static_cast<int32_t>(p), node.id});
      if (IsParticipant(node)) groups.push_back(GroupOf(node));
    }
  }
  SortUnique(groups);
  for (const int64_t group : groups) {
    groups_.emplace(group, static_cast<int32_t>(nodes_.size()));
    nodes_.push_back({kNone, kNone});
  }
}

void RunSchedule::AddDependencies(std::span<Graph* const> partitions) {
  sends_.assign(nodes_.size(), kNone);
  std::unordered_map<int64_t, int32_t> send_of;  // by channel
  std::vector<std::vector<int32_t>> needs(groups_.size());
  for (size_t p = 0; p < partitions.size(); ++p) {
    for (const dfrun::Node& node : partitions[p]->nodes()) {
      if (IsSend(node)) send_of.emplace(ChannelOf(node), ItemOf(static_cast<int32_t>(p), node.id));
    }
  }
  const auto first_group = static_cast<int32_t>(nodes_.size() - groups_.size());
  for (size_t p = 0; p < partitions.size(); ++p) {
    for (const dfrun::Node& node : partitions[p]->nodes()) {
      const size_t begin = before_.before.size();
      for (const Output input : node.inputs) before_.before.push_back(ItemOf(static_cast<int32_t>(p), input.node));
      for (const NodeId control : node.control_inputs) {
        before_.before.push_back(ItemOf(static_cast<int32_t>(p), control));
      }
      if (IsParticipant(node)) {
        const int32_t group = groups_.at(GroupOf(node));
        std::vector<int32_t>& all = needs[static_cast<size_t>(group - first_group)];
        all.insert(all.end(), before_.before.begin() + static_cast<std::ptrdiff_t>(begin), before_.before.end());
        before_.before.push_back(group);
      }
      if (const auto send = IsRecv(node) ? send_of.find(ChannelOf(node)) : send_of.end(); send != send_of.end()) {
        sends_[static_cast<size_t>(ItemOf(static_cast<int32_t>(p), node.id))] = send->second;
        before_.before.push_back(send->second);
      }
      before_.Close();
    }
  }
  for (const std::vector<int32_t>& all : needs) {
    before_.before.insert(before_.before.end(), all.begin(), all.end());
    before_.Close();
  }
}

void RunSchedule::FindSeconds(std::span<Graph* const> partitions) {
  for (const Graph* graph : partitions) {
    if (graph->num_nodes() == 0) continue;
    const DeviceSpeed speed = SpeedOfPartition(*graph);
    for (const dfrun::Node& node : graph->nodes()) {
      if (IsSend(node)) {
        seconds_.push_back(0);
      } else if (IsRecv(node)) {
        seconds_.push_back(TransferSeconds(TransferBytes(node)));
      } else {
        seconds_.push_back(NodeSeconds(NodeCost(*graph, node), speed));
      }
    }
  }
  seconds_.resize(nodes_.size(), 0);
}

void RunSchedule::FindTimes() {
  end_.assign(nodes_.size(), 0);
  double length = 0;
  for (const int32_t item : order_) {
    double begin = 0;
    for (const int32_t before : Before(item)) begin = std::max(begin, End(before));
    end_[static_cast<size_t>(item)] = begin + seconds_[static_cast<size_t>(item)];
    length = std::max(length, End(item));
  }
  latest_end_.assign(nodes_.size(), length);
  for (auto item = order_.rbegin(); item != order_.rend(); ++item) {
    for (const int32_t before : Before(*item)) {
      double& latest = latest_end_[static_cast<size_t>(before)];
      latest = std::min(latest, LatestBegin(*item));
    }
  }
}

}  // namespace dfrun
