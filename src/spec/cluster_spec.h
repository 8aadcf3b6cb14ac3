// The section `cluster:` and the device names that are valid under it.
#ifndef DFRUN_SRC_SPEC_CLUSTER_SPEC_H_
#define DFRUN_SRC_SPEC_CLUSTER_SPEC_H_

#include <string_view>
#include <vector>

#include "src/framework/device/device.h"
#include "src/spec/job_spec.h"
#include "src/spec/schema/values.h"
#include "src/spec/spec_options.h"

namespace dfrun {

// The content of a `cluster:` section.
// Thread safety: const methods from any thread.
class ClusterSpec {
 public:
  // `section` null: every rank is a task of job "worker". The options' counts of devices stand in place of its own.
  static ClusterSpec Read(const Yaml* section, const SpecOptions& options, ValueReader& reader);

  const std::vector<JobSize>& jobs() const { return jobs_; }
  // Counts by type, for the types that the section counts.
  const DeviceCounts& device_counts() const { return device_counts_; }
  // Limits by type, for the types that the section bounds.
  const MemoryLimits& memory_limits() const { return memory_limits_; }
  // Whether a device that a node names yields where there is none, or no kernel.
  bool soft_placement() const { return soft_placement_; }
  WireCompression compression() const { return compression_; }
  bool HasJob(std::string_view name) const { return Find(name) != nullptr; }
  // The number of tasks of job `name` (1 if it depends on an unknown number of ranks); nothing if there is no such job.
  std::optional<int> TasksOf(std::string_view name) const;
  // Returns InvalidArgument unless this is the name, or a part of the name, of a device that the cluster may have;
  // where placement is soft, of any device.
  Status CheckDevice(std::string_view device) const;

 private:
  // Each function reads a part of the section and reports its errors.
  void ReadDevices(const Yaml& section, ValueReader& reader);
  void ReadMemory(const Yaml& section, ValueReader& reader);
  void ReadJobs(const Yaml& jobs, ValueReader& reader);
  Status CheckIndex(std::string_view device, const DeviceName& name) const;
  const JobSize* Find(std::string_view name) const;
  void CheckEachHasRank(Diagnostics& diagnostics) const;
  // The number of tasks of a job; kRest if it depends on an unknown number of ranks.
  int Tasks(const JobSize& job) const;

  std::vector<JobSize> jobs_;
  DeviceCounts device_counts_;
  MemoryLimits memory_limits_;
  bool soft_placement_ = false;
  WireCompression compression_ = WireCompression::kNone;
  int ranks_ = 0;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_CLUSTER_SPEC_H_
