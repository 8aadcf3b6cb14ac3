#include "src/spec/cluster_spec.h"

#include <algorithm>
#include <cctype>

#include "src/base/counted.h"
#include "src/base/text.h"
#include "src/framework/device/device.h"
#include "src/framework/device/device_factory.h"
#include "src/spec/schema/check_keys.h"
#include "src/spec/schema/section_def.h"

namespace dfrun {
namespace {

// A task is a rank; no machine has more.
constexpr int64_t kMaxTasks = int64_t{1} << 20;
// The largest number of bytes that a double counts one by one.
constexpr double kMaxExactBytes = 0x1p53;

// Names in the order of WireCompression.
const std::vector<std::string> kCompressions = {"none", "hosts", "ranks"};

bool IsJobName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// Suggests this project's name for a device that is named as in other programs; "" where there is none.
std::string AboutDevice(std::string_view device) {
  constexpr std::string_view kCuda = "cuda";
  std::string here(device);
  std::transform(here.begin(), here.end(), here.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::vector<std::string> types = CountedDeviceTypes();
  const size_t at = here.find(kCuda);
  if (at != std::string::npos && types.size() == 1) here.replace(at, kCuda.size(), types[0]);
  const Result<DeviceName> name = DeviceName::Parse(here);
  return name.ok() && name->type && IsDeviceType(*name->type) ? StrCat(", did you mean '", name->ToString(), "'?") : "";
}

std::optional<JobSize> ReadJob(const Yaml& name, const Yaml& value, ValueReader& reader) {
  JobSize job{std::string(name.text()), JobSize::kRest, name.location()};
  if (!IsJobName(job.job)) {
    reader.diagnostics().Error(name.location(), "'", job.job, "' is no name for a job: letters, digits and _");
    return {};
  }
  if (reader.Is(value, "rest")) return job;
  const std::optional<int64_t> tasks = reader.Int(value, StrCat("'", job.job, "' (tasks, or 'rest')"), 0);
  if (!tasks) return {};
  if (*tasks > kMaxTasks) {
    reader.diagnostics().Error(value.location(), "'", job.job, "' has ", *tasks, " tasks; at most ", kMaxTasks,
                               " may be");
    return {};
  }
  job.tasks = static_cast<int>(*tasks);
  return job;
}

SPEC_SECTION(SectionDef{
    .key = {.name = "cluster",
            .kind = KeyKind::kMapping,
            .keys = {{.name = "jobs", .kind = KeyKind::kCounts},
                     {.kind = KeyKind::kDeviceCounts},
                     {.kind = KeyKind::kDeviceMemory},
                     {.name = "soft_placement", .kind = KeyKind::kBool, .default_text = "false"},
                     {.name = "compress", .kind = KeyKind::kChoice, .choices = kCompressions, .default_text = "none"}}},
    .order = 60});

}  // namespace

ClusterSpec ClusterSpec::Read(const Yaml* section, const SpecOptions& options, ValueReader& reader) {
  ClusterSpec cluster;
  cluster.ranks_ = options.ranks;
  std::optional<Yaml> jobs;
  if (section != nullptr) {
    if (!CheckSection("cluster", *section, reader.diagnostics())) return cluster;
    if (section->size() == 0) {
      reader.diagnostics().Error(section->location(), "the section 'cluster' lacks 'jobs': {ps: 1, worker: rest}");
      return cluster;
    }
    cluster.ReadDevices(*section, reader);
    cluster.ReadMemory(*section, reader);
    if (const std::optional<Yaml> soft = FindKey(*section, "soft_placement")) {
      cluster.soft_placement_ = reader.Bool(*soft, "'soft_placement'").value_or(false);
    }
    if (const std::optional<Yaml> compress = FindKey(*section, "compress")) {
      cluster.compression_ =
          static_cast<WireCompression>(reader.Choice(*compress, "'compress'", kCompressions).value_or(0));
    }
    jobs = FindKey(*section, "jobs");
  }
  for (const auto& [type, count] : options.device_counts) cluster.device_counts_[type] = count;
  if (jobs) {
    cluster.ReadJobs(*jobs, reader);
  } else {
    cluster.jobs_.push_back({"worker", JobSize::kRest, {}});
  }
  return cluster;
}

void ClusterSpec::ReadDevices(const Yaml& section, ValueReader& reader) {
  for (const std::string& type : CountedDeviceTypes()) {
    const KeyDef key = DeviceCountKeyDef(type);
    const std::optional<Yaml> value = FindKey(section, key.name);
    const std::optional<KeyValue> count = value ? ReadKeyValue(*value, key, reader) : std::nullopt;
    if (count) device_counts_[type] = static_cast<int>(std::get<int64_t>(*count));
  }
}

void ClusterSpec::ReadMemory(const Yaml& section, ValueReader& reader) {
  for (const std::string& type : KnownDeviceTypes()) {
    const KeyDef key = DeviceMemoryKeyDef(type);
    const std::optional<Yaml> value = FindKey(section, key.name);
    const std::optional<KeyValue> number = value ? ReadKeyValue(*value, key, reader) : std::nullopt;
    if (!number) continue;
    const double limit = std::get<double>(*number);
    if (limit <= 1) {
      memory_limits_[type] = {.bytes = 0, .share = limit};
    } else if (limit <= kMaxExactBytes) {
      memory_limits_[type] = {.bytes = static_cast<int64_t>(limit), .share = 0};
    } else {
      reader.diagnostics().Error(value->location(), "'", key.name, "' is more than any memory: give bytes, or a share");
    }
  }
}

void ClusterSpec::ReadJobs(const Yaml& jobs, ValueReader& reader) {
  Diagnostics& diagnostics = reader.diagnostics();
  if (!CheckMap(jobs, "'jobs'", diagnostics)) return;
  int64_t fixed = 0;
  int rests = 0;
  bool good = true;
  for (size_t i = 0; i < jobs.size(); ++i) {
    std::optional<JobSize> job = ReadJob(jobs.key(i), jobs.value(i), reader);
    good = good && job.has_value();
    if (!job) continue;
    if (job->tasks == JobSize::kRest && ++rests > 1)
      diagnostics.Error(jobs.value(i).location(), "only one job can have the rest of the ranks");
    if (job->tasks != JobSize::kRest) fixed += job->tasks;
    jobs_.push_back(*std::move(job));
  }
  if (!good) return;
  if (rests == 0 && fixed == 0) diagnostics.Error(jobs.location(), "the jobs of a cluster need a task, but have none");
  if (ranks_ > 0 && (fixed > ranks_ || (rests == 0 && fixed < ranks_))) {
    diagnostics.Error(jobs.location(), "the jobs have ", Counted(fixed, "task"), rests > 0 ? " and a rest" : "",
                      ", but there ", ranks_ == 1 ? "is " : "are ", Counted(ranks_, "rank"));
  } else {
    CheckEachHasRank(diagnostics);
  }
}

// Nodes that the spec places on a job without a rank could run nowhere.
void ClusterSpec::CheckEachHasRank(Diagnostics& diagnostics) const {
  for (const JobSize& job : jobs_) {
    if (job.tasks == 0) {
      diagnostics.Error(job.location, "job '", job.job, "' gets no rank: give it a task, or leave it out");
    } else if (ranks_ > 0 && Tasks(job) == 0) {
      diagnostics.Error(job.location, "job '", job.job, "' gets no rank: the other jobs take all ", ranks_,
                        ranks_ == 1 ? " rank" : " ranks", "; start at least ", ranks_ + 1);
    }
  }
}

const JobSize* ClusterSpec::Find(std::string_view name) const {
  auto it = std::find_if(jobs_.begin(), jobs_.end(), [&](const JobSize& j) { return j.job == name; });
  return it == jobs_.end() ? nullptr : &*it;
}

int ClusterSpec::Tasks(const JobSize& job) const {
  if (job.tasks != JobSize::kRest || ranks_ == 0) return job.tasks;
  int64_t left = ranks_;
  for (const JobSize& j : jobs_) left -= std::max(j.tasks, 0);
  return static_cast<int>(std::max<int64_t>(left, 0));
}

std::optional<int> ClusterSpec::TasksOf(std::string_view name) const {
  const JobSize* job = Find(name);
  if (job == nullptr) return {};
  const int tasks = Tasks(*job);
  return tasks == JobSize::kRest ? 1 : tasks;
}

Status ClusterSpec::CheckIndex(std::string_view device, const DeviceName& name) const {
  const auto count = device_counts_.find(name.type.value_or(""));
  if (count == device_counts_.end() || name.index.value_or(0) < count->second) return Status();
  return InvalidArgument("device '", device, "': by '", DeviceCountKey(count->first), "' of the cluster a rank has ",
                         count->second, ", counted from 0");
}

Status ClusterSpec::CheckDevice(std::string_view device) const {
  const Result<DeviceName> parsed = DeviceName::Parse(device);
  if (!parsed.ok()) return InvalidArgument(parsed.status().message(), AboutDevice(device));
  const DeviceName& name = *parsed;
  if (name.type && !IsDeviceType(*name.type)) {
    return InvalidArgument("device '", device, "': unknown type '", *name.type, "', devices are ",
                           Join(KnownDeviceTypes(), " or "), AboutDevice(device));
  }
  if (soft_placement_) return Status();  // one that there is not does not count
  DF_TRY(CheckIndex(device, name));
  if (!name.job) return Status();
  const JobSize* job = Find(*name.job);
  if (job == nullptr) {
    return InvalidArgument("device '", device, "': the cluster has no job '", *name.job, "', only ",
                           Join(jobs_, ", ", [](const JobSize& known) { return known.job; }));
  }
  const int tasks = Tasks(*job);
  if (name.task && tasks != JobSize::kRest && *name.task >= tasks)
    return InvalidArgument("device '", device, "': job '", job->job, "' has ", tasks, tasks == 1 ? " task" : " tasks",
                           ", counted from 0");
  return Status();
}

}  // namespace dfrun
