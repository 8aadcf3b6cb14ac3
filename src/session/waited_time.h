// The time that a rank has had nothing to run.
#ifndef DFRUN_SRC_SESSION_WAITED_TIME_H_
#define DFRUN_SRC_SESSION_WAITED_TIME_H_

#include <cstdint>

namespace dfrun {

// The time in which a rank waited for messages, data or requests, since it began, and the rank's own clock: two such
// reports tell the share of the time between them.
struct WaitedTime {
  int64_t waited_ns = 0;
  int64_t clock_ns = 0;  // 0: not told
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_WAITED_TIME_H_
