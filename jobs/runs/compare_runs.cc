#include "jobs/runs/compare_runs.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "jobs/text_table.h"
#include "src/base/file.h"
#include "src/base/path_hint.h"
#include "src/base/printable.h"
#include "src/base/terminal.h"
#include "src/base/text.h"
#include "src/runs/metric_differences.h"
#include "src/runs/run_start.h"
#include "src/runs/spec_differences.h"
#include "src/runs/state_differences.h"
#include "src/runs/trace_times.h"
#include "src/spec/yaml/source_text.h"

namespace dfrun::jobs {
namespace {

// Names that a sentence lists before it only counts the others.
constexpr size_t kNamesShown = 5;

bool IsThere(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0;
}

Status CheckRun(const std::string& path) {
  for (const char* const name : {"/run.json", "/metrics.jsonl"}) {
    if (IsThere(path + name)) return Status();
  }
  return NoInput("'", path, "' is no run directory: it has neither run.json nor metrics.jsonl", AboutPath(path));
}

std::string Number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string Named(const std::vector<std::string>& names) {
  const std::vector<std::string> shown(names.begin(), names.begin() + std::min(names.size(), kNamesShown));
  const size_t others = names.size() - shown.size();
  return StrCat(Join(shown), others > 0 ? StrCat(" and ", others, " more") : "");
}

// "neither run has x", "B has no x".
std::string Missing(bool a, bool b, const std::string& what) {
  return a || b ? StrCat(a ? "B" : "A", " has no ", what) : StrCat("neither run has ", what);
}

// Writes the report, a part of the runs after the other.
class Report {
 public:
  Report(std::string a, std::string b) : a_(std::move(a)), b_(std::move(b)) {
    Line("A", a_);
    Line("B", b_);
  }

  Status Compare() {
    DF_TRY(CompareSpecFiles());
    DF_TRY(CompareMetricFiles());
    DF_TRY(CompareStateFiles());
    DF_TRY(CompareTimes());
    CompareMachines();
    Line("result", differences_.is_equal ? "equal" : "different");
    return Status();
  }

  RunDifferences Take() { return std::move(differences_); }

 private:
  void Line(const char* what, const std::string& text) {
    char head[16];
    std::snprintf(head, sizeof head, "%-8s ", what);
    differences_.text += head + PrintableLine(text) + "\n";
  }
  // A table below a line.
  void Table(std::vector<std::vector<std::string>> rows) {
    for (auto& row : rows) {
      for (std::string& text : row) text = PrintableLine(text);
      row.insert(row.begin(), "      ");
    }
    differences_.text += TextTable(rows);
  }
  void Differ(const char* what, const std::string& text) {
    differences_.is_equal = false;
    Line(what, text);
  }

  // Text of a file of a run; nothing where it is missing.
  static Result<std::optional<std::string>> TextOf(const std::string& path) {
    Result<std::string> text = ReadFile(path, kMaxSpecBytes);
    if (text.ok()) return std::optional(*std::move(text));
    if (text.status().code() == Code::kNotFound) return std::optional<std::string>();
    return text.status();
  }

  Status CompareSpecFiles() {
    DF_ASSIGN(const std::optional<std::string> a, TextOf(a_ + "/spec.yaml"));
    DF_ASSIGN(const std::optional<std::string> b, TextOf(b_ + "/spec.yaml"));
    if (!a || !b) {
      Line("spec", Missing(a.has_value(), b.has_value(), "spec.yaml"));
      return Status();
    }
    const std::vector<SpecDifference> differences =
        CompareSpecs(ReadSpecLines(*a, /*settings_only=*/false), ReadSpecLines(*b, /*settings_only=*/false));
    if (differences.empty()) {
      Line("spec", "equal");
      return Status();
    }
    Differ("spec", StrCat(differences.size(), differences.size() == 1 ? " line differs" : " lines differ"));
    std::vector<std::vector<std::string>> rows;
    for (const SpecDifference& difference : differences) {
      AddRow(difference.path + ":", "A", difference.a, rows);
      AddRow("", "B", difference.b, rows);
    }
    Table(std::move(rows));
    return Status();
  }

  static void AddRow(const std::string& path, const char* run, const std::optional<SpecLine>& line,
                     std::vector<std::vector<std::string>>& rows) {
    rows.push_back({path, run, line ? line->text : "-", line ? "# " + line->origin : ""});
  }

  Status CompareMetricFiles() {
    const std::string a = a_ + "/metrics.jsonl";
    const std::string b = b_ + "/metrics.jsonl";
    if (!IsThere(a) || !IsThere(b)) {
      if (IsThere(a) != IsThere(b)) differences_.is_equal = false;
      Line("metrics", Missing(IsThere(a), IsThere(b), "metrics.jsonl"));
      return Status();
    }
    DF_ASSIGN(metrics_, CompareMetrics(a, b));
    if (metrics_.first.empty()) {
      Line("metrics", StrCat("equal in all bits, in the ", metrics_.steps, " logged steps that both have"));
    } else {
      Differ("metrics", StrCat("differ from step ", metrics_.first[0].step, " on"));
      TellFirst();
      if (metrics_.absolute) TellLargest("largest difference", *metrics_.absolute);
      if (metrics_.relative) TellLargest("largest relative difference", *metrics_.relative);
    }
    if (metrics_.first_only_a) Differ("metrics", StrCat("only A has step ", *metrics_.first_only_a));
    if (metrics_.first_only_b) Differ("metrics", StrCat("only B has step ", *metrics_.first_only_b));
    return Status();
  }

