#include "src/job/start_report.h"

#include <algorithm>
#include <set>
#include <utility>

#include "src/base/counted.h"
#include "src/base/rank_lines.h"
#include "src/base/text.h"
#include "src/framework/device/device.h"
#include "src/framework/device/device_factory.h"
#include "src/job/parameter_sizes.h"
#include "src/spec/replica_counts.h"

namespace dfrun {
namespace {

// Ranks that a warning names; of more it tells how many they are.
constexpr size_t kMaxNamed = 4;

// "1 rank", "4 ranks".
std::string CountedRanks(const std::vector<std::string>& hosts, size_t ranks) {
  const std::set<std::string> distinct(hosts.begin(), hosts.end());
  const std::string text = Counted(static_cast<int64_t>(ranks), "rank");
  return distinct.empty() ? text : StrCat(text, " on ", Counted(static_cast<int64_t>(distinct.size()), "host"));
}

int64_t CountOfType(const std::vector<std::string>& devices, const std::string& type) {
  return std::count_if(devices.begin(), devices.end(), [&](const std::string& name) {
    const Result<DeviceName> parsed = DeviceName::Parse(name);
    return parsed.ok() && parsed->type == type;
  });
}

// The ranks' devices of one type.
struct DevicesOfType {
  int64_t count = 0;
  std::set<std::string> models;                                // first words of their descriptions
  std::set<std::pair<std::string, std::string>> descriptions;  // with their hosts
};

DevicesOfType FindOfType(const StartFacts& facts, const std::string& type) {
  DevicesOfType found;
  for (size_t rank = 0; rank < facts.reports.size(); ++rank) {
    for (const DeviceReport& device : facts.reports[rank].devices) {
      if (device.type != type) continue;
      ++found.count;
      found.models.insert(device.description.substr(0, device.description.find(',')));
      found.descriptions.emplace(rank < facts.hosts.size() ? facts.hosts[rank] : "", device.description);
    }
  }
  return found;
}

// "2 of 4 gpus (NVIDIA H100)"; "" of a type that no rank knows.
std::string CountedDevices(const StartFacts& facts, const std::string& type) {
  const DevicesOfType found = FindOfType(facts, type);
  if (found.count == 0) return StrCat("no ", type);
  const int64_t used = CountOfType(facts.devices_used, type);
  const std::string counted = Counted(found.count, type);
  std::string text = used == found.count ? counted : StrCat(used, " of ", counted);
  if (type == HostDeviceType()) return text;
  const bool is_shared = static_cast<int64_t>(found.descriptions.size()) < found.count;
  return StrCat(text, " (", Join(found.models), is_shared ? "; ranks share them" : "", ")");
}

std::string CountedReplicas(const JobSpec& job) {
  if (!job.train) return "";
  const int64_t backup = BackupOf(*job.train);
  const std::string counted =
      StrCat(Counted(ReplicasOf(*job.train), "replica"), backup > 0 ? StrCat(" and ", backup, " for backup") : "");
  return HasEqualBits(*job.train) ? counted : counted + " in no fixed order (bits differ from run to run)";
}

std::string CountedSamples(const JobSpec& job) {
  if (!job.train || job.train->input < 0) return "";
  return Counted(job.inputs[static_cast<size_t>(job.train->input)].num_samples, "sample");
}

// "ranks 0, 1, 2 on node7, node8".
std::string NameRanks(const std::vector<int>& ranks, const std::vector<std::string>& hosts) {
  std::set<std::string> names;
  for (const int rank : ranks) {
    if (static_cast<size_t>(rank) < hosts.size()) names.insert(hosts[static_cast<size_t>(rank)]);
  }
  const std::string text = StrCat(ranks.size() == 1 ? "rank " : "ranks ", Join(ranks));
  return names.empty() ? text : StrCat(text, " on ", Join(names));
}

}  // namespace

bool HasEqualBits(const TrainSpec& train) {
  if (BackupOf(train) > 0) return false;
  const KeyValues& values = train.strategy.values();
  if (!values.contains("max_staleness")) return true;
  return train.strategy.integer("max_staleness") == 0 || train.strategy.integer("replicas") == 1;
}

std::string WhyNoEqualBits(const TrainSpec& train) {
  return StrCat("bits differ from run to run, since ",
                BackupOf(train) > 0
                    ? "a step takes the shares that come first; without 'backup' of 'train' they are equal"
                    : "replicas take their shares in no fixed order; 'max_staleness: 0' of 'train' fixes it");
}

std::string StartLine(const LoadedSpec& spec, const StartFacts& facts) {
  std::vector<std::string> parts = {CountedRanks(facts.hosts, facts.reports.size()), CountedReplicas(spec.job)};
  for (const std::string& type : RegisteredDeviceTypes()) parts.push_back(CountedDevices(facts, type));
  const int64_t parameters = SizesOf(spec).parameters.elements;
  if (parameters > 0) parts.push_back(Counted(parameters, "parameter"));
  parts.push_back(CountedSamples(spec.job));
  parts.push_back(Counted(facts.steps, "step"));
  std::erase(parts, "");
  return StrCat(spec.job.name, ": ", Join(parts));
}

std::vector<std::string> WarningsOfRanks(const std::vector<DevicesReport>& reports,
                                         const std::vector<std::string>& hosts) {
  std::vector<RankLine> lines;
  for (size_t rank = 0; rank < reports.size(); ++rank) {
    const std::string host = rank < hosts.size() ? hosts[rank] : "";
    for (const std::string& warning : reports[rank].warnings) lines.push_back({static_cast<int>(rank), host, warning});
  }
  std::vector<std::string> warnings;
  for (FoldedLine& line : FoldRankLines(lines, /*least=*/2)) {
    if (line.ranks.size() <= kMaxNamed) {
      warnings.push_back(StrCat(NameRanks(line.ranks, hosts), ": ", line.text));
      continue;
    }
    const std::string text = ManyRanksSay(line, reports.size());
    line.ranks.resize(kMaxNamed);
    warnings.push_back(StrCat(text, " (", NameRanks(line.ranks, hosts), " and others)"));
  }
  return warnings;
}

}  // namespace dfrun
