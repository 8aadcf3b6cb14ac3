#include "src/runs/run_cells.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "src/base/json/json.h"
#include "src/base/name_pattern.h"
#include "src/base/text.h"

namespace dfrun {
namespace {

constexpr std::string_view kBest = "best ";

RunCell CellOf(std::string text) {
  const std::optional<double> number = ParseAs<double>(text);
  return {std::move(text), number};
}

template <class T>
RunCell NumberCell(T number) {
  return {StrCat(number), static_cast<double>(number)};
}

RunCell DoubleCell(double number) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, number);
  return {std::string(text, end), number};
}

RunCell MetricCell(std::string_view json) {
  std::string_view rest = json;
  std::optional<std::string> text = TakeJsonString(rest);
  return {text ? *std::move(text) : std::string(json), NumberOf(json)};
}

std::string WithoutCode(const RunSummary& run) {
  return run.state == RunState::kFailed ? "failed" : DescribeState(run.state, run.start);
}

bool IsMax(const std::vector<RunSummary>& runs, std::string_view name) {
  if (name.starts_with(kBest)) name.remove_prefix(kBest.size());
  return std::any_of(runs.begin(), runs.end(),
                     [&](const RunSummary& run) { return run.goal && run.goal->is_max && run.goal->metric == name; });
}

// Negative where `a` comes before `b`.
int Compare(const RunCell& a, const RunCell& b) {
  const auto is_number = [](const RunCell& cell) { return cell.number && !std::isnan(*cell.number); };
  if (is_number(a) != is_number(b)) return is_number(a) ? -1 : 1;
  if (!is_number(a)) return a.text.compare(b.text);
  return *a.number < *b.number ? -1 : *a.number > *b.number ? 1 : 0;
}

}  // namespace

RunCells CellsOf(const RunSummary& run) {
  RunCells cells;
  cells["run"] = {run.path};
  cells["state"] = {WithoutCode(run)};
  cells["step"] = NumberCell(run.metrics.step);
  cells["time"] = DoubleCell(run.time_s);
  if (!run.name.empty()) cells["name"] = {run.name};
  if (run.steps) cells["steps"] = NumberCell(*run.steps);
  if (run.start) {
    cells["begin"] = {run.start->begin};
    cells["ranks"] = NumberCell(run.start->ranks);
    if (run.start->exit) cells["exit"] = NumberCell(*run.start->exit);
  }
  if (run.metrics.best) cells[StrCat(kBest, run.goal->metric)] = DoubleCell(run.metrics.best->value);
  for (const LastMetric& metric : run.metrics.last) cells.try_emplace(metric.name, MetricCell(metric.json));
  for (const auto& [name, value] : run.params) {
    cells.try_emplace(name, CellOf(value));
    cells.try_emplace("params." + name, CellOf(value));
  }
  return cells;
}

RunColumns ColumnsOf(const std::vector<RunSummary>& runs) {
  std::map<std::string, std::set<std::string>> params;
  std::map<std::string, size_t> having;
  size_t having_any = 0;
  std::set<std::string> best, last;
  for (const RunSummary& run : runs) {
    having_any += run.params.empty() ? 0 : 1;
    for (const auto& [name, value] : run.params) {
      if (run.of_params.contains(name)) continue;
      params[name].insert(value);
      ++having[name];
    }
    if (run.metrics.best) best.insert(StrCat(kBest, run.goal->metric));
    for (const LastMetric& metric : run.metrics.last) {
      if (NumberOf(metric.json)) last.insert(metric.name);
    }
  }
  RunColumns columns{{}, {best.begin(), best.end()}, {last.begin(), last.end()}};
  for (const auto& [name, values] : params) {
    if (values.size() > 1 || having[name] < having_any) columns.params.push_back(name);
  }
  return columns;
}

Status CheckName(const std::string& name, const std::vector<RunCells>& runs, std::string_view option) {
  std::set<std::string> names;
  for (const RunCells& cells : runs) {
    if (cells.contains(name)) return Status();
    for (const auto& [known, cell] : cells) {
      if (!known.starts_with("params.")) names.insert(known);
    }
  }
  const std::vector<std::string> nearest = NearestNames(NamePattern(name), {names.begin(), names.end()});
  return Error(Code::kUsage, option, ": no run has '", name, "'; the nearest names are ",
               Join(nearest, ", ", [](const std::string& near) { return StrCat("'", near, "'"); }));
}

Result<std::vector<size_t>> SortRuns(const std::vector<RunSummary>& runs, const std::vector<RunCells>& cells,
                                     const std::string& name) {
  std::vector<size_t> order(runs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (name.empty() || runs.empty()) return order;
  const bool is_reversed = name.starts_with('-');
  const std::string fact = name.substr(is_reversed ? 1 : 0);
  DF_TRY(CheckName(fact, cells, "--sort"));
  const bool largest_first = is_reversed != IsMax(runs, fact);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const auto of_a = cells[a].find(fact);
    const auto of_b = cells[b].find(fact);
    if (of_a == cells[a].end() || of_b == cells[b].end()) return of_a != cells[a].end() && of_b == cells[b].end();
    const int order_of_cells = Compare(of_a->second, of_b->second);
    return largest_first ? order_of_cells > 0 : order_of_cells < 0;
  });
  return order;
}

}  // namespace dfrun
