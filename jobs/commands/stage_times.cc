#include "jobs/commands/stage_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace dfrun::jobs {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

// Returns the time of a stage, or of all where `stage` is empty. Empty where none ran.
std::optional<Milliseconds> TimeOf(const CompiledStep& step, const std::string& stage) {
  std::optional<Milliseconds> sum;
  for (const StageTime& time : step.times) {
    if (stage.empty() || time.stage == stage) sum = sum.value_or(Milliseconds()) + time.time;
  }
  return sum;
}

std::string Cell(std::optional<Milliseconds> time) {
  return time ? fmt::format("{:>10.3f}", time->count()) : fmt::format("{:>10}", "-");
}

std::string Row(const std::string& title, const std::string& stage, size_t width,
                const std::vector<CompiledStep>& steps) {
  Milliseconds sum{};
  std::string cells;
  for (const CompiledStep& step : steps) {
    const std::optional<Milliseconds> time = TimeOf(step, stage);
    sum += time.value_or(Milliseconds());
    cells += Cell(time);
  }
  return fmt::format("{:<{}}{}{}\n", title, width, Cell(sum), cells);
}

// Returns them in the order of CompileStages().
std::vector<std::string> StagesThatRan(const std::vector<CompiledStep>& steps) {
  std::set<std::string> ran;
  for (const CompiledStep& step : steps) {
    for (const StageTime& time : step.times) ran.insert(time.stage);
  }
  std::vector<std::string> stages = CompileStages();
  std::erase_if(stages, [&](const std::string& stage) { return !ran.contains(stage); });
  return stages;
}

}  // namespace

std::string StageTimesTable(const std::vector<CompiledStep>& steps) {
  const std::vector<std::string> stages = StagesThatRan(steps);
  const std::string title = "milliseconds";
  size_t width = title.size();
  for (const std::string& stage : stages) width = std::max(width, stage.size());
  std::string text = fmt::format("{:<{}}{:>10}", title, width, "all");
  for (const CompiledStep& step : steps) text += fmt::format("{:>10}", step.name);
  text += "\n";
  for (const std::string& stage : stages) text += Row(stage, stage, width, steps);
  return text + Row("all", "", width, steps);
}

}  // namespace dfrun::jobs
