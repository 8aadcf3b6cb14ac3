#include "src/plan/path_bound.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "src/plan/path_segment.h"
#include "src/plan/segment_load.h"

namespace dfrun {
namespace {

constexpr double kImpossible = std::numeric_limits<double>::infinity();

constexpr int kMaxRefined = 3000;

// The proof. Take any placement, and cut the path where its device changes. No invocation is left and entered again, so
// that each piece on an accelerator is a segment with an accelerator of its own; its first node starts no earlier than
// the piece before has finished, and it takes the load of that accelerator. That accelerator has the members of
// PathSegment. It has neither a node that leads to the node before the segment, nor one to which the node behind the
// segment leads: else, by contiguity, those neighbours would be inside. So its load is at least the time of the members
// with the outputs that surely cross, and at least LeastLoad(). A node on a CPU takes its own time. The sum over the
// pieces is at most the latency, and the shortest way along the path takes the least sum over all ways to cut it.
//
// LeastLoad() takes long, so that only the segments of the shortest way are computed by it, until that way has no
// other.
class PathCut {
 public:
  PathCut(const PlacementProblem& problem, const NodeReach& reach, const std::vector<int>& path)
      : problem_(problem), reach_(reach), path_(path), last_reader_(problem.num_nodes(), -1) {
    FindFirstBelow();
    FindLastReaders();
  }

  double Solve() {
    if (problem_.devices().accelerators > 0) {
      for (int start = 0; start < length(); ++start) CutFrom(start);
    }
    std::vector<Segment*> way = ShortestWay();
    for (int refined = 0; refined < kMaxRefined;) {
      const int before = refined;
      for (Segment* segment : way) {
        if (!segment->refined) ++refined;
        Refine(*segment);
      }
      if (refined == before) break;
      way = ShortestWay();
    }
    return best_[length()];
  }

 private:
  struct Segment {
    int start;
    int end;
    double time;
    bool refined;
  };

  int length() const { return static_cast<int>(path_.size()); }

  // Computes the least times of the path's first nodes. Returns the segments of the shortest way.
  std::vector<Segment*> ShortestWay() {
    best_.assign(length() + 1, kImpossible);
    best_[0] = 0;
    std::vector<Segment*> last(length() + 1, nullptr);
    size_t next = 0;  // segments are in the order of their starts
    for (int start = 0; start < length(); ++start) {
      if (problem_.devices().cpus > 0) Offer(start, start + 1, problem_.nodes()[path_[start]].cpu_time, nullptr, last);
      for (; next < segments_.size() && segments_[next].start == start; ++next) {
        Offer(start, segments_[next].end, segments_[next].time, &segments_[next], last);
      }
    }
    std::vector<Segment*> way;
    for (int end = length(); end > 0 && best_[length()] < kImpossible;) {
      if (last[end] != nullptr) way.push_back(last[end]);
      end = last[end] == nullptr ? end - 1 : last[end]->start;
    }
    return way;
  }

  void Offer(int start, int end, double time, Segment* segment, std::vector<Segment*>& last) {
    if (best_[start] + time >= best_[end]) return;
    best_[end] = best_[start] + time;
    last[end] = segment;
  }

  void Refine(Segment& segment) {
    if (segment.refined) return;
    segment.refined = true;
    PathSegment members(problem_, reach_);
    for (int i = segment.start; i < segment.end; ++i) members.Add(path_[i]);
    std::vector<bool> outside(problem_.num_nodes());
    for (int v = 0; v < problem_.num_nodes(); ++v) {
      outside[v] = first_below_[v] < segment.start || last_above_[v] >= segment.end;
    }
    segment.time = std::max(segment.time, LeastLoad(problem_, members, outside));
  }

  // A node's place: the first node of the path to which it leads; the path's length where there is none.
  void FindFirstBelow() {
    first_below_.assign(problem_.num_nodes(), length());
    for (int i = length() - 1; i >= 0; --i) {
      for (int v = 0; v < problem_.num_nodes(); ++v) {
        if (HasBit(reach_.ancestors(path_[i]), v)) first_below_[v] = i;
      }
    }
  }

