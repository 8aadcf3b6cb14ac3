#include "src/runs/run_summary.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>

#include "src/base/file.h"
#include "src/base/host/host_name.h"
#include "src/base/path_hint.h"
#include "src/base/text.h"
#include "src/runs/spec_lines.h"
#include "src/spec/yaml/source_text.h"

namespace dfrun {
namespace {

constexpr int kMaxDepth = 8;

struct FoundNames {
  std::vector<std::string> directories;
  bool is_run = false;
};

FoundNames Look(const std::string& path) {
  FoundNames found;
  DIR* const directory = ::opendir(path.c_str());
  if (directory == nullptr) return found;
  while (const dirent* const entry = ::readdir(directory)) {
    const std::string name = entry->d_name;
    found.is_run = found.is_run || name == "run.json" || name == "metrics.jsonl";
    if (name.starts_with('.')) continue;
    struct stat info;
    bool is_directory = entry->d_type == DT_DIR;
    if (entry->d_type == DT_UNKNOWN && ::lstat((path + "/" + name).c_str(), &info) == 0)
      is_directory = S_ISDIR(info.st_mode);
    if (is_directory) found.directories.push_back(name);
  }
  ::closedir(directory);
  return found;
}

void FindIn(const std::string& path, int depth, std::vector<std::string>& runs) {
  const FoundNames found = Look(path);
  if (found.is_run) {
    runs.push_back(path);
    return;
  }
  if (depth == kMaxDepth) return;
  const std::string before = path.ends_with('/') ? path : path + "/";
  for (const std::string& name : found.directories) FindIn(before + name, depth + 1, runs);
}

// The evaluations of a spec, by the names under which their metrics are reported.
std::vector<std::string> EvaluationsIn(const std::vector<SpecLine>& lines) {
  constexpr std::string_view kSection = "eval.";
  std::vector<std::string> names;
  for (const SpecLine& line : lines) {
    if (!line.path.starts_with(kSection)) continue;
    const std::string name = line.path.substr(kSection.size(), line.path.find('.', kSection.size()) - kSection.size());
    if (name == "metrics") return {"eval"};
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  return names;
}

std::optional<MetricGoal> GoalIn(const std::vector<SpecLine>& lines) {
  for (const std::string_view section : {"checkpoint.best.", "train.stop."}) {
    const std::string_view metric = ValueIn(lines, StrCat(section, "metric"));
    if (!metric.empty()) return MetricGoal{std::string(metric), ValueIn(lines, StrCat(section, "mode")) == "max"};
  }
  return {};
}

// Sets the params by their names, and those settings of the job by which runs are told apart.
void SetParams(const std::vector<SpecLine>& lines, const std::vector<std::string>& sets, RunSummary& run) {
  constexpr std::string_view kParams = "params.";
  std::map<std::string, std::string>& params = run.params;
  for (const SpecLine& line : lines) {
    if (line.text.empty()) continue;
    if (line.path.starts_with(kParams)) {
      params[line.path.substr(kParams.size())] = line.value;
    } else if (line.path == "seed" || line.path.starts_with("train.")) {
      params[line.path] = line.value;
      if (line.text.find("${") != std::string::npos) run.of_params.insert(line.path);
    }
  }
  for (const std::string& set : sets) {
    const size_t equals = set.find('=');
    if (equals != std::string::npos) params.try_emplace(set.substr(0, equals), set.substr(equals + 1));
  }
}

// The time of the last write to a file; nothing where there is none.
std::optional<int64_t> WrittenAt(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) return {};
  return info.st_mtime;
}

bool IsHere(const RunStart& start) {
  const std::string host = HostName();
  return !start.hosts.empty() && !host.empty() && start.hosts[0] == host;
}

// Seconds from a start to its end; of one without an end `otherwise`.
double SecondsFor(const RunStart& start, double otherwise) {
  const std::optional<int64_t> begin = SecondsOf(start.begin);
  const std::optional<int64_t> end = SecondsOf(start.end);
  return begin && end ? static_cast<double>(*end - *begin) : otherwise;
}

double TimeOf(const RunSummary& run, int64_t now) {
  if (!run.start) return run.metrics.wall_s;
  double open_end = run.metrics.step > run.start->from_step.value_or(0) ? run.metrics.wall_s : 0;
  const std::optional<int64_t> begin = SecondsOf(run.start->begin);
  if (run.state == RunState::kRunning && begin) open_end = static_cast<double>(now - *begin);
  double time_s = SecondsFor(*run.start, open_end);
  if (run.start->from_step.value_or(0) == 0) return time_s;
  for (const RunStart& start : ReadEarlierStarts(run.path)) time_s += SecondsFor(start, 0);
  return time_s;
}

}  // namespace

Result<std::vector<std::string>> FindRuns(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) return NoInput("cannot look at '", path, "'", AboutPath(path));
  if (!S_ISDIR(info.st_mode)) return NoInput("'", path, "' is ", KindOfFile(info.st_mode), ", not a directory of runs");
  std::vector<std::string> runs;
  FindIn(path, 0, runs);
  std::sort(runs.begin(), runs.end());
  return runs;
}

RunSummary SummarizeRun(const std::string& path) {
  RunSummary run;
  run.path = path;
  if (Result<RunStart> start = ReadRunStart(path + "/run.json"); start.ok()) run.start = *std::move(start);
  const Result<std::string> spec = ReadFile(path + "/spec.yaml", kMaxSpecBytes);
  const std::vector<SpecLine> lines =
      spec.ok() ? ReadSpecLines(*spec, /*settings_only=*/true) : std::vector<SpecLine>();
  run.name = std::string(ValueIn(lines, "name"));
  run.goal = GoalIn(lines);
  SetParams(lines, run.start ? run.start->sets : std::vector<std::string>(), run);
  if (run.start) run.steps = run.start->steps;
  for (const std::string_view key : {"train.steps", "run.steps"}) {
    if (!run.steps) run.steps = ParseAs<int64_t>(ValueIn(lines, key));
  }
  const std::string metrics = path + "/metrics.jsonl";
  if (Result<MetricsEnd> end = ReadMetricsEnd(metrics, EvaluationsIn(lines), run.goal); end.ok())
    run.metrics = *std::move(end);
  const int64_t now = std::time(nullptr);
  const int64_t written = std::max(WrittenAt(metrics).value_or(0), WrittenAt(path + "/run.json").value_or(0));
  run.state = StateOf(run.start, LookAtLock(path), run.start && IsHere(*run.start), now - written);
  run.time_s = TimeOf(run, now);
  return run;
}

}  // namespace dfrun
