// Event files made of metrics.jsonl and run.json, as a run writes them itself, with what else its own event files hold.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "jobs/export/exporter.h"
#include "jobs/export/run_records.h"
#include "src/events/event_writer.h"
#include "src/events/summaries.h"
#include "src/job/event_files.h"

namespace dfrun::jobs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTrain = "train";
constexpr size_t kMaxEventFile = size_t{4} << 30;
constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::max();
constexpr int kExitRequeue = 75;
constexpr int kExitInterrupted = 130;

// The directory of a run and the tag of a metric there.
struct Place {
  std::string directory;
  std::string tag;
};

class TensorBoardExport {
 public:
  explicit TensorBoardExport(const ExportRequest& request) : request_(request), session_(request.out) {}

  Status Write() {
    DF_ASSIGN(starts_, ReadRunRecords(request_.run));
    DF_TRY(CheckOut());
    FindPlaces();
    WriteSession();
    DF_TRY(session_.Flush());
    for (const MetricsTable::Line& line : request_.metrics.lines) DF_TRY(WriteLine(line));
    return CopyRest();
  }

 private:
  struct Run {
    explicit Run(std::string directory) : writer(std::move(directory)) {}
    EventWriter writer;
    ScalarSummaries scalars;
  };

  Status CheckOut() const {
    std::error_code error;
    const fs::path out = fs::weakly_canonical(request_.out, error);
    const fs::path run = fs::weakly_canonical(request_.run, error);
    if (std::mismatch(run.begin(), run.end(), out.begin(), out.end()).first == run.end()) {
      return Error(Code::kUsage, "--out ", request_.out, ": it lies in ", request_.run, ", which this command reads");
    }
    if (fs::exists(out, error) && !fs::is_directory(out, error)) {
      return Error(Code::kUsage, "--out ", request_.out, ": for tensorboard it is a directory, and there is a file");
    }
    if (!fs::exists(out, error) || fs::is_empty(out, error)) return Status();
    if (!request_.force) {
      return Error(Code::kUsage, "--out ", request_.out,
                   ": there is such a directory, which is not empty: give another name, or --force to replace the "
                   "event files in it");
    }
    DF_TRY(RemoveEventFiles(request_.out));
    for (const std::string& run_name : Directories()) DF_TRY(RemoveEventFiles(request_.out + "/" + run_name));
    return Status();
  }

  std::set<std::string> Evaluations() const {
    std::set<std::string> names;
    for (const ExportedStart& start : starts_) {
      names.insert(start.record.evaluations.begin(), start.record.evaluations.end());
    }
    return names;
  }

  std::set<std::string> Directories() const {
    std::set<std::string> names = {kTrain};
    for (const std::string& evaluation : Evaluations()) names.insert(EventDirectoryOf(evaluation));
    return names;
  }

  void FindPlaces() {
    const std::set<std::string> evaluations = Evaluations();
    for (const std::string& column : request_.metrics.columns) {
      const size_t slash = column.find('/');
      const std::string name = column.substr(0, slash);
      const bool is_evaluation = slash != std::string::npos && evaluations.count(name) > 0;
      Place place = is_evaluation ? Place{EventDirectoryOf(name), column.substr(slash + 1)} : Place{kTrain, column};
      tags_[place.directory].insert(place.tag);
      places_.push_back(std::move(place));
    }
  }

  void WriteSession() {
    const ExportedStart& last = starts_.back();
    session_.AddSummary(0, last.begin_s, SessionStartSummary(last.record.hparams, last.begin_s));
    if (last.exit < 0 || last.exit == kExitRequeue || last.exit == kExitInterrupted) return;
    session_.AddSummary(0, last.end_s, SessionEndSummary(last.exit == 0, last.end_s));
  }

  // The times of lines count from the begin of the start that did the step.
  double TimeOf(const MetricsTable::Line& line) const { return StartOfStep(starts_, line.step).begin_s + line.wall_s; }

  Run& RunOf(const std::string& directory) {
    const auto found = runs_.find(directory);
    if (found != runs_.end()) return found->second;
    return runs_.try_emplace(directory, request_.out + "/" + directory).first->second;
  }

  Status WriteLine(const MetricsTable::Line& line) {
    std::set<std::string> written;
    for (const MetricsTable::Cell& cell : line.cells) {
      const Place& place = places_[cell.column];
      const std::optional<double> number = NumberOf(cell.value);
      if (!number) continue;
      RunOf(place.directory).scalars.Add(place.tag, *number);
      written.insert(place.directory);
    }
    for (const std::string& directory : written) {
      Run& run = RunOf(directory);
      run.writer.AddSummary(line.step, TimeOf(line), run.scalars.Take());
      DF_TRY(run.writer.Flush());
    }
    return Status();
  }

