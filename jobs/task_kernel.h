// What a task of `dfrun bench tasks` computes, in a graph and outside of one.
#ifndef DFRUN_JOBS_TASK_KERNEL_H_
#define DFRUN_JOBS_TASK_KERNEL_H_

#include <cstdint>

namespace dfrun::jobs {

// The op, which has any number of scalars as inputs and one as output.
inline constexpr char kTaskOp[] = "_BenchTask";

// How many turns a task's loop takes from now on, in this process. While no task runs.
void SetTaskTurns(int64_t turns);
int64_t TaskTurns();
// A chain of so many multiply-adds, one turn each.
[[gnu::noinline]] double RunTask(double start, int64_t turns);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_TASK_KERNEL_H_
