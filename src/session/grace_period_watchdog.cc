#include "src/session/grace_period_watchdog.h"

#include <cmath>
#include <utility>

namespace dfrun {

GracePeriodWatchdog::GracePeriodWatchdog(StopRequest& request, Seconds grace, End end)
    : request_(request), end_(std::move(end)), grace_(grace), thread_([this] { Watch(); }) {}

GracePeriodWatchdog::~GracePeriodWatchdog() {
  Disarm();
  request_.Wake();
  thread_.join();
}

void GracePeriodWatchdog::SetSaves(bool saves) {
  MutexLock lock(mu_);
  saves_ = saves;
}

bool GracePeriodWatchdog::saves() {
  MutexLock lock(mu_);
  return saves_;
}

void GracePeriodWatchdog::SetCommitted(std::string committed) {
  MutexLock lock(mu_);
  committed_ = std::move(committed);
}

void GracePeriodWatchdog::SetGrace(Seconds grace) {
  MutexLock lock(mu_);
  grace_ = grace;
  changed_.NotifyAll();
}

void GracePeriodWatchdog::Disarm() {
  MutexLock lock(mu_);
  is_over_ = true;
  changed_.NotifyAll();
}

void GracePeriodWatchdog::Watch() {
  using Clock = std::chrono::steady_clock;
  request_.Wait();
  const Clock::time_point asked = Clock::now();
  Status overdue;
  {
    MutexLock lock(mu_);
    while (!is_over_ && Clock::now() - asked < grace_) changed_.WaitFor(mu_, grace_ - (Clock::now() - asked));
    if (is_over_) return;
    overdue = Overdue();
  }
  end_(overdue);
}

Status GracePeriodWatchdog::Overdue() const {
  const int signal = request_.signal();
  const bool has_saved = !committed_ || !committed_->empty();
  return Error(
      StopCode(signal, saves_ && has_saved), SignalName(signal), ": what was in progress did not end within ",
      std::round(grace_.count() * 10) / 10, " s, and is given up",
      committed_ || !saves_ ? StrCat("; ", committed_.value_or("").empty() ? "nothing is saved" : *committed_) : "");
}

}  // namespace dfrun
