#include "src/runs/metrics_file.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "src/base/file.h"
#include "src/base/json/json.h"
#include "src/base/text.h"

namespace dfrun {
namespace {

constexpr size_t kFirstTail = size_t{16} << 10;
constexpr size_t kLongestTail = size_t{64} << 20;

bool Take(std::string_view& text, std::string_view what) {
  if (!text.starts_with(what)) return false;
  text.remove_prefix(what.size());
  return true;
}

// The length of the text in quotes that `text` begins with; 0 where it does not end.
size_t QuotedLength(std::string_view text) {
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1;
    if (text[i] == '\\') ++i;
  }
  return 0;
}

// Takes a name or a text with its quotes.
std::string_view TakeQuoted(std::string_view& text) {
  if (!text.starts_with('"')) return {};
  const std::string_view quoted = text.substr(0, QuotedLength(text));
  text.remove_prefix(quoted.size());
  return quoted;
}

std::string_view TakeValue(std::string_view& text) {
  if (text.starts_with('"')) return TakeQuoted(text);
  const std::string_view value = text.substr(0, std::min(text.find_first_of(",}[]{\" "), text.size()));
  text.remove_prefix(value.size());
  return value;
}

std::string_view NameIn(std::string_view quoted, MetricsLine& line) {
  if (quoted.find('\\') == std::string_view::npos) return quoted.substr(1, quoted.size() - 2);
  line.unescaped.push_back(TakeJsonString(quoted).value_or(std::string(quoted)));
  return line.unescaped.back();
}

bool Put(std::string_view name, std::string_view json, MetricsLine& line) {
  if (name == "step") {
    const std::optional<int64_t> step = ParseAs<int64_t>(json);
    line.step = step.value_or(-1);
    return step.has_value();
  }
  if (name == "wall_s") {
    line.wall_s = NumberOf(json).value_or(0);
  } else {
    line.values.push_back({name, json});
  }
  return true;
}

// Last values, of the lines from the last one on.
class LastValues {
 public:
  // Takes the whole lines of `text` that have names which were not seen yet.
  void TakeLines(std::string_view text) {
    while (!text.empty()) {
      const size_t end = text.rfind('\n');
      if (end == std::string_view::npos) return;
      text = text.substr(0, end);
      const size_t before = text.rfind('\n');
      const size_t begin = before == std::string_view::npos ? 0 : before + 1;
      if (ReadMetricsLine(text.substr(begin), &line_)) TakeLine();
      text = text.substr(0, begin);
    }
  }

  bool is_empty() const { return step_ < 0; }
  bool HasNameOf(const std::string& evaluation) const {
    const auto at = last_.lower_bound(evaluation + "/");
    return at != last_.end() && at->first.starts_with(evaluation + "/");
  }

  MetricsEnd End() const {
    MetricsEnd end{.step = std::max<int64_t>(step_, 0), .wall_s = wall_s_, .last = {}, .best = {}};
    for (const auto& [name, value] : last_) end.last.push_back(value);
    return end;
  }

 private:
  void TakeLine() {
    if (step_ < 0) std::tie(step_, wall_s_) = std::pair(line_.step, line_.wall_s);
    for (const MetricValue& value : line_.values) {
      if (IsOfMachine(value.name) || last_.contains(value.name)) continue;
      const std::string name(value.name);
      last_.emplace(name, LastMetric{name, std::string(value.json), line_.step});
    }
  }

