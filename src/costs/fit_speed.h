// Fits the speed of a family of nodes to measured times.
#ifndef DFRUN_SRC_COSTS_FIT_SPEED_H_
#define DFRUN_SRC_COSTS_FIT_SPEED_H_

#include <span>

#include "src/costs/cost_table.h"

namespace dfrun {

// The measured time of a node.
struct CostPoint {
  double flops = 0;
  double bytes = 0;
  double seconds = 0;
};

struct SpeedFit {
  NodeSpeed speed;
  double median_error = 0;  // median over the points of |predicted - measured| / measured
};

// Finds the overhead a, the rate r and the bandwidth w for which a + max(flops / r, bytes / w) is nearest to the
// points: it minimises the mean of |log(predicted / measured)|. A factor too much counts as much as a factor too
// little, a short time as much as a long one, and a point far off counts once, not squared, so that a few disturbed
// times or a few odd nodes do not move the law that most follow.
//
// a, 1/r and 1/w are searched by their logarithms, which keeps them positive: from several starts a pattern search
// tries the 26 neighbours at a distance, takes the best while that helps, and halves the distance otherwise. The
// problem has three unknowns and no derivative where the two terms of the maximum meet; such a search needs none.
//
// Where one of the terms is the larger at no point, the points only bound it: the rate is then the least that fits, the
// largest that was seen. What takes less than a hundredth of each time is not seen either: an overhead is then the
// assumed one, up to there, and a rate no larger than the assumed one or than leads there. Without points, or with no
// operations or bytes in any, `assumed` counts.
//
// Thread safety: any thread.
SpeedFit FitSpeed(std::span<const CostPoint> points, const NodeSpeed& assumed);

// The seconds that a speed predicts for a point.
double SecondsAt(const NodeSpeed& speed, const CostPoint& point);

}  // namespace dfrun

#endif  // DFRUN_SRC_COSTS_FIT_SPEED_H_
