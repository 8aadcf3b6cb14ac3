#include "kernels/queues/queue_type.h"

#include <algorithm>

namespace dfrun {
namespace {

bool FitShapes(const std::vector<PartialShape>& a, const std::vector<PartialShape>& b, bool exactly) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const PartialShape& x, const PartialShape& y) { return exactly ? x == y : x.Merge(y).ok(); });
}

// All negative bounds are none.
bool SameCapacity(int64_t a, int64_t b) {
  return a == b || (a < 0 && b < 0);
}

}  // namespace

bool QueueType::Serves(const QueueType& asked) const {
  const bool seeds_fit = asked.seeds == std::pair<int64_t, int64_t>() || asked.seeds == seeds;
  return kind == asked.kind && dtypes == asked.dtypes && FitShapes(shapes, asked.shapes, !pads) &&
         SameCapacity(capacity, asked.capacity) && min_after_dequeue == asked.min_after_dequeue && seeds_fit;
}

}  // namespace dfrun
