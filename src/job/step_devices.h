// The devices and ranks of a job's steps.
#ifndef DFRUN_SRC_JOB_STEP_DEVICES_H_
#define DFRUN_SRC_JOB_STEP_DEVICES_H_

#include <span>
#include <string>
#include <vector>

#include "src/framework/device/device_report.h"
#include "src/session/session.h"

namespace dfrun {

// The full names of the devices that have a node of one of the steps, each once.
std::vector<std::string> DevicesOf(const Session& session, std::span<const Session::Handle> steps);

// The ranks that have no node of any of the steps, of which there is at least one.
std::vector<int> IdleRanksOf(const Session& session, std::span<const Session::Handle> steps);

// Whether none of the devices is of a type that has memory of its own somewhere: a host that waits for such a one is
// not idle. `reports`: of all ranks.
bool AreAllHosts(const std::vector<std::string>& devices, const std::vector<DevicesReport>& reports);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_STEP_DEVICES_H_