  // The last node of the path that leads to one of the node's readers, or is one; -1 where there is none.
  void FindLastReaders() {
    last_above_.assign(problem_.num_nodes(), -1);
    for (int i = 0; i < length(); ++i) {
      for (int v = 0; v < problem_.num_nodes(); ++v) {
        if (HasBit(reach_.descendants(path_[i]), v)) last_above_[v] = i;
      }
    }
    for (int v = 0; v < problem_.num_nodes(); ++v) {
      for (const int reader : problem_.successors(v)) last_reader_[v] = std::max(last_reader_[v], last_above_[reader]);
    }
  }

  // Adds all segments from `start` on, with the time of their members and the outputs that surely cross.
  void CutFrom(int start) {
    PathSegment segment(problem_, reach_);
    std::vector<bool> pays_for(problem_.num_nodes());
    double inputs = 0;
    size_t seen = 0;
    for (int end = start + 1; end <= length(); ++end) {
      segment.Add(path_[end - 1]);
      if (!segment.RunsOnAccelerator() || (start > 0 && segment.Has(path_[start - 1]))) return;
      for (; seen < segment.nodes().size(); ++seen) {
        for (const int source : problem_.predecessors(segment.nodes()[seen])) {
          if (first_below_[source] >= start || pays_for[source]) continue;
          pays_for[source] = true;
          inputs += problem_.nodes()[source].output_cost;
        }
      }
      if (end < length() && segment.Has(path_[end])) continue;
      segments_.push_back({start, end, segment.time() + inputs + Outputs(segment, end), false});
    }
  }

  double Outputs(const PathSegment& segment, int end) const {
    double outputs = 0;
    for (const int v : segment.nodes()) {
      if (last_reader_[v] >= end) outputs += problem_.nodes()[v].output_cost;
    }
    return outputs;
  }

  const PlacementProblem& problem_;
  const NodeReach& reach_;
  const std::vector<int>& path_;
  std::vector<int> first_below_;
  std::vector<int> last_reader_;
  std::vector<int> last_above_;
  std::vector<Segment> segments_;
  std::vector<double> best_;  // by the number of the path's nodes that have run
};

// The path with the largest sum of weights.
std::vector<int> HeaviestPath(const PlacementProblem& problem,
                              const std::function<double(const PlacementNode&)>& weight) {
  std::vector<double> sum(problem.num_nodes());
  std::vector<int> before(problem.num_nodes(), -1);
  int last = problem.order()[0];
  for (const int v : problem.order()) {
    for (const int p : problem.predecessors(v)) {
      if (before[v] < 0 || sum[p] > sum[before[v]]) before[v] = p;
    }
    sum[v] = weight(problem.nodes()[v]) + (before[v] < 0 ? 0 : sum[before[v]]);
    if (problem.successors(v).empty() && (!problem.successors(last).empty() || sum[v] > sum[last])) last = v;
  }
  std::vector<int> path;
  for (int v = last; v >= 0; v = before[v]) path.push_back(v);
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace

double PathBound(const PlacementProblem& problem, const NodeReach& reach, const std::vector<int>& path) {
  return PathCut(problem, reach, path).Solve();
}

std::vector<std::vector<int>> HeavyPaths(const PlacementProblem& problem) {
  std::vector<std::vector<int>> paths;
  paths.push_back(HeaviestPath(problem, [](const PlacementNode& node) { return node.accelerator_time; }));
  paths.push_back(HeaviestPath(problem, [](const PlacementNode& node) { return node.cpu_time; }));
  paths.push_back(HeaviestPath(problem, [](const PlacementNode& node) { return node.output_cost; }));
  paths.push_back(HeaviestPath(problem, [](const PlacementNode& node) { return node.bytes; }));
  paths.push_back(HeaviestPath(problem, [](const PlacementNode&) { return 1; }));
  return paths;
}

}  // namespace dfrun
