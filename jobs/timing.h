// Timing for benchmarks: two bodies are measured in alternation, so that other load on the machine slows both alike.
#ifndef DFRUN_JOBS_TIMING_H_
#define DFRUN_JOBS_TIMING_H_

#include <ctime>
#include <vector>

#include "src/base/threads.h"

namespace dfrun::jobs {

// Returns the value that 99 of 100 are not above.
double Percentile99(std::vector<double> values);

// Returns the seconds of a clock: CLOCK_MONOTONIC, or CLOCK_PROCESS_CPUTIME_ID for processor time of all threads
// together.
double Now(clockid_t clock);
// Returns the seconds that one call of the body takes.
double Seconds(clockid_t clock, FunctionRef<void()> body);

// Puts the process's other threads on other cores than the calling thread, as a launcher would. Otherwise the kernel of
// a virtual machine wakes a sleeping thread on the core of its waker, where it waits for a scheduler tick; that is
// longer than a round here.
void BindOthers();

struct TurnTimes {
  double value_s;  // median
  double limit_s;  // median
  double ratio;    // median over the rounds of limit / value in seconds, which is the ratio of their speeds
};
// Runs each body once untimed, then `rounds` times in alternation, with other threads bound (BindOthers).
TurnTimes TurnAbout(clockid_t clock, int rounds, FunctionRef<void()> value, FunctionRef<void()> limit);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_TIMING_H_
