// Times for benchmarks: two bodies measured turn about, so that neighbours on the machine slow both alike.
#ifndef DFRUN_JOBS_BENCH_TIMING_H_
#define DFRUN_JOBS_BENCH_TIMING_H_

#include <ctime>
#include <vector>

#include "src/base/threads.h"

namespace dfrun::jobs {

// The middle one; of an even number the upper of the two.
double Median(std::vector<double> values);

// Seconds of a clock. CLOCK_MONOTONIC, or CLOCK_PROCESS_CPUTIME_ID for processor time of all threads together.
double Now(clockid_t clock);
// What one call of the body takes.
double Seconds(clockid_t clock, FunctionRef<void()> body);

// Puts the process's other threads, of either side, on cores beside that of the calling one, as a launcher binds them.
// Left to itself, the kernel of a virtual machine wakes a thread that rested on the core of its waker, where it has its
// turn after a tick: longer than a turn here.
void BindOthers();

struct TurnTimes {
  double value_s;  // median
  double limit_s;  // median
  double ratio;    // median over the rounds of limit / value: of speeds, value's by limit's
};
// Each body once without a clock, then in turn `rounds` times, with other threads bound (BindOthers).
TurnTimes TurnAbout(clockid_t clock, int rounds, FunctionRef<void()> value, FunctionRef<void()> limit);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_BENCH_TIMING_H_
