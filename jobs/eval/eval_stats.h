// The times and the memory of the steps of `dfrun eval`.
#ifndef DFRUN_JOBS_EVAL_EVAL_STATS_H_
#define DFRUN_JOBS_EVAL_EVAL_STATS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/framework/device/device_memory.h"

namespace dfrun::jobs {

struct EvalStats {
  std::vector<double> step_ms;
  double startup_ms = 0;             // from the start of the process to the start of the first step
  int64_t nodes = 0;                 // nodes that a step runs, over all ranks
  int64_t peak_bytes = 0;            // peak memory of tensors on the CPU device of rank 0
  std::vector<DeviceMemory> memory;  // memory of all devices of rank 0

  std::string ToJson() const;
};

// Returns the milliseconds since the kernel started this process, to 10 ms.
double MillisecondsSinceProcessStart();

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_EVAL_EVAL_STATS_H_