  void TellFirst() {
    std::vector<std::vector<std::string>> rows;
    for (const MetricDifference& difference : metrics_.first) {
      rows.push_back({difference.name, "A", difference.a.empty() ? "-" : difference.a, "B",
                      difference.b.empty() ? "-" : difference.b});
    }
    Table(std::move(rows));
  }

  void TellLargest(const char* what, const LargestDifference& largest) {
    Line("", StrCat(what, ": ", Number(largest.value), ", ", largest.of.name, " of step ", largest.of.step, ": ",
                    largest.of.a, " and ", largest.of.b));
  }

  Status CompareStateFiles() {
    const Result<StateContents> a = ReadStateLog(a_ + "/state.bin");
    const Result<StateContents> b = ReadStateLog(b_ + "/state.bin");
    for (const Status& status : {a.status(), b.status()}) {
      if (!status.ok() && status.code() != Code::kNotFound) return status;
    }
    if (!a.ok() || !b.ok()) {
      TellStateOfMetrics(Missing(a.ok(), b.ok(), "state.bin, the fingerprints of each variable"));
      return Status();
    }
    const StateComparison states = CompareStates(*a, *b);
    if (!states.only_a.empty()) Differ("state", StrCat("only A has the variables ", Named(states.only_a)));
    if (!states.only_b.empty()) Differ("state", StrCat("only B has the variables ", Named(states.only_b)));
    if (states.first >= 0) {
      Differ("state", StrCat("the variables differ from step ", states.first, " on: ", Named(states.variables)));
    } else {
      Line("state", StrCat("equal fingerprints of all variables, in the ", states.steps, " steps that both have"));
    }
    return Status();
  }

  // The fingerprint of all variables together, of metrics.jsonl.
  void TellStateOfMetrics(const std::string& missing) {
    if (metrics_.first_state) {
      Differ("state", StrCat("the variables differ from step ", *metrics_.first_state, " on; ", missing));
    } else if (metrics_.states > 0) {
      Line("state", StrCat("equal fingerprints, in ", metrics_.states, " steps; ", missing));
    } else {
      Line("state", missing);
    }
  }

  Status CompareTimes() {
    DF_ASSIGN(const TraceTimes a, ReadTraceTimes(a_));
    DF_ASSIGN(const TraceTimes b, ReadTraceTimes(b_));
    const auto ms = [](const StepTime& time) {
      return time.steps == 0 ? "-" : Number(time.seconds * 1e3 / static_cast<double>(time.steps));
    };
    if (metrics_.time_a.steps > 0 || metrics_.time_b.steps > 0)
      Line("time", StrCat("A ", ms(metrics_.time_a), ", B ", ms(metrics_.time_b), " ms a step"));
    if (a.steps == 0 || b.steps == 0) return Status();
    Line("", "by op, on all ranks, us a traced step:");
    Table(OpRows(a, b));
    return Status();
  }

  // The ops that take longest in either run come first.
  static std::vector<std::vector<std::string>> OpRows(const TraceTimes& a, const TraceTimes& b) {
    std::map<std::string, std::pair<double, double>> us;
    for (const auto& [op, time] : a.us_by_op) us[op].first = time / static_cast<double>(a.steps);
    for (const auto& [op, time] : b.us_by_op) us[op].second = time / static_cast<double>(b.steps);
    std::vector<std::pair<std::string, std::pair<double, double>>> ops(us.begin(), us.end());
    const auto longer = [](const auto& of) { return std::max(of.second.first, of.second.second); };
    std::stable_sort(ops.begin(), ops.end(), [&](const auto& x, const auto& y) { return longer(x) > longer(y); });
    std::vector<std::vector<std::string>> rows = {{"op", "A", "B", "B - A"}};
    for (const auto& [op, time] : ops) {
      rows.push_back({op, Number(time.first), Number(time.second), Number(time.second - time.first)});
    }
    return rows;
  }

  void CompareMachines() {
    const Result<RunStart> a = ReadRunStart(a_ + "/run.json");
    const Result<RunStart> b = ReadRunStart(b_ + "/run.json");
    if (!a.ok() || !b.ok()) return Line("machine", Missing(a.ok(), b.ok(), "run.json that can be read"));
    std::vector<std::vector<std::string>> rows;
    const auto add = [&](const char* what, const std::string& of_a, const std::string& of_b) {
      if (of_a != of_b) rows.push_back({what, "A", of_a, "B", of_b});
    };
    add("dfrun", a->version, b->version);
    add("ranks", StrCat(a->ranks), StrCat(b->ranks));
    add("hosts", Hosts(a->hosts), Hosts(b->hosts));
    if (rows.empty()) return Line("machine", "the same version, ranks and hosts");
    Line("machine", "differs, which does not count:");
    Table(std::move(rows));
  }

  // "node1 x4, node2".
  static std::string Hosts(const std::vector<std::string>& hosts) {
    std::map<std::string, int> counts;
    for (const std::string& host : hosts) ++counts[host];
    return Join(counts, ", ", [](const auto& count) {
      return StrCat(count.first, count.second > 1 ? StrCat(" x", count.second) : "");
    });
  }

  const std::string a_;
  const std::string b_;
  MetricsComparison metrics_;
  RunDifferences differences_;
};

}  // namespace

Result<RunDifferences> CompareRuns(const std::string& a, const std::string& b) {
  DF_TRY(CheckRun(a));
  DF_TRY(CheckRun(b));
  Report report(a, b);
  DF_TRY(report.Compare());
  return report.Take();
}

Result<int> ShowDifferences(const std::string& a, const std::string& b) {
  constexpr int kDifferent = 1;
  DF_ASSIGN(const RunDifferences differences, CompareRuns(a, b));
  WriteText(stdout, differences.text);
  return differences.is_equal ? 0 : kDifferent;
}

}  // namespace dfrun::jobs
