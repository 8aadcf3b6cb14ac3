#include "comm/bootstrap/stage_watch.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <thread>
#include <utility>

#include "comm/bootstrap/launcher.h"
#include "comm/bootstrap/rank_exit.h"
#include "src/base/status.h"
#include "src/base/text.h"

namespace dfrun::comm {
namespace {

using Seconds = StageWatch::Seconds;

constexpr std::chrono::milliseconds kTick(250);
constexpr Seconds kLongestTick(1);  // a longer tick means that this process was stopped
constexpr Seconds kFirstWord(20);
constexpr Seconds kBetweenWords(60);
constexpr Seconds kLongestEnd(60);
// A launcher starts the ranks of a host one after the other. After this time a missing rank has ended.
constexpr Seconds kFirstLook(10);
constexpr Seconds kBetweenLooks(3);
constexpr int kLooksToBeGone = 2;

// Describes what is wrong with a rank; empty if nothing is.
std::string WhatAils(const HostRank& rank) {
  const std::string process = rank.pid == 0 ? "" : StrCat("(process ", rank.pid, " of this host) ");
  const std::string name = rank.rank < 0 ? "a rank of this host " : StrCat("rank ", rank.rank, " ", process);
  if (rank.has_ended()) return StrCat(name, "has ended");
  if (rank.is_stopped()) return StrCat(name, "is stopped (state ", rank.state, ")");
  if (!rank.is_ours) return StrCat(name, "runs '", rank.program, "'");
  if (rank.state == 'D') return StrCat(name, "waits for a disk or a file system (state D)");
  return "";
}

}  // namespace

StageWatch& StageWatch::OfProcess() {
  static StageWatch& watch = *new StageWatch();  // never destroyed, because its thread runs to the end of the process
  return watch;
}

void StageWatch::Start() {
  if (RanksAreThreads() || RanksStarted().count <= 1) return;
  {
    MutexLock lock(mu_);
    is_on_ = true;
    host_.emplace();
    rank_ = RankText() == nullptr ? "?" : RankText();
  }
  // Block all signals in the new thread: they are for the threads that were there before.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([this] { Main(); }).detach();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void StageWatch::Stop() {
  MutexLock lock(mu_);
  is_on_ = false;
  changed_.NotifyAll();
}

void StageWatch::SetTimeout(Seconds timeout) {
  MutexLock lock(mu_);
  timeout_ = timeout;
}

std::optional<Stage> StageWatch::Enter(std::optional<Stage> stage) {
  MutexLock lock(mu_);
  std::optional<Stage> before = std::exchange(stage_, stage);
  if (stage_ && (stage_->is_end != is_end_ || !before)) {
    is_end_ = stage_->is_end;
    waited_ = Seconds(0);
    next_word_ = kFirstWord;
    next_look_ = kFirstLook;
    looks_at_ended_rank_ = 0;
  }
  changed_.NotifyAll();
  return before;
}

void StageWatch::Main() {
  MutexLock lock(mu_);
  Clock::time_point last = Clock::now();
  while (is_on_) {
    changed_.WaitFor(mu_, stage_ ? kTick : std::chrono::hours(1));
    const Clock::time_point now = Clock::now();
    const Seconds passed = std::min<Seconds>(now - last, kLongestTick);
    last = now;
    if (is_on_ && stage_) Tick(passed);
  }
}

void StageWatch::Tick(Seconds passed) {
  waited_ += passed;
  const Seconds limit = stage_->is_end && timeout_.count() > 0 ? std::min(timeout_, kLongestEnd) : timeout_;
  if (limit.count() > 0 && waited_ >= limit) {
    End(stage_->is_end
            ? StrCat("the results are written, and the ranks have not all ended within ", limit.count(), " s")
            : StrCat("the ranks have not all started within ", limit.count(), " s (--start-timeout)"));
  }
  if (!stage_->is_end && waited_ >= next_look_) LookForGone();
  if (waited_ < next_word_) return;
  Say();
  next_word_ += kBetweenWords;
}

// Ends the process if two looks in a row have found an ended rank.
void StageWatch::LookForGone() {
  next_look_ = waited_ + kBetweenLooks + Seconds(0.02 * host_->size());
  const std::vector<HostRank> others = host_->Look();
  const bool is_gone =
      std::any_of(others.begin(), others.end(), [](const HostRank& other) { return other.has_ended(); });
  looks_at_ended_rank_ = is_gone ? looks_at_ended_rank_ + 1 : 0;
  if (looks_at_ended_rank_ >= kLooksToBeGone) End("a rank has ended before all had started");
}

// Returns whether this rank reports for the host: no lower rank of it runs this program.
bool StageWatch::SpeaksForHost(const std::vector<HostRank>& others) const {
  const int own_rank = host_->own_rank();
  return std::none_of(others.begin(), others.end(), [&](const HostRank& other) {
    return other.rank < own_rank && other.is_ours && !other.is_stopped() && !other.has_ended();
  });
}

std::string StageWatch::WhatIsSeen(const std::vector<HostRank>& others) const {
  std::vector<std::string> ailing;
  for (const HostRank& other : others) {
    if (stage_->is_end && other.has_ended()) continue;
    if (const std::string text = WhatAils(other); !text.empty()) ailing.push_back(text);
  }
  if (!ailing.empty()) return Join(ailing, "; ");
  const size_t here = others.size() + 1;
  return StrCat("the ", here, " ranks that are seen on this host are no reason",
                here < static_cast<size_t>(host_->size()) ? StrCat("; there are ", host_->size(), " in all") : "");
}

void StageWatch::Say() {
  const std::vector<HostRank> others = host_->Look();
  if (!SpeaksForHost(others)) return;
  SayAsRank(rank_,
            StrCat("warning: ", stage_->is_end ? "the results are written, and the end" : "the start",
                   " has waited for ", std::round(waited_.count()), " s for ", stage_->what, ": ", WhatIsSeen(others)));
}

void StageWatch::End(const std::string& why) {
  const Stage stage = *stage_;
  ExitAfter(kLauncherEnds, stage.exit_code);  // ends this process if the launcher does not
  const std::vector<HostRank> others = host_->Look();
  if (!SpeaksForHost(others)) std::this_thread::sleep_for(kCoordinatorFirst);
  SayAsRank(rank_, StrCat(why, "; what is waited for is ", stage.what, ": ", WhatIsSeen(others), "; it ends with ",
                          stage.exit_code));
  if (stage.abort_all) stage.abort_all(stage.exit_code);
  std::_Exit(stage.exit_code);
}

void StageWatch::AwaitRanksOfHost() {
  std::vector<HostRank> others;
  {
    MutexLock lock(mu_);
    if (!is_on_ || !stage_) return;
    others = host_->Look();
    if (!SpeaksForHost(others)) return;
  }
  for (const HostRank& other : others) {
    for (std::chrono::microseconds wait(500); HostRanks::IsThere(other);) {
      std::this_thread::sleep_for(wait);
      wait = std::min<std::chrono::microseconds>(wait * 2, std::chrono::milliseconds(20));
    }
  }
}

}  // namespace dfrun::comm
