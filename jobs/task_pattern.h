// The patterns of dependence of Task Bench (Slaughter et al., SC20): a grid of tasks, rows in time and columns in
// space, each of which reads tasks of the row before.
#ifndef DFRUN_JOBS_TASK_PATTERN_H_
#define DFRUN_JOBS_TASK_PATTERN_H_

#include <span>
#include <string_view>
#include <vector>

namespace dfrun::jobs {

struct TaskPattern {
  std::string_view name;
  // The columns of row `row` - 1, of so many columns, that task `column` of row `row` >= 1 reads.
  std::vector<int> (*sources)(int row, int column, int width);
};

// trivial, stencil_1d, tree, fft, all_to_all, nearest, spread, random.
std::span<const TaskPattern> TaskPatterns();

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_TASK_PATTERN_H_
