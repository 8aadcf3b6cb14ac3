#include "jobs/timing.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include "src/base/median.h"

namespace dfrun::jobs {

double Percentile99(std::vector<double> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() * 99 / 100);
  std::nth_element(values.begin(), at, values.end());
  return *at;
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

// Waits until the process has slept, for at most 0.3 s. After their work, threads of either side look for more for a
// while (OpenMP's for some 5 ms), and must not do so in the other side's time. A thread on another core shows in the
// process's time only with the kernel's next tick, so a look takes longer than a tick's 4 ms.
void Rest() {
  constexpr std::chrono::milliseconds kNap(5);
  constexpr double kBusySeconds = 0.0002;
  constexpr int kMaxNaps = 60;
  for (int i = 0; i < kMaxNaps; ++i) {
    const double before = Now(CLOCK_PROCESS_CPUTIME_ID);
    std::this_thread::sleep_for(kNap);
    if (Now(CLOCK_PROCESS_CPUTIME_ID) - before < kBusySeconds) return;
  }
}

}  // namespace

void BindOthers() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &allowed) && core != sched_getcpu()) cores.push_back(core);
  }
  if (cores.empty()) return;
  std::error_code error;
  size_t next = 0;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const pid_t thread = std::stoi(task.path().filename());
    if (thread == gettid()) continue;
    cpu_set_t core;
    CPU_ZERO(&core);
    CPU_SET(cores[next++ % cores.size()], &core);
    sched_setaffinity(thread, sizeof core, &core);
  }
}

TurnTimes TurnAbout(clockid_t clock, int rounds, FunctionRef<void()> value, FunctionRef<void()> limit) {
  std::vector<double> values;
  std::vector<double> limits;
  std::vector<double> ratios;
  value();
  Rest();
  limit();
  Rest();
  BindOthers();
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
