// The state of a replica that is gated by its own findings alone (src/graph/update_gate.h): int64 elements of a
// variable.
#ifndef DFRUN_SRC_FRAMEWORK_STEP_REPLICA_FINDINGS_H_
#define DFRUN_SRC_FRAMEWORK_STEP_REPLICA_FINDINGS_H_

#include <cstdint>

namespace dfrun {

struct ReplicaFindings {
  static constexpr int kElements = 4;

  int64_t number = 0;       // not 0: the value for which the job is to end
  int64_t steps_since = 0;  // steps after the one that found it
  int64_t row = 0;          // steps behind each other, up to the last, in which a value was not finite
  int64_t total = 0;        // all steps in which one was not finite

  // Takes in a step's finding; `limit` steps behind each other end the job, 0: none do.
  void Add(int32_t found, int64_t limit) {
    if (number != 0) ++steps_since;
    row = found != 0 ? row + 1 : 0;
    total += found != 0 ? 1 : 0;
    if (number == 0 && limit > 0 && row >= limit) number = found;
  }
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_STEP_REPLICA_FINDINGS_H_
