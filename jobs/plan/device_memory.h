// The memory that a job needs on each device, beside what the device has.
#ifndef DFRUN_JOBS_PLAN_DEVICE_MEMORY_H_
#define DFRUN_JOBS_PLAN_DEVICE_MEMORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "jobs/plan/planned_parts.h"
#include "src/framework/device/memory_limit.h"
#include "src/job/memory_estimate.h"
#include "src/placement/cluster.h"

namespace dfrun::jobs {

// Sizes are in bytes.
struct LargeTensor {
  std::string text;  // "'W' (float32[784,100])"
  int64_t bytes = 0;
  bool is_variable = false;
};

struct DeviceMemoryPlan {
  MemoryEstimate estimate;
  int64_t limit_bytes = 0;           // 0: not known
  int64_t value_bytes = 0;           // size of the largest value of a step
  std::vector<LargeTensor> largest;  // variables and values of steps, the largest first; those that are told
};

// Plans each device that has a part, those that need most first. A limit is the memory of the device in `cluster`, or
// what `limits` leave of it. `copies` are parts like one of `parts`, each on a device of its own.
// The largest tensors are those of the devices that DescribePlans() or CheckFits() tell or, with `tells_all`, of all.
// Thread safety: any thread.
std::vector<DeviceMemoryPlan> PlanMemory(const std::vector<DevicePart>& parts, const std::vector<PlannedPart>& copies,
                                         const MemoryLimits& limits, const Cluster& cluster, bool tells_all);

// Returns InvalidArgument where a device has less than the variables and the largest value of a step, which are there
// at one time; it names them.
Status CheckFits(const std::vector<DeviceMemoryPlan>& plans);

// A line for each of the devices that need most: "memory: 150 KiB of variables and slots, about 1.20 MiB of values in a
// step, of 80.0 GiB on /job:worker/task:0/device:cpu:0; the largest: ...".
std::vector<std::string> DescribePlans(const std::vector<DeviceMemoryPlan>& plans);

// A JSON array of objects, one a device.
std::string ToJson(const std::vector<DeviceMemoryPlan>& plans);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PLAN_DEVICE_MEMORY_H_
