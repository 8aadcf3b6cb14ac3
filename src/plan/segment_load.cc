#include "src/plan/segment_load.h"

#include <algorithm>
#include <limits>

#include "src/plan/min_cut.h"

namespace dfrun {
namespace {

constexpr double kNoCut = std::numeric_limits<double>::infinity();
constexpr int kMaxPrices = 6;

// The load of a set and its bytes.
struct LoadedSet {
  double load = 0;
  double bytes = 0;
};

// The sets as sides of cuts: a group is on the source's side where it is in the set. The price of a byte is a Lagrange
// multiplier: the least of load(S) + price * (bytes(S) - memory) over all S is at most the least load of those that
// fit, for any price >= 0.
class SegmentLoad {
 public:
  SegmentLoad(const PlacementProblem& problem, const PathSegment& segment, const std::vector<bool>& outside)
      : problem_(problem), segment_(segment), side_(problem.num_groups(), kFree) {
    for (const int v : segment.nodes()) side_[problem.nodes()[v].group] = MinCut::kSource;
    for (int g = 0; g < problem.num_groups(); ++g) {
      if (side_[g] == kFree && MustBeOutside(problem.groups()[g], outside)) side_[g] = MinCut::kSink;
    }
    for (int v = 0; v < problem.num_nodes(); ++v) {
      if (problem.nodes()[v].output_cost > 0 && Matters(v)) sources_.push_back(v);
    }
  }

  double Solve() {
    LoadedSet heavy;  // a set of more bytes than fit
    double best = Cut(0, &heavy);
    if (heavy.bytes <= memory()) return best;
    LoadedSet light{kNoCut, segment_.bytes()};  // one that fits
    light.load = LoadOfSegment();
    for (int i = 0; i < kMaxPrices && heavy.bytes > light.bytes; ++i) {
      const double price = (light.load - heavy.load) / (heavy.bytes - light.bytes);
      if (price <= 0) break;
      LoadedSet found;
      const double value = Cut(price, &found);
      best = std::max(best, value);
      const double line = light.load + price * (light.bytes - memory());
      if (value >= line - 1e-9 * line) break;
      (found.bytes > memory() ? heavy : light) = found;
    }
    return best;
  }

 private:
  static constexpr int kFree = -1;

  double memory() const { return problem_.devices().accelerator_bytes; }

  bool MustBeOutside(const PlacementGroup& group, const std::vector<bool>& outside) const {
    return !group.runs_on_accelerator || group.bytes + segment_.bytes() > memory() ||
           std::any_of(group.nodes.begin(), group.nodes.end(), [&](int v) { return outside[v]; });
  }
  int Side(int node) const { return side_[problem_.nodes()[node].group]; }

  // True if the output of the node may cross the border of the set.
  bool Matters(int node) const {
    const std::vector<int>& readers = problem_.successors(node);
    return std::any_of(readers.begin(), readers.end(),
                       [&](int reader) { return Side(reader) == kFree || Side(reader) != Side(node); });
  }

  // Returns the least load plus the priced bytes, and sets what the set is without the price.
  double Cut(double price, LoadedSet* set) const {
    MinCut network;
    std::vector<int> vertex = side_;
    for (int g = 0; g < problem_.num_groups(); ++g) {
      if (side_[g] != kFree) continue;
      vertex[g] = network.AddVertex();
      network.AddEdge(vertex[g], MinCut::kSink,
                      problem_.groups()[g].accelerator_time + price * problem_.groups()[g].bytes);
    }
    for (const int u : sources_) AddSource(network, vertex, u);
    const double flow = network.Solve();
    set->bytes = segment_.bytes();
    for (int g = 0; g < problem_.num_groups(); ++g) {
      if (side_[g] == kFree && network.OnSourceSide(vertex[g])) set->bytes += problem_.groups()[g].bytes;
    }
    const double value = segment_.time() + flow + price * (segment_.bytes() - memory());
    set->load = value - price * (set->bytes - memory());
    return value;
  }

  // The cost of an output that is read outside is cut before the vertex `left`, which is outside if any reader is. That
  // of one which comes from outside is cut behind the vertex `entered`, which is inside if any reader is.
  void AddSource(MinCut& network, const std::vector<int>& vertex, int u) const {
    const int at = vertex[problem_.nodes()[u].group];
    const double cost = problem_.nodes()[u].output_cost;
    const int left = at == MinCut::kSink ? -1 : network.AddVertex();
    const int entered = at == MinCut::kSource ? -1 : network.AddVertex();
    if (left >= 0) network.AddEdge(at, left, cost);
    if (entered >= 0) network.AddEdge(entered, at, cost);
    for (const int reader : problem_.successors(u)) {
      const int to = vertex[problem_.nodes()[reader].group];
      if (to == at) continue;
      if (left >= 0) network.AddEdge(left, to, kNoCut);
      if (entered >= 0) network.AddEdge(to, entered, kNoCut);
    }
  }

  double LoadOfSegment() const {
    double load = segment_.time();
    for (const int u : sources_) {
      const std::vector<int>& readers = problem_.successors(u);
      const bool inside = segment_.Has(u);
      if (std::any_of(readers.begin(), readers.end(), [&](int r) { return segment_.Has(r) != inside; })) {
        load += problem_.nodes()[u].output_cost;
      }
    }
    return load;
  }

  const PlacementProblem& problem_;
  const PathSegment& segment_;
  std::vector<int> side_;     // by group: the source, the sink or free
  std::vector<int> sources_;  // nodes whose outputs may cross the border
};

}  // namespace

double LeastLoad(const PlacementProblem& problem, const PathSegment& segment, const std::vector<bool>& outside) {
  return SegmentLoad(problem, segment, outside).Solve();
}

}  // namespace dfrun
