// The section `cluster:` and the device names that are valid under it.
#ifndef DFRUN_SRC_SPEC_CLUSTER_SPEC_H_
#define DFRUN_SRC_SPEC_CLUSTER_SPEC_H_

#include <string_view>
#include <vector>

#include "src/spec/job_spec.h"
#include "src/spec/values.h"

namespace dfrun {

class ClusterSpec {
 public:
  // `section` null: every rank is a task of job "worker". `ranks` 0: not known.
  static ClusterSpec Read(const Yaml* section, int ranks, ValueReader& reader);

  const std::vector<JobSize>& jobs() const { return jobs_; }
  bool HasJob(std::string_view name) const { return Find(name) != nullptr; }
  // The number of tasks of job `name` (1 if it depends on an unknown number of ranks); nothing if there is no such job.
  std::optional<int> TasksOf(std::string_view name) const;
  // InvalidArgument unless this is the name, or a part of the name, of a device that the cluster may have.
  Status CheckDevice(std::string_view device) const;

 private:
  const JobSize* Find(std::string_view name) const;
  void CheckEachHasRank(Diagnostics& diagnostics) const;
  // The number of tasks of a job; kRest if it depends on an unknown number of ranks.
  int Tasks(const JobSize& job) const;

  std::vector<JobSize> jobs_;
  int ranks_ = 0;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_CLUSTER_SPEC_H_
