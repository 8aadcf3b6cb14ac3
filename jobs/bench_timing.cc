#include "jobs/bench_timing.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace dfrun::jobs {

namespace {

// Threads of either side look for work for a while after theirs is done (OpenMP's spin for a millisecond): they must
// not run in the other's time.
void Rest() {
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

}  // namespace

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

TurnTimes TurnAbout(clockid_t clock, int rounds, FunctionRef<void()> value, FunctionRef<void()> limit) {
  std::vector<double> values;
  std::vector<double> limits;
  std::vector<double> ratios;
  value();
  limit();
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
