// The dependence patterns of Task Bench (Slaughter et al., SC20). A grid has rows in time and columns in space, and
// each task reads tasks of the row before.
#ifndef DFRUN_JOBS_BENCH_TASK_PATTERN_H_
#define DFRUN_JOBS_BENCH_TASK_PATTERN_H_

#include <span>
#include <string_view>
#include <vector>

namespace dfrun::jobs {

struct TaskPattern {
  std::string_view name;
  // Returns the columns of row `row` - 1 that task `column` of row `row` >= 1 reads, in a grid of `width` columns.
  std::vector<int> (*sources)(int row, int column, int width);
};

// Returns trivial, stencil_1d, tree, fft, all_to_all, nearest, spread and random.
std::span<const TaskPattern> TaskPatterns();

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_BENCH_TASK_PATTERN_H_
