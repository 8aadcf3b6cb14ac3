#include "src/passes/recompute/segments.h"

#include <algorithm>

#include "src/graph/order/live_values.h"

namespace dfrun {
namespace {

// The node's own bytes that a step takes and gives back.
int64_t OwnBytes(const Graph& graph, const Node& node) {
  if (node.op->name == "Const") return 0;
  int64_t bytes = 0;
  for (int32_t port = 0; port < node.num_outputs(); ++port) {
    const Output output{node.id, port};
    if (!(OwnerOfBytes(graph, output) == output)) continue;
    const int64_t own = BytesOfOutput(graph, output);
    bytes += own > kMaxArenaBytes ? own : 0;
  }
  return bytes;
}

}  // namespace

EarlyValues::EarlyValues(const Graph& graph, const GradientStep& step)
    : bytes_(static_cast<size_t>(graph.num_nodes()), 0),
      is_read_late_(bytes_.size(), false),
      last_reader_(bytes_.size(), -1),
      large_readers_(bytes_.size(), 0) {
  for (size_t place = 0; place < step.num_early(); ++place) {
    const Node& node = graph.node(step.order()[place]);
    bytes_[static_cast<size_t>(node.id)] = OwnBytes(graph, node);
  }
  FindReaders(graph, step);
  FindPassing(step);
}

void EarlyValues::FindReaders(const Graph& graph, const GradientStep& step) {
  for (size_t place = 0; place < step.order().size(); ++place) {
    for (const Output input : graph.node(step.order()[place]).inputs) {
      if (!input.valid()) continue;
      const auto owner = static_cast<size_t>(OwnerOfBytes(graph, input).node);
      if (place < step.num_early()) {
        if (last_reader_[owner] < static_cast<int32_t>(place) && Bytes(step.order()[place]) > 0)
          ++large_readers_[owner];
        last_reader_[owner] = static_cast<int32_t>(place);
      } else {
        is_read_late_[owner] = true;
      }
    }
  }
}

void EarlyValues::FindPassing(const GradientStep& step) {
  passing_.assign(step.num_early() + 1, 0);
  kept_.assign(step.num_early() + 1, 0);
  for (size_t place = 0; place < step.num_early(); ++place) {
    const NodeId id = step.order()[place];
    const int64_t bytes = Bytes(id);
    const bool is_kept = bytes > 0 && IsReadLate(id) && step.MayRecompute(id);
    kept_[place + 1] = kept_[place] + (is_kept ? bytes : 0);
    num_kept_ += is_kept ? 1 : 0;
    if (LastEarlyReader(id) < 0) continue;
    passing_[place + 1] += bytes;
    passing_[static_cast<size_t>(LastEarlyReader(id)) + 1] -= bytes;
  }
  for (size_t place = 1; place < passing_.size(); ++place) passing_[place] += passing_[place - 1];
}

std::vector<int32_t> EarlyValues::SegmentBegins(int count) const {
  std::vector<int32_t> begins;
  const double share = static_cast<double>(kept_.back()) / count;
  for (int i = 1; i < count; ++i) {
    const auto near = [&](double of_share) {
      return std::lower_bound(kept_.begin(), kept_.end(), static_cast<int64_t>(share * of_share)) - kept_.begin();
    };
    const auto distance = [&](std::ptrdiff_t place) {
      return std::abs(static_cast<double>(kept_[static_cast<size_t>(place)]) - share * i);
    };
    std::ptrdiff_t best = near(i);
    for (std::ptrdiff_t place = near(i - 0.5); place < near(i + 0.5); ++place) {
      const int64_t passing = passing_[static_cast<size_t>(place)];
      const int64_t least = passing_[static_cast<size_t>(best)];
      if (passing < least || (passing == least && distance(place) < distance(best))) best = place;
    }
    if (begins.empty() || best > begins.back()) begins.push_back(static_cast<int32_t>(best));
  }
  return begins;
}

}  // namespace dfrun
