// The report of rank 0 when a job starts: the devices of the job, and the hardware of its hosts that is not used as it
// could be.
#ifndef DFRUN_SRC_JOB_START_REPORT_H_
#define DFRUN_SRC_JOB_START_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/framework/device/device_report.h"
#include "src/spec/job_spec.h"

namespace dfrun {

struct StartFacts {
  std::vector<std::string> hosts = {};         // by rank; empty: not known
  std::vector<DevicesReport> reports = {};     // by rank
  std::vector<std::string> devices_used = {};  // full names of those that a step has nodes on
  int64_t steps = 0;                           // steps of the whole job
};

// One line: "digits_mlp: 4 ranks on 1 host, 4 replicas, 4 cpus, 2 of 4 gpus (NVIDIA H100), 9610 parameters, 1437
// samples, 674 steps". Devices are those that a step has nodes on, of those that there are. Samples are those of the
// input that the loss reads.
std::string StartLine(const LoadedSpec& spec, const StartFacts& facts);

// Whether equal runs of the training have equal bits, by its strategy: not where replicas take shares in any order.
bool HasEqualBits(const TrainSpec& train);
// Why, where they have not, and what mends it.
std::string WhyNoEqualBits(const TrainSpec& train);

// The warnings of all ranks, each once with its ranks and host: "rank 3 on node7: ..."; of more than four "61 of 64
// ranks say: ...". Those that differ in what they say of their own rank and host alone are one (src/base/rank_lines.h).
std::vector<std::string> WarningsOfRanks(const std::vector<DevicesReport>& reports,
                                         const std::vector<std::string>& hosts);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_START_REPORT_H_