  // Copies what is in the run's event files and not in metrics.jsonl.
  Status CopyRest() {
    for (const std::string& directory : Directories()) {
      const std::string from = StrCat(request_.run, "/events/", directory);
      const Result<std::vector<std::string>> names = ListDirectory(from);
      if (names.status().code() == Code::kNotFound) continue;
      DF_TRY(names.status());
      DF_TRY(CopyFiles(from, *names, directory));
      DF_TRY(CopyPlugins(from + "/plugins", StrCat(request_.out, "/", directory, "/plugins")));
    }
    return Status();
  }

  // A later start of the run replaces the steps from its first one on.
  Status CopyFiles(const std::string& from, const std::vector<std::string>& names, const std::string& directory) {
    std::vector<std::string> paths;
    std::vector<int64_t> ends;  // by file: steps from this one on are made by a later start
    for (const std::string& name : names) {
      if (!name.starts_with(kEventFilePrefix)) continue;
      paths.push_back(from + "/" + name);
      DF_ASSIGN(const int64_t first, FirstStepOf(paths.back()));
      for (int64_t& end : ends) end = std::min(end, first);
      ends.push_back(kNoEnd);
    }
    for (size_t i = 0; i < paths.size(); ++i) DF_TRY(CopyFile(paths[i], ends[i], directory));
    return Status();
  }

  // The first step of the start that wrote the file; kNoEnd where it does not say.
  static Result<int64_t> FirstStepOf(const std::string& path) {
    DF_ASSIGN(const std::string text, ReadFile(path, kMaxEventFile));
    EventFileReader reader(text);
    for (std::string_view record; reader.Next(record);) {
      proto::Event event;
      if (!event.ParseFromArray(record.data(), static_cast<int>(record.size()))) continue;
      if (event.what_case() == proto::Event::kSessionLog) return event.step();
      if (event.what_case() != proto::Event::kFileVersion) break;
    }
    return kNoEnd;
  }

  // Copies the events of steps before `end`.
  Status CopyFile(const std::string& path, int64_t end, const std::string& directory) {
    DF_ASSIGN(const std::string text, ReadFile(path, kMaxEventFile));
    EventWriter& writer = RunOf(directory).writer;
    EventFileReader reader(text);
    for (std::string_view record; reader.Next(record);) {
      proto::Event event;
      if (!event.ParseFromArray(record.data(), static_cast<int>(record.size()))) continue;
      const proto::Event::WhatCase what = event.what_case();
      if (what == proto::Event::kFileVersion || what == proto::Event::kSessionLog || event.step() >= end) continue;
      if (event.what_case() == proto::Event::kSummary && !KeepOthers(directory, *event.mutable_summary())) continue;
      writer.AddEvent(event.SerializeAsString());
      DF_TRY(writer.Flush());
    }
    return Status();
  }

  // Takes the scalars of metrics.jsonl out of a summary; false where nothing is left.
  bool KeepOthers(const std::string& directory, std::string& message) {
    proto::Summary summary;
    if (!summary.ParseFromString(message)) return false;
    const std::set<std::string>& tags = tags_[directory];
    for (int i = summary.value_size() - 1; i >= 0; --i) {
      if (tags.count(summary.value(i).tag()) > 0) summary.mutable_value()->DeleteSubrange(i, 1);
    }
    message = summary.SerializeAsString();
    return summary.value_size() > 0;
  }

  static Status CopyPlugins(const std::string& from, const std::string& to) {
    std::error_code error;
    if (!fs::is_directory(from, error)) return Status();
    fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::overwrite_existing, error);
    return error ? IoError("cannot copy ", from, " to ", to, ": ", error.message()) : Status();
  }

  const ExportRequest& request_;
  std::vector<ExportedStart> starts_;
  EventWriter session_;
  std::vector<Place> places_;                          // by column
  std::map<std::string, std::set<std::string>> tags_;  // tags of the metrics, by directory
  std::map<std::string, Run> runs_;                    // by directory
};

Status ExportTensorBoard(const ExportRequest& request) {
  return TensorBoardExport(request).Write();
}

EXPORTER("tensorboard", "event files of scalars and hyperparameters, with what else the run's own hold",
         &ExportTensorBoard);

}  // namespace
}  // namespace dfrun::jobs
