// A least cut of a directed network, by Dinic's algorithm (1970).
//
// Thread safety: none.
#ifndef DFRUN_SRC_PLAN_MIN_CUT_H_
#define DFRUN_SRC_PLAN_MIN_CUT_H_

#include <cstddef>
#include <vector>

namespace dfrun {

class MinCut {
 public:
  static constexpr int kSource = 0;
  static constexpr int kSink = 1;

  // Returns the new vertex.
  int AddVertex();
  // Capacities are not negative; infinity makes an edge that no cut takes.
  void AddEdge(int from, int to, double capacity);
  // Returns the value of a flow, which no cut is below. Without rounding it is the least cut. Call it once. The source
  // and the sink must be joined by no path of infinite capacity.
  double Solve();
  // After Solve(): true if the vertex is on the source's side of a least cut.
  bool OnSourceSide(int vertex) const { return level_[vertex] >= 0; }

 private:
  struct Edge {
    int to;
    double left;  // the capacity that no flow takes
  };

  bool FindLevels();
  double Push(int vertex, double flow);

  std::vector<Edge> edges_;  // each edge, and behind it its reverse
  std::vector<std::vector<int>> from_ = std::vector<std::vector<int>>(2);
  std::vector<int> level_;
  std::vector<size_t> next_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_MIN_CUT_H_
