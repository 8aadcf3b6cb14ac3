#include "src/placement/cluster.h"

#include <set>

#include "src/base/text.h"
#include "src/framework/device_factory.h"

namespace dfrun {
namespace {

Status CheckJobs(const std::vector<JobTasks>& jobs) {
  std::set<std::string> names;
  bool has_rest = false;
  for (const JobTasks& job : jobs) {
    if (!IsIdentifier(job.job)) {
      return InvalidArgument("'", job.job, "' is no name for a job: it must be letters, digits and '_'");
    }
    if (!names.insert(job.job).second) return InvalidArgument("job '", job.job, "' is there twice");
    if (job.tasks != JobTasks::kRest && job.tasks < 0) {
      return InvalidArgument("job '", job.job, "' has ", job.tasks, " tasks; it must be 0 or more, or the rest");
    }
    if (job.tasks == JobTasks::kRest && has_rest) {
      return InvalidArgument("job '", job.job, "' takes the rest of the ranks, but another job does already");
    }
    has_rest = has_rest || job.tasks == JobTasks::kRest;
  }
  return Status();
}

// The number of ranks that are left for the job that takes the rest.
Result<int> CountRest(const std::vector<JobTasks>& jobs, int ranks) {
  int64_t fixed = 0;
  bool has_rest = false;
  for (const JobTasks& job : jobs) {
    if (job.tasks == JobTasks::kRest) {
      has_rest = true;
    } else {
      fixed += job.tasks;
    }
  }
  if (fixed > ranks) return InvalidArgument("the cluster's jobs need ", fixed, " ranks, but there are ", ranks);
  if (fixed < ranks && !has_rest) {
    return InvalidArgument("the cluster's jobs have ", fixed, " tasks for ", ranks,
                           " ranks; a job may have `rest` in place of a number");
  }
  return ranks - static_cast<int>(fixed);
}

}  // namespace

std::string Cluster::ListDevices(size_t max_devices) const {
  std::string text;
  for (size_t i = 0; i < devices.size() && i < max_devices; ++i) {
    text += (i == 0 ? "" : ", ") + devices[i].name.ToString();
  }
  if (devices.size() > max_devices) text += StrCat(", ... ", devices.size(), " in all");
  return text;
}

Result<Cluster> MakeCluster(const std::vector<JobTasks>& jobs, int ranks) {
  if (ranks < 1) return InvalidArgument("a cluster needs a rank, but has ", ranks);
  if (jobs.empty()) return MakeCluster({{"worker", JobTasks::kRest}}, ranks);
  DF_TRY(CheckJobs(jobs));
  DF_ASSIGN(const int rest, CountRest(jobs, ranks));
  Cluster cluster;
  const std::vector<std::string> types = RegisteredDeviceTypes();
  int rank = 0;
  for (const JobTasks& job : jobs) {
    const int tasks = job.tasks == JobTasks::kRest ? rest : job.tasks;
    for (int task = 0; task < tasks; ++task) {
      for (const std::string& type : types) cluster.devices.push_back({{job.job, task, type, 0}, rank});
      ++rank;
    }
  }
  return cluster;
}

}  // namespace dfrun
