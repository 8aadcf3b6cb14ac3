#include "comm/heartbeat/peer_watch.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "comm/heartbeat/host_thread.h"
#include "src/base/status.h"

namespace dfrun::comm {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

// Time that a launcher has to notice the end of a process and to end the job with that process's exit code.
constexpr milliseconds kLauncherFirst(300);
constexpr std::chrono::seconds kHalfLife(2);

double Tenths(SteadyClock::duration time) {
  return std::round(std::chrono::duration<double>(time).count() * 10) / 10;
}

}  // namespace

SteadyClock::duration WatchTimes::confirming_end() const {
  return std::min<SteadyClock::duration>(kLauncherFirst, confirming());
}

// Forgets the suspicion and the states that were seen.
void PeerWatch::IsAlive() {
  suspected_.reset();
  waited_since_.reset();
  seen_ = 0;
  has_ended_ = false;
}

void PeerWatch::Heard(SteadyClock::time_point now) {
  heard_ = silent_from_ = really_heard_ = now;
  heard_at_ = SystemClock::now();
  IsAlive();
}

void PeerWatch::WokenLate(SteadyClock::duration late) {
  if (heard_) *heard_ += late;
  if (waited_since_) *waited_since_ += late;
  if (late <= times_.confirming()) return;
  // All may have been stopped: some go on later than others.
  silent_from_ += late;
  if (suspected_) *suspected_ += late;
}

void PeerWatch::Ended(SteadyClock::time_point now) {
  if (!heard_ || has_ended_) return;
  Heard(now);
  has_ended_ = true;
}

void PeerWatch::Refuted(SteadyClock::time_point now) {
  if (!heard_) return;
  heard_ = silent_from_ = now;
  IsAlive();
}

// Restarts the silence of a peer at work, so that its thread is looked at again later, but no further than wait_most
// allows.
void PeerWatch::Seen(char state, SteadyClock::time_point now) {
  if (!suspected_ || has_ended_) return;
  seen_ = state;
  if (!IsAtWork(state)) return;
  if (!waited_since_) waited_since_ = now;
  const SteadyClock::time_point from = std::min(now, *waited_since_ + times_.wait_most - times_.dead_after);
  if (from <= silent_from_) return;
  silent_from_ = from;
  heard_ = std::max(*heard_, from);
  suspected_.reset();
}

SteadyClock::time_point PeerWatch::SuspectedFrom() const {
  return has_ended_ ? *heard_ : silent_from_ + times_.dead_after - times_.confirming();
}

SteadyClock::time_point PeerWatch::DeadFrom(SteadyClock::duration own_late) const {
  if (has_ended_) return *suspected_ + times_.confirming_end();
  const SteadyClock::time_point confirmed = *suspected_ + times_.confirming();
  if (IsStopped(seen_)) return confirmed;
  return std::max(confirmed, *heard_ + times_.dead_after) + own_late + peer_late_;
}

PeerWatch::Verdict PeerWatch::Look(SteadyClock::time_point now, SteadyClock::duration own_late) {
  if (!heard_ || !(has_ended_ || times_.minds_silence)) return Verdict::kNone;
  if (!suspected_) {
    if (now < SuspectedFrom()) return Verdict::kNone;
    suspected_ = now;
    return Verdict::kSuspect;
  }
  return now < DeadFrom(own_late) ? Verdict::kNone : Verdict::kDead;
}

std::string PeerWatch::Describe(SteadyClock::time_point now) const {
  if (has_ended_) return StrCat("its process has ended: its connection was closed at ", ClockText(heard_at_));
  const std::string silence =
      StrCat("no heartbeat for ", Tenths(now - really_heard_), " s, last heard at ", ClockText(heard_at_));
  if (seen_ == 0) return silence;
  const std::string waited =
      waited_since_ && suspected_ ? StrCat(", and was waited for ", Tenths(now - *waited_since_), " s") : "";
  return StrCat(silence, "; the thread of its heartbeats ", StateText(seen_), waited);
}

void LocalHealth::Note(SteadyClock::time_point now, SteadyClock::duration late) {
  most_ = std::max(Lately(now), late);
  noted_ = now;
}

SteadyClock::duration LocalHealth::Lately(SteadyClock::time_point now) const {
  const int64_t halves = std::min<int64_t>((now - noted_) / kHalfLife, 62);
  return most_ / (int64_t{1} << halves);
}

std::string ClockText(SystemClock::time_point time) {
  const std::time_t seconds = SystemClock::to_time_t(time);
  const auto ms = duration_cast<milliseconds>(time.time_since_epoch()).count() % 1000;
  std::tm local = {};
  ::localtime_r(&seconds, &local);
  char text[32] = {};
  std::snprintf(text, sizeof text, "%02d:%02d:%02d.%03d", local.tm_hour, local.tm_min, local.tm_sec,
                static_cast<int>(ms));
  return text;
}

}  // namespace dfrun::comm
