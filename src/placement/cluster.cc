#include "src/placement/cluster.h"

#include <set>
#include <utility>

#include "src/base/text.h"
#include "src/framework/device/device_factory.h"

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
  if (fixed > ranks)
    return InvalidArgument("the cluster's jobs need ", fixed, " ranks, but there ", ranks == 1 ? "is " : "are ", ranks);
  if (fixed < ranks && !has_rest) {
    return InvalidArgument("the cluster's jobs have ", fixed, " tasks for ", ranks,
                           " ranks; a job may have `rest` in place of a number");
  }
  return ranks - static_cast<int>(fixed);
}

void AddRank(const DeviceName& task, int rank, const DevicesReport& report, Cluster& cluster) {
  for (const DeviceReport& device : report.devices) {
    DeviceName name = task;
    name.type = device.type;
    name.index = device.index;
    cluster.devices.push_back({std::move(name), rank, device.memory_bytes, device.has_own_memory, device.description});
  }
  for (const auto& [type, reason] : report.why_none) cluster.absences.push_back({task, rank, type, reason});
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

bool MayBeOfTask(const DeviceName& constraint, const DeviceName& task) {
  return (!constraint.job || constraint.job == task.job) && (!constraint.task || constraint.task == task.task);
}

std::string Cluster::WhyNone(const DeviceName& constraint) const {
  if (!constraint.type) return "";
  const std::string& type = *constraint.type;
  if (IsDeviceType(type) && !IsRegisteredDeviceType(type)) {
    return StrCat("; this build has no devices of type ", type);
  }
  for (const Absence& absence : absences) {
    if (absence.type != type || !MayBeOfTask(constraint, absence.task)) continue;
    return StrCat("; rank ", absence.rank, " has no device of type ", type, ": ", absence.reason);
  }
  return "";
}

Result<std::vector<DeviceName>> AssignTasks(const std::vector<JobTasks>& jobs, int ranks) {
  if (ranks < 1) return InvalidArgument("a cluster needs a rank, but has ", ranks);
  if (jobs.empty()) return AssignTasks({{"worker", JobTasks::kRest}}, ranks);
  DF_TRY(CheckJobs(jobs));
  DF_ASSIGN(const int rest, CountRest(jobs, ranks));
  std::vector<DeviceName> tasks;
  for (const JobTasks& job : jobs) {
    const int count = job.tasks == JobTasks::kRest ? rest : job.tasks;
    for (int task = 0; task < count; ++task) tasks.push_back({job.job, task, {}, {}});
  }
  return tasks;
}

Result<Cluster> MakeCluster(const std::vector<DeviceName>& tasks, const std::vector<DevicesReport>& reports) {
  Cluster cluster;
  for (size_t rank = 0; rank < tasks.size(); ++rank) {
    const DevicesReport& report = reports[rank];
    if (report.devices.empty() || report.devices[0].type != HostDeviceType()) {
      return Internal("rank ", rank, " has not reported a device of type ", HostDeviceType());
    }
    AddRank(tasks[rank], static_cast<int>(rank), report, cluster);
  }
  return cluster;
}

Result<Cluster> MakeCluster(const std::vector<JobTasks>& jobs, int ranks) {
  DF_ASSIGN(const std::vector<DeviceName> tasks, AssignTasks(jobs, ranks));
  DevicesReport host;
  host.devices.push_back({.type = std::string(HostDeviceType())});
  return MakeCluster(tasks, std::vector<DevicesReport>(tasks.size(), host));
}

}  // namespace dfrun
