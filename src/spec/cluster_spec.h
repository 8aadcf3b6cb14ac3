// The section `cluster:` and the devices that it makes valid.
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
  // Tasks of job `name` (1 where that hangs on a number of ranks that is not known); nothing if there is no such job.
  std::optional<int> TasksOf(std::string_view name) const;
  // InvalidArgument unless a device of the cluster may have this name, or part of one.
  Status CheckDevice(std::string_view device) const;

 private:
  const JobSize* Find(std::string_view name) const;
  void CheckEachHasRank(Diagnostics& diagnostics) const;
  // Tasks of a job; kRest where the number of ranks is not known.
  int Tasks(const JobSize& job) const;

  std::vector<JobSize> jobs_;
  int ranks_ = 0;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_CLUSTER_SPEC_H_
