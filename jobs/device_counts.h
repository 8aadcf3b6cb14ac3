// How many devices the ranks of a job will have, for commands that run without those ranks.
#ifndef DFRUN_JOBS_DEVICE_COUNTS_H_
#define DFRUN_JOBS_DEVICE_COUNTS_H_

#include <map>
#include <string>

#include "jobs/options.h"
#include "src/framework/device_report.h"

namespace dfrun::jobs {

// An option of each type of device that may be counted: --gpus. Outlives the reading of the command line.
class DeviceCountOptions {
 public:
  void Declare(Options& args);
  // Those that the command line says.
  DeviceCounts Given() const;

 private:
  std::map<std::string, int> counts_;  // by type; kNotGiven
};

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_DEVICE_COUNTS_H_
