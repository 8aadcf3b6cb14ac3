// The numbers of devices that the ranks of a job will have, for commands that run without those ranks.
#ifndef DFRUN_JOBS_COMMANDS_DEVICE_COUNTS_H_
#define DFRUN_JOBS_COMMANDS_DEVICE_COUNTS_H_

#include <map>
#include <string>

#include "jobs/options.h"
#include "src/framework/device/device_report.h"

namespace dfrun::jobs {

// An option for each type of device that may be counted, such as --gpus.
// Lifetime: must outlive the reading of the command line.
class DeviceCountOptions {
 public:
  void Declare(Options& args);
  // Returns the counts that the command line gives.
  DeviceCounts Given() const;

 private:
  std::map<std::string, int> counts_;  // by type; kNotGiven without an option
};

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_COMMANDS_DEVICE_COUNTS_H_
