// Estimates the memory that a job takes on its devices, from its graphs alone.
#ifndef DFRUN_SRC_JOB_MEMORY_ESTIMATE_H_
#define DFRUN_SRC_JOB_MEMORY_ESTIMATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/framework/device/memory_limit.h"
#include "src/partition/partition.h"
#include "src/placement/cluster.h"

namespace dfrun {

// Sizes are in bytes. Values without a known shape count nothing.
struct MemoryEstimate {
  std::string device;
  int64_t state_bytes = 0;  // variables with their slots and copies
  std::string largest;      // the largest variable: "'W' (float32[784,100], 313600 bytes)"
  // About the values of a step that are there at a time, at most: each lives from its node to the last that reads it.
  // With them count the small values of all steps, whose memory a plan keeps, the scratch memory of products, batches
  // that are read ahead, and of a loop as many turns as may run at a time.
  int64_t step_bytes = 0;
};

// A device's part of a signature of the job. It lives as long as its partition.
struct DevicePart {
  const Partition* partition = nullptr;
  bool runs_beside = false;  // parts of which this is true run at the same time, the others one after the other
  int plans = 1;             // plans that a job makes of it: two, where it has some fetches and where it has not
};

// Estimates one device, from the part of each signature of the job that it runs.
MemoryEstimate EstimateMemory(const std::vector<DevicePart>& parts);

// Estimates each device that has a part, in the order of their names.
std::vector<MemoryEstimate> EstimateDevices(const std::vector<DevicePart>& parts);

// The forecast for people, a line a device; of many devices those that need most: "memory: 150 KiB of variables and
// slots, about 1.20 MiB of values in a step, on /job:worker/task:0/device:cpu:0".
std::vector<std::string> DescribeMemory(std::vector<MemoryEstimate> estimates);

// Checks `limits` for the devices of `cluster`, given the parts of all signatures: an error (kInvalidArgument)
// where variables and slots alone take more than a device has, else sentences about devices of which a step may take
// more. A share of a device whose memory is not known is not checked.
Result<std::vector<std::string>> CheckMemory(const std::vector<DevicePart>& parts, const MemoryLimits& limits,
                                             const Cluster& cluster);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_MEMORY_ESTIMATE_H_