  MetricsLine line_;
  int64_t step_ = -1;
  double wall_s_ = 0;
  std::map<std::string, LastMetric, std::less<>> last_;
};

// The last `bytes` bytes of the file, from the beginning of a line on.
Result<std::string> ReadTail(const FileDescriptor& file, uint64_t size, size_t bytes) {
  const size_t taken = std::min<uint64_t>(size, bytes);
  std::string text(taken, '\0');
  DF_TRY(file.ReadAt(size - taken, text.data(), taken));
  if (taken < size) text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
  return text;
}

// The last line of `text` that has a value of the evaluation, with its end; empty where there is none.
std::string_view LastLineOf(std::string_view text, const std::string& evaluation) {
  const std::string name = JsonString(evaluation + "/");
  const size_t at = text.rfind(", " + name.substr(0, name.size() - 1));
  if (at == std::string_view::npos) return {};
  const size_t end = text.find('\n', at);
  if (end == std::string_view::npos) return LastLineOf(text.substr(0, at), evaluation);  // torn
  const size_t before = text.rfind('\n', at);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return text.substr(begin, end + 1 - begin);
}

std::optional<BestMetric> FindBest(std::string_view text, const MetricGoal& goal) {
  const std::string name = StrCat(", ", JsonString(goal.metric), ": ");
  text = text.substr(0, text.rfind('\n') + 1);
  std::optional<BestMetric> best;
  MetricsLine line;
  for (size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    std::string_view rest = text.substr(at + name.size());
    const double value = NumberOf(TakeValue(rest)).value_or(std::numeric_limits<double>::quiet_NaN());
    if (std::isnan(value)) continue;
    if (best && (goal.is_max ? value <= best->value : value >= best->value)) continue;
    const size_t before = text.rfind('\n', at);
    const size_t begin = before == std::string_view::npos ? 0 : before + 1;
    if (ReadMetricsLine(text.substr(begin, text.find('\n', at) - begin), &line)) best = BestMetric{value, line.step};
  }
  return best;
}

}  // namespace

bool ReadMetricsLine(std::string_view text, MetricsLine* line) {
  line->values.clear();
  line->unescaped.clear();
  line->wall_s = 0;
  line->step = -1;
  if (!Take(text, "{")) return false;
  do {
    Take(text, " ");
    const std::string_view quoted = TakeQuoted(text);
    if (quoted.empty() || !Take(text, ":")) return false;
    Take(text, " ");
    const std::string_view value = TakeValue(text);
    if (value.empty() || !Put(NameIn(quoted, *line), value, *line)) return false;
  } while (Take(text, ","));
  return text == "}" && line->step >= 0;
}

std::optional<double> NumberOf(std::string_view json) {
  if (json == "true" || json == "false") return json == "true" ? 1 : 0;
  if (json == "\"NaN\"") return std::numeric_limits<double>::quiet_NaN();
  if (json == "\"Infinity\"") return std::numeric_limits<double>::infinity();
  if (json == "\"-Infinity\"") return -std::numeric_limits<double>::infinity();
  return ParseAs<double>(json);
}

bool IsOfMachine(std::string_view name) {
  return name == "wall_s" || name == "samples_per_s" || name.starts_with("waiting/") || name.starts_with("memory/") ||
         name.starts_with("async/") || name.starts_with("backup/");
}

Result<MetricsReader> MetricsReader::Open(const std::string& path) {
  DF_ASSIGN(LineReader lines, LineReader::Open(path));
  return MetricsReader(std::move(lines));
}

Result<bool> MetricsReader::Next(MetricsLine* line) {
  while (true) {
    std::string_view text;
    DF_ASSIGN(const bool is_line, lines_.Next(&text));
    if (!is_line || ReadMetricsLine(text, line)) return is_line;
  }
}

Result<MetricsEnd> ReadMetricsEnd(const std::string& path, const std::vector<std::string>& evaluations,
                                  const std::optional<MetricGoal>& goal) {
  DF_ASSIGN(const FileDescriptor file, FileDescriptor::OpenForReading(path));
  DF_ASSIGN(const uint64_t size, file.Size());
  DF_ASSIGN(std::string text, ReadTail(file, size, kFirstTail));
  LastValues values;
  values.TakeLines(text);
  const auto is_missing = [&](const std::string& evaluation) { return !values.HasNameOf(evaluation); };
  const bool lacks = values.is_empty() || std::any_of(evaluations.begin(), evaluations.end(), is_missing);
  if ((lacks || goal) && size > kFirstTail) {
    DF_ASSIGN(text, ReadTail(file, size, kLongestTail));
  }
  if (values.is_empty()) values.TakeLines(text);
  for (const std::string& evaluation : evaluations) {
    if (is_missing(evaluation)) values.TakeLines(LastLineOf(text, evaluation));
  }
  MetricsEnd end = values.End();
  if (goal) end.best = FindBest(text, *goal);
  return end;
}

}  // namespace dfrun
