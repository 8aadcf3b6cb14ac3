#include "src/runs/trace_times.h"

#include <set>
#include <string_view>

#include "src/base/text.h"
#include "src/runs/line_reader.h"

namespace dfrun {
namespace {

// The text of the member behind `name`, to the first of `ends`.
std::string_view MemberOf(std::string_view line, std::string_view name, std::string_view ends) {
  const size_t at = line.find(name);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = line.substr(at + name.size());
  return rest.substr(0, rest.find_first_of(ends));
}

// Each event stands on a line of its own, and only nodes have an op.
void TakeEvent(std::string_view line, std::set<int64_t>& steps, TraceTimes& times) {
  const std::string_view op = MemberOf(line, "\"op\":\"", "\"");
  if (op.empty() || line.find("\"ph\":\"X\"") == std::string_view::npos) return;
  const std::optional<double> us = ParseAs<double>(MemberOf(line, "\"dur\":", ",}"));
  const std::optional<int64_t> step = ParseAs<int64_t>(MemberOf(line, "\"step\":", ",}"));
  if (!us || !step) return;
  steps.insert(*step);
  times.us_by_op[std::string(op)] += *us;
}

}  // namespace

Result<TraceTimes> ReadTraceTimes(const std::string& run) {
  TraceTimes times;
  std::set<int64_t> steps;
  for (int rank = 0;; ++rank) {
    Result<LineReader> lines = LineReader::Open(StrCat(run, "/trace/rank-", rank, ".json"));
    if (lines.status().code() == Code::kNotFound) break;
    DF_TRY(lines.status());
    std::string_view line;
    while (true) {
      DF_ASSIGN(const bool is_line, lines->Next(&line));
      if (!is_line) break;
      TakeEvent(line, steps, times);
    }
  }
  times.steps = static_cast<int64_t>(steps.size());
  return times;
}

}  // namespace dfrun
