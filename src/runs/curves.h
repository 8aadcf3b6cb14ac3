// The curves of metrics over the steps of a run.
#ifndef DFRUN_SRC_RUNS_CURVES_H_
#define DFRUN_SRC_RUNS_CURVES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/base/status.h"

namespace dfrun {

struct CurvePoint {
  int64_t step = 0;
  double value = 0;  // may be no finite number
};

using Curve = std::vector<CurvePoint>;

// Reads the curves of a run directory by the names of the metrics, without those that are texts. NotFound where it has
// no metrics.jsonl. Thread safety: any thread. Blocks: on the file.
Result<std::map<std::string, Curve>> ReadCurves(const std::string& run);

// At most about `most` points that draw the same picture: of each of most / 2 stretches of the steps the points of the
// least and of the largest value, and one that is not finite where the stretch has one, in their order; and the first
// and the last point.
Curve ThinOut(const Curve& curve, size_t most);

}  // namespace dfrun

#endif  // DFRUN_SRC_RUNS_CURVES_H_
