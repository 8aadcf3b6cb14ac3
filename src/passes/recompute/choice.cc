#include "src/passes/recompute/choice.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "src/framework/device/device_factory.h"
#include "src/graph/node_cost.h"
#include "src/graph/order/ancestors.h"
#include "src/graph/order/live_values.h"
#include "src/passes/recompute/clones.h"
#include "src/passes/recompute/segments.h"

namespace dfrun {
namespace {

// The share of a step's time that may be added where no limit asks for more.
constexpr double kMaxAdded = 1.0 / 3;
// Peaks that differ by less count as equal: the way of less time is taken.
constexpr double kEqualPeaks = 1.05;
// Numbers of segments that are tried at most, since each way takes a copy of the graph.
constexpr int kMaxCounts = 12;

// A way to recompute, and what it comes to.
struct Way {
  std::vector<bool> chosen;
  int64_t peak_bytes = 0;
  double seconds = 0;
};

const DeviceSpeed& HostSpeed() {
  static const DeviceSpeed& speed = *new DeviceSpeed(*SpeedOf(HostDeviceType()));
  return speed;
}

std::vector<bool> RunsFor(const Graph& graph, const std::vector<Output>& wanted) {
  AncestorWalk walk(graph);
  for (const Output output : wanted) walk.Add(output.node);
  while (const Node* node = walk.Next()) walk.AddSources(*node);
  return std::move(walk).added();
}

// Whether the node computes no more than a pass over its bytes takes.
bool IsPassOverBytes(const Graph& graph, const Node& node) {
  const std::optional<OpCost> cost = NodeCost(graph, node);
  const DeviceSpeed& speed = HostSpeed();
  return cost && cost->flops / speed.flops <= (cost->bytes_read + cost->bytes_written) / speed.bytes;
}

bool PassesOn(const Graph& graph, NodeId id) {
  return !(OwnerOfBytes(graph, {id, 0}) == Output{id, 0});
}

// Finds the nodes of one way. A value's price is what a clone that reads it makes the step keep, in bytes, beside what
// it keeps in any case; the readers of a value share it.
class WayFinder {
 public:
  WayFinder(const Graph& graph, const GradientStep& step, const EarlyValues& values)
      : graph_(graph), step_(step), values_(values) {}

  // `begins`: of the segments after the first. All nodes of a segment may be chosen but for the last one's, whose
  // gradients come first: of these only those that are a pass over their bytes, if `with_last` is true.
  std::vector<bool> Find(const std::vector<int32_t>& begins, bool with_last) {
    begins_ = begins;
    with_last_ = with_last;
    chosen_.assign(static_cast<size_t>(graph_.num_nodes()), false);
    prices_.assign(chosen_.size(), 0);
    for (size_t place = 0; place < step_.num_early(); ++place) Visit(static_cast<int32_t>(place));
    return std::move(chosen_);
  }

 private:
  void Visit(int32_t place) {
    const NodeId id = step_.order()[static_cast<size_t>(place)];
    const Node& node = graph_.node(id);
    if (PassesOn(graph_, id)) {
      const auto source = static_cast<size_t>(node.inputs[0].node);
      chosen_[static_cast<size_t>(id)] = chosen_[source] && step_.MayRecompute(id);
      prices_[static_cast<size_t>(id)] = prices_[source];
      return;
    }
    const int64_t bytes = values_.Bytes(id);
    if (bytes == 0) return;
    const bool is_late = values_.IsReadLate(id);
    const int64_t price = MayChoose(place) ? PriceOfInputs(node) : bytes;
    chosen_[static_cast<size_t>(id)] = price < bytes;
    const int64_t of_itself = bytes / std::max<int64_t>(1, values_.LargeReaders(id));
    prices_[static_cast<size_t>(id)] = is_late ? 0 : price < bytes ? price : of_itself;
  }

  bool MayChoose(int32_t place) const {
    const NodeId id = step_.order()[static_cast<size_t>(place)];
    if (!step_.MayRecompute(id)) return false;
    const auto end = std::upper_bound(begins_.begin(), begins_.end(), place);
    if (end == begins_.end()) return with_last_ && IsPassOverBytes(graph_, graph_.node(id));
    return values_.LastEarlyReader(id) < *end;  // values that the next segments read are kept
  }

