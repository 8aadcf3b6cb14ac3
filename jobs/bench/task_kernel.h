// The computation of a task of `dfrun bench tasks`, as an op of a graph and as a plain function.
#ifndef DFRUN_JOBS_BENCH_TASK_KERNEL_H_
#define DFRUN_JOBS_BENCH_TASK_KERNEL_H_

#include <cstdint>

namespace dfrun::jobs {

// Name of the op, which has any number of scalars as inputs and one as output.
inline constexpr char kTaskOp[] = "_BenchTask";

// Sets how many turns a task's loop takes from now on, in this process. Called while no task runs.
void SetTaskTurns(int64_t turns);
int64_t TaskTurns();
// Runs a chain of multiply-adds, one per turn.
[[gnu::noinline]] double RunTask(double start, int64_t turns);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_BENCH_TASK_KERNEL_H_
