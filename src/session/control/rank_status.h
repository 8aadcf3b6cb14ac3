// The result of a rank in a round, with the time by which the first error of all ranks is found.
#ifndef DFRUN_SRC_SESSION_CONTROL_RANK_STATUS_H_
#define DFRUN_SRC_SESSION_CONTROL_RANK_STATUS_H_

#include <cstdint>

#include "src/base/status.h"

namespace dfrun {

struct RankStatus {
  Status status;
  int64_t time_ns = 0;  // time of the error, system clock in ns
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_CONTROL_RANK_STATUS_H_