  int64_t PriceOfInputs(const Node& node) const {
    std::set<NodeId> sources;
    for (const Output input : node.inputs) sources.insert(input.node);
    int64_t price = 0;
    for (const NodeId source : sources) price += prices_[static_cast<size_t>(source)];
    return price;
  }

  const Graph& graph_;
  const GradientStep& step_;
  const EarlyValues& values_;
  std::vector<int32_t> begins_;
  bool with_last_ = false;
  std::vector<bool> chosen_;  // by node, as the next one
  std::vector<int64_t> prices_;
};

// Finds what a way comes to, on a copy of the graph.
Result<Way> Try(const Graph& graph, const GradientStep& step, std::vector<bool> chosen) {
  Graph copy = graph.Clone();
  DF_TRY(CloneForGradients(step, chosen, copy).status());
  const std::vector<bool> runs = RunsFor(copy, step.wanted());
  const std::vector<NodeId> order = RunOrder(copy, runs);
  Way way = {.chosen = std::move(chosen),
             .peak_bytes = LiveBytesOf(copy, order, {.kept = step.wanted()}).total(),
             .seconds = 0};
  for (const NodeId id : order) way.seconds += NodeSeconds(NodeCost(copy, copy.node(id)), HostSpeed());
  return way;
}

// Numbers of segments from 1 to about twice the square root, closer together where they are small.
std::vector<int> SegmentCounts(int num_kept) {
  const int most = static_cast<int>(std::ceil(2 * std::sqrt(static_cast<double>(num_kept))));
  std::vector<int> counts;
  const double ratio = std::max(1.0, std::pow(static_cast<double>(most), 1.0 / (kMaxCounts - 1)));
  double next = 1;
  for (int count = 1; count <= most && static_cast<int>(counts.size()) < kMaxCounts;) {
    counts.push_back(count);
    next = std::max(next * ratio, count + 1.0);
    count = static_cast<int>(next);
  }
  return counts;
}

// The first way is to recompute nothing.
const Way& Best(const std::vector<Way>& ways, int64_t limit_bytes) {
  const double most_seconds = ways[0].seconds * (1 + kMaxAdded);
  const auto may_be = [&](const Way& way) { return limit_bytes > 0 || way.seconds <= most_seconds; };
  int64_t least = ways[0].peak_bytes;
  for (const Way& way : ways) least = may_be(way) ? std::min(least, way.peak_bytes) : least;
  const int64_t about_least = limit_bytes > 0 ? least : static_cast<int64_t>(static_cast<double>(least) * kEqualPeaks);
  const int64_t enough = std::max(limit_bytes, about_least);
  const Way* best = nullptr;
  for (const Way& way : ways) {
    if (!may_be(way) || way.peak_bytes > enough) continue;
    if (best == nullptr || way.seconds < best->seconds) best = &way;
  }
  return *best;
}

}  // namespace

Result<std::vector<bool>> ChooseRecomputed(const Graph& graph, const GradientStep& step, int64_t limit_bytes) {
  const EarlyValues values(graph, step);
  WayFinder finder(graph, step, values);
  std::vector<Way> ways;
  DF_ASSIGN(Way none, Try(graph, step, std::vector<bool>(static_cast<size_t>(graph.num_nodes()), false)));
  ways.push_back(std::move(none));
  for (const int count : SegmentCounts(values.num_kept())) {
    for (const bool with_last : {false, true}) {
      DF_ASSIGN(Way way, Try(graph, step, finder.Find(values.SegmentBegins(count), with_last)));
      ways.push_back(std::move(way));
    }
  }
  return Best(ways, limit_bytes).chosen;
}

std::vector<bool> ChooseNamed(const Graph& graph, const GradientStep& step, const std::vector<NamePattern>& patterns) {
  std::vector<bool> chosen(static_cast<size_t>(graph.num_nodes()), false);
  for (size_t place = 0; place < step.num_early(); ++place) {
    const Node& node = graph.node(step.order()[place]);
    if (!step.MayRecompute(node.id)) continue;
    const bool is_named = std::any_of(patterns.begin(), patterns.end(),
                                      [&](const NamePattern& pattern) { return pattern.Matches(node.name); });
    const bool passes_on = PassesOn(graph, node.id) && chosen[static_cast<size_t>(node.inputs[0].node)];
    chosen[static_cast<size_t>(node.id)] = is_named || passes_on;
  }
  return chosen;
}

}  // namespace dfrun
