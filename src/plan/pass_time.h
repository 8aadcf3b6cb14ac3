// The time of one pass under a placement: the objective kLatency.
//
// An accelerator runs its nodes in one invocation, which starts when all outside outputs that it reads are there and
// takes the accelerator's load. A node on a CPU runs when its inputs are there; there are enough cores.
// Thread safety: none.
#ifndef DFRUN_SRC_PLAN_PASS_TIME_H_
#define DFRUN_SRC_PLAN_PASS_TIME_H_

#include <vector>

#include "src/plan/device_loads.h"

namespace dfrun {

class PassTime {
 public:
  // Returns the largest finish; infinity where invocations and nodes wait for each other in a cycle, so that a path
  // leaves an accelerator and comes back or two invocations need each other. Time: the degrees of the nodes on CPUs and
  // the square of the number of accelerators.
  double Of(const DeviceLoads& loads);

 private:
  void Prepare(const DeviceLoads& loads);
  void FinishAccelerator(const DeviceLoads& loads, int device);
  void FinishCpuNode(const DeviceLoads& loads, int node);
  void MeetAccelerator(int device, int edges, double finish);
  void MeetCpuNode(int node, double finish);

  // The edges whose source has not finished, and the start so far, of invocations and of nodes on CPUs.
  std::vector<int> device_waits_;
  std::vector<double> device_start_;
  std::vector<int> node_waits_;
  std::vector<double> node_start_;
  std::vector<std::vector<int>> readers_;  // by accelerator: the nodes on CPUs that read its outputs, one an edge
  std::vector<int> ready_devices_;
  std::vector<int> ready_nodes_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_PASS_TIME_H_
