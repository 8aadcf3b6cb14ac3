#include "jobs/rank_end.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "src/base/log.h"
#include "src/base/printable.h"

namespace dfrun::jobs {
namespace {

// After a loss: for the steps to end in, until this rank is ended in its midst.
constexpr std::chrono::seconds kOrderly(4);
// For who speaks for all to be heard.
constexpr std::chrono::seconds kSpeakerFirst(2);
// For the launcher to end this process, which has asked it to.
constexpr std::chrono::seconds kLauncher(4);

[[noreturn]] void SleepForever() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

// Whoever read what this rank says may be gone: that is no reason to end by another code.
void Say(int rank, const std::string& text) {
  std::signal(SIGPIPE, SIG_IGN);
  std::fprintf(stderr, "dfrun: rank %d: %s\n", rank, PrintableText(text).c_str());
}

// Where nothing else has ended this process by then.
void ExitAfter(std::chrono::seconds wait, int exit_code) {
  std::thread([wait, exit_code] {
    std::this_thread::sleep_for(wait);
    std::_Exit(exit_code);
  }).detach();
}

}  // namespace

RankEnd::~RankEnd() {
  heartbeat_.reset();
  MutexLock lock(mu_);
  if (!loss_.ok()) AbortAll(loss_);
}

Status RankEnd::StartHeartbeat(const comm::WatchTimes& times) {
  std::vector<std::string> hosts;
  for (const comm::RankInfo& info : group_.ranks()) hosts.push_back(info.host);
  DF_ASSIGN(heartbeat_, comm::Heartbeat::Start(group_.bootstrap(), hosts,
                                               {.times = times,
                                                .on_lost = [this](const Status& loss, int rank) { OnLost(loss, rank); },
                                                .on_end = [this](int rank, int code) { OnEnd(rank, code); }}));
  return Status();
}

void RankEnd::AbortAll(const Status& error) {
  if (is_ending_.exchange(true)) SleepForever();
  const int exit_code = ExitCode(error.code());
  ExitAfter(kLauncher, exit_code);
  Say(group_.rank(), error.ToString());
  if (heartbeat_ != nullptr) heartbeat_->Leave(exit_code);
  group_.Abort(exit_code);
}

void RankEnd::AbortAfterLoss(const Status& error) {
  if (heartbeat_ != nullptr && heartbeat_->speaker() != group_.rank()) std::this_thread::sleep_for(kSpeakerFirst);
  AbortAll(error);
}

// On the heartbeats' thread, which goes on.
void RankEnd::OnLost(const Status& loss, int rank) {
  std::signal(SIGPIPE, SIG_IGN);
  if (rank == group_.rank()) {  // the others end without it
    ExitAfter(kLauncher, ExitCode(loss.code()));
    Say(rank, loss.ToString());
    std::_Exit(ExitCode(loss.code()));
  }
  {
    MutexLock lock(mu_);
    loss_ = loss;
  }
  std::thread([this, loss] {
    std::this_thread::sleep_for(kOrderly);
    AbortAfterLoss(loss);
  }).detach();
  // At once: a launcher that has seen the death too kills this rank soon, and the thread that leads may be in MPI. By
  // another thread: nobody may read.
  if (heartbeat_ == nullptr || heartbeat_->speaker() != group_.rank()) return;
  std::thread([loss] { DF_LOG(kWarning) << loss.message(); }).detach();
}

void RankEnd::OnStuck(const Status& stuck) {
  if (group_.size() == 1) AbortAll(stuck);
  std::thread([this, stuck] {
    std::this_thread::sleep_for(kOrderly);
    AbortAll(stuck);
  }).detach();
}

void RankEnd::OnEnd(int rank, int exit_code) {
  if (is_ending_) return;
  std::thread([rank, exit_code, own = group_.rank()] {
    std::this_thread::sleep_for(kLauncher);
    Say(own, StrCat("rank ", rank, " has ended the job, and the launcher does not end this rank: it ends itself"));
    std::_Exit(exit_code);
  }).detach();
}

}  // namespace dfrun::jobs
