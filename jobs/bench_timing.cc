#include "jobs/bench_timing.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace dfrun::jobs {

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double Now(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

double Seconds(clockid_t clock, FunctionRef<void()> body) {
  const double start = Now(clock);
  body();
  return Now(clock) - start;
}

namespace {

// Threads of either side look for work for a while after theirs is done (OpenMP's for some 5 ms): they must not run in
// the other's time. Returns when the process has slept, within 0.3 s. A thread on another core shows in the process's
// time with the kernel's next tick, so a look takes longer than a tick's 4 ms.
void Rest() {
  constexpr std::chrono::milliseconds kNap(5);
  constexpr double kBusySeconds = 0.0002;
  constexpr int kMostNaps = 60;
  for (int i = 0; i < kMostNaps; ++i) {
    const double before = Now(CLOCK_PROCESS_CPUTIME_ID);
    std::this_thread::sleep_for(kNap);
    if (Now(CLOCK_PROCESS_CPUTIME_ID) - before < kBusySeconds) return;
  }
}

}  // namespace

TurnTimes TurnAbout(clockid_t clock, int rounds, FunctionRef<void()> value, FunctionRef<void()> limit) {
  std::vector<double> values;
  std::vector<double> limits;
  std::vector<double> ratios;
  value();
  Rest();
  limit();
  Rest();
  for (int i = 0; i < rounds; ++i) {
    values.push_back(Seconds(clock, value));
    Rest();
    limits.push_back(Seconds(clock, limit));
    Rest();
    ratios.push_back(limits.back() / values.back());
  }
  return {Median(values), Median(limits), Median(ratios)};
}

}  // namespace dfrun::jobs
