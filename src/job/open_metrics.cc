#include "src/job/open_metrics.h"

#include <unistd.h>

#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/file.h"
#include "src/base/log.h"

namespace dfrun {
namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;

// A family of gauges with one name.
struct Gauge {
  std::string name;
  std::string help;
  std::vector<std::pair<Labels, double>> samples = {};
};

std::string NumberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  char text[64];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end);
}

std::string LabelText(std::string_view value) {
  std::string text;
  for (const char c : value) {
    if (c == '\\' || c == '"') text += '\\';
    text += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return text;
}

// Families that dfrun has beside the metrics.
bool IsTaken(std::string_view legal) {
  for (const std::string_view taken : {"running", "step", "steps", "wall_seconds", "memory_peak_bytes"}) {
    if (legal == taken) return true;
  }
  return false;
}

std::string LegalName(std::string_view name) {
  std::string legal;
  for (const char c : name) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    legal += fits ? c : '_';
  }
  return IsTaken(legal) ? legal + "_value" : legal;
}

void AddGauge(const Gauge& gauge, std::string& text) {
  text += StrCat("# TYPE ", gauge.name, " gauge\n");
  if (!gauge.help.empty()) text += StrCat("# HELP ", gauge.name, " ", gauge.help, "\n");
  for (const auto& [labels, value] : gauge.samples) {
    text += gauge.name;
    std::string_view before = "{";
    for (const auto& [key, label] : labels) {
      text += StrCat(before, key, "=\"", LabelText(label), "\"");
      before = ",";
    }
    text += StrCat("} ", NumberText(value), "\n");
  }
}

// Replaces the file without a sync, which would take as long as many steps: after a crash of the system the file may be
// empty, and is written anew by the next job.
Status Replace(const std::string& path, std::string_view content) {
  DF_TRY(CheckReplaceable(path));
  const std::string beside = StrCat(path, ".tmp-", ::getpid());
  ::unlink(beside.c_str());  // a killed process of this number has left it
  Status status;
  {
    DF_ASSIGN(const FileDescriptor file, FileDescriptor::CreateNew(beside));
    status = file.WriteAt(0, content.data(), content.size());
  }
  if (status.ok() && ::rename(beside.c_str(), path.c_str()) != 0) status = ErrnoError("cannot rename into place", path);
  if (!status.ok()) ::unlink(beside.c_str());
  return status;
}

}  // namespace

void OpenMetricsFile::OnBegin(int64_t step, int64_t steps) {
  is_running_ = true;
  step_ = step;
  steps_ = steps;
  Write();
}

Status OpenMetricsFile::OnStep(const JobResults& results) {
  memory_bytes_.clear();
  for (const DeviceMemory& memory : results.memory) memory_bytes_[memory.device] = memory.peak_bytes;
  Take(results);
  return Status();
}

Status OpenMetricsFile::OnEvaluation(const JobResults& results) {
  Take(results);
  return Status();
}

void OpenMetricsFile::OnEnd(const Status& /*status*/) {
  is_running_ = false;
  Write();
}

void OpenMetricsFile::Take(const JobResults& results) {
  step_ = results.step;
  wall_s_ = results.wall_s;
  for (const auto& values : {results.timings, results.schedule, results.values}) {
    for (const auto& [name, value] : values) {
      if (IsNumber(value)) values_[name] = ToDouble(value);
    }
  }
  if (now_() - written_ >= kInterval) Write();
}

std::string OpenMetricsFile::Text() const {
  const Labels of_run = {{"run", run_}};
  std::vector<Gauge> gauges = {
      {"dfrun_running", "1 while the job runs.", {{of_run, is_running_ ? 1.0 : 0.0}}},
      {"dfrun_step", "Steps that are done.", {{of_run, static_cast<double>(step_)}}},
      {"dfrun_steps", "Steps of the whole job.", {{of_run, static_cast<double>(steps_)}}},
      {"dfrun_wall_seconds", "Seconds since the job began or was resumed.", {{of_run, wall_s_}}}};
  Gauge memory = {"dfrun_memory_peak_bytes", "The most bytes of tensors in a device's memory."};
  for (const auto& [device, bytes] : memory_bytes_) {
    memory.samples.emplace_back(Labels{{"run", run_}, {"device", device}}, static_cast<double>(bytes));
  }
  if (!memory.samples.empty()) gauges.push_back(std::move(memory));
  std::map<std::string, std::vector<std::string>> names;  // by legal name
  for (const auto& [name, value] : values_) names["dfrun_" + LegalName(name)].push_back(name);
  for (const auto& [legal, own] : names) {
    Gauge gauge = {legal, ""};
    for (const std::string& name : own) {
      Labels labels = of_run;
      if (own.size() > 1) labels.emplace_back("name", name);
      gauge.samples.emplace_back(std::move(labels), values_.at(name));
    }
    gauges.push_back(std::move(gauge));
  }
  std::string text;
  for (const Gauge& gauge : gauges) AddGauge(gauge, text);
  return text + "# EOF\n";
}

void OpenMetricsFile::Write() {
  written_ = now_();
  const Status status = Replace(path_, Text());
  if (status.ok() || has_failed_) return;
  has_failed_ = true;
  DF_LOG(kWarning) << "--open-metrics: " << status.message() << "; the job goes on, and this is not said again";
}

}  // namespace dfrun
