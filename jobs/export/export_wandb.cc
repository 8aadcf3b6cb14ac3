// The file of an offline run of Weights & Biases, in a directory that `wandb sync` uploads.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>

#include "jobs/export/exporter.h"
#include "jobs/export/metric_rows.h"
#include "jobs/export/run_records.h"
#include "jobs/export/wandb_log.h"
#include "jobs/output_file.h"
#include "src/base/utf8.h"
#include "src/events/wandb_record.pb.h"

namespace dfrun::jobs {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOffline = "offline-run-";
constexpr size_t kMaxId = 64;
constexpr size_t kMaxProject = 128;

bool IsOfId(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

// Whether the text begins with a time of the form 20260131_235959 and a hyphen.
bool BeginsWithTime(std::string_view text) {
  constexpr std::string_view kForm = "dddddddd_dddddd-";
  return text.size() >= kForm.size() && std::equal(kForm.begin(), kForm.end(), text.begin(), [](char form, char c) {
           return form == 'd' ? std::isdigit(static_cast<unsigned char>(c)) != 0 : form == c;
         });
}

std::string WithoutLastSlash(const std::string& path) {
  return path.ends_with('/') ? path.substr(0, path.find_last_not_of('/') + 1) : path;
}

// The id of the run, which the name of its directory ends with.
Result<std::string> IdOf(const std::string& out) {
  const std::string name = fs::path(out).filename().string();
  std::string id = name.starts_with(kOffline) ? name.substr(kOffline.size()) : "";
  if (BeginsWithTime(id)) id.erase(0, id.find('-') + 1);
  if (!id.empty() && id.size() <= kMaxId && std::all_of(id.begin(), id.end(), IsOfId)) return id;
  return Error(Code::kUsage, "--out ", out, ": for wandb it is a directory of the name ", kOffline, "ID or ", kOffline,
               "20260131_235959-ID, where ID is that of the run there: at most ", kMaxId,
               " letters, digits, '_', '-' and '.'");
}

// The name of the spec without directory and extension, without what no project may have in its name.
std::string ProjectOf(const RunStart& start) {
  std::string project = fs::path(start.spec).stem().string().substr(0, kMaxProject);
  for (char& c : project) {
    if (std::string_view("\\#?%:").find(c) != std::string_view::npos) c = '_';
  }
  return WellFormedUtf8(project);
}

std::string DisplayNameOf(const std::string& run) {
  std::error_code error;
  return WellFormedUtf8(fs::weakly_canonical(WithoutLastSlash(run), error).filename().string());
}

// JSON as Python reads it, with words for what is not finite.
std::string ValueOf(const JsonValue& cell) {
  const std::optional<double> number = NumberOf(cell);
  return number && cell.kind() == JsonValue::Kind::kText ? *cell.AsText() : cell.Print();
}

std::string DigitsOf(double value) {
  return *JsonValue::Double(value).AsText();
}

class WandbExport {
 public:
  WandbExport(std::string id, const ExportRequest& request, std::vector<ExportedStart> starts)
      : id_(std::move(id)), request_(request), starts_(std::move(starts)) {}

  std::string Write() {
    AddHeader();
    AddRun();
    for (const MetricRow& row : RowsOf(request_.metrics)) AddRow(row);
    AddSummary();
    if (HasEnd()) AddExit();
    return log_.Take();
  }

 private:
  bool HasEnd() const { return starts_.back().exit >= 0; }
  double Runtime() const { return starts_.back().end_s - starts_.front().begin_s; }

  void Add(proto::WandbRecord record) {
    record.set_num(++records_);
    log_.Add(record.SerializeAsString());
  }

  void AddHeader() {
    proto::WandbRecord record;
    record.mutable_header()->mutable_version_info()->set_producer("dfrun " DFRUN_VERSION);
    Add(std::move(record));
  }

  void AddRun() {
    proto::WandbRecord record;
    proto::WandbRun& run = *record.mutable_run();
    run.set_run_id(id_);
    run.set_project(ProjectOf(starts_.back().record));
    run.set_display_name(DisplayNameOf(request_.run));
    run.mutable_start_time()->set_seconds(static_cast<int64_t>(starts_.front().begin_s));
    const JsonValue& hparams = starts_.back().record.hparams;
    for (size_t i = 0; i < hparams.names().size(); ++i) {
      proto::WandbItem& item = *run.mutable_config()->add_update();
      item.set_key(hparams.names()[i]);
      item.set_value_json(hparams.values()[i].Print());
    }
    Add(std::move(record));
  }

  void AddRow(const MetricRow& row) {
    proto::WandbRecord record;
    proto::WandbHistory& history = *record.mutable_history();
    history.mutable_step()->set_num(row.step);
    const auto add = [&](const std::string& name, std::string value) {
      proto::WandbItem& item = *history.add_item();
      item.add_nested_key(name);
      item.set_value_json(value);
      last_[name] = std::move(value);
    };
    const double begin_s = StartOfStep(starts_, row.step).begin_s;
    add("_step", StrCat(row.step));
    add("_runtime", DigitsOf(begin_s - starts_.front().begin_s + row.wall_s));
    add("_timestamp", DigitsOf(begin_s + row.wall_s));
    for (size_t i = 0; i < row.cells.size(); ++i) {
      if (row.cells[i] != nullptr) add(request_.metrics.columns[i], ValueOf(*row.cells[i]));
    }
    Add(std::move(record));
  }

  void AddSummary() {
    proto::WandbRecord record;
    proto::WandbUpdate& summary = *record.mutable_summary();
    for (const auto& [name, value] : last_) {
      proto::WandbItem& item = *summary.add_update();
      item.add_nested_key(name);
      item.set_value_json(value);
    }
    if (HasEnd()) {
      proto::WandbItem& item = *summary.add_update();
      item.add_nested_key("_wandb");
      item.add_nested_key("runtime");
      item.set_value_json(StrCat(static_cast<int64_t>(Runtime())));
    }
    Add(std::move(record));
  }

  void AddExit() {
    proto::WandbRecord record;
    record.mutable_exit()->set_exit_code(static_cast<int32_t>(starts_.back().exit));
    record.mutable_exit()->set_runtime(static_cast<int32_t>(Runtime()));
    Add(std::move(record));
  }

  const std::string id_;
  const ExportRequest& request_;
  const std::vector<ExportedStart> starts_;
  WandbLog log_;
  int64_t records_ = 0;
  std::map<std::string, std::string> last_;  // JSON of the last value, by metric
};

Status ExportWandb(const ExportRequest& request) {
  const std::string out = WithoutLastSlash(request.out);
  DF_ASSIGN(const std::string id, IdOf(out));
  DF_ASSIGN(std::vector<ExportedStart> starts, ReadRunRecords(request.run));
  DF_TRY(MakeDirectories(out + "/files"));  // `wandb sync` writes there
  const OutputFile file{"--out", StrCat(out, "/run-", id, ".wandb"), request.force, {request.run}};
  DF_TRY(file.Check());
  return file.WriteText(WandbExport(id, request, std::move(starts)).Write());
}

EXPORTER("wandb", "a directory offline-run-ID, which `wandb sync` uploads", &ExportWandb);

}  // namespace
}  // namespace dfrun::jobs
