#include "jobs/ranks/rank_end.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "comm/bootstrap/launcher.h"
#include "comm/bootstrap/rank_exit.h"
#include "comm/bootstrap/stage_watch.h"
#include "src/base/log.h"
#include "src/base/stop_request.h"

namespace dfrun::jobs {
namespace {

// Time for the steps to end after a loss, before this rank aborts.
constexpr std::chrono::seconds kOrderly(4);

// Time after which a rank that was not heard counts as one that heartbeats cannot reach. A rank that was heard once is
// missed from then on.
constexpr std::chrono::seconds kFirstHeartbeats(2);

[[noreturn]] void SleepForever() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

// Reports on another thread, because the write blocks if nobody reads.
void SayAside(const std::string& text) {
  std::thread([text] { DF_LOG(kWarning) << text; }).detach();
}

void Say(int rank, const std::string& text) {
  comm::SayAsRank(std::to_string(rank), text);
}

}  // namespace

RankEnd::~RankEnd() {
  heartbeat_.reset();
  MutexLock lock(mu_);
  if (!loss_.ok()) AbortAll(loss_);
}

Status RankEnd::StartHeartbeat(const comm::WatchTimes& times) {
  const comm::StartStage stage("every rank to open its heartbeats");
  std::vector<std::string> hosts;
  for (const comm::RankInfo& info : group_.ranks()) hosts.push_back(info.host);
  DF_ASSIGN(heartbeat_, comm::Heartbeat::Start(group_.bootstrap(), hosts,
                                               {.times = times,
                                                .on_lost = [this](const Status& loss, int rank) { OnLost(loss, rank); },
                                                .on_wait = SayAside,
                                                .on_end = [this](int rank, int code) { OnEnd(rank, code); }}));
  if (!comm::RanksAreThreads()) heartbeat_->AwaitFirst(kFirstHeartbeats);
  return Status();
}

void RankEnd::AbortAll(const Status& error) {
  if (is_ending_.exchange(true)) SleepForever();
  const int exit_code = ExitCodeAfterStop(error.code());
  comm::ExitAfter(comm::kLauncherEnds, exit_code);
  Say(group_.rank(), error.ToString());
  if (heartbeat_ != nullptr) heartbeat_->Leave(exit_code);
  group_.Abort(exit_code);
}

void RankEnd::AbortAfterLoss(const Status& error) {
  if (heartbeat_ != nullptr && heartbeat_->coordinator() != group_.rank())
    std::this_thread::sleep_for(comm::kCoordinatorFirst);
  AbortAll(error);
}

// Runs on the heartbeat thread, which must go on.
void RankEnd::OnLost(const Status& loss, int rank) {
  std::signal(SIGPIPE, SIG_IGN);
  if (rank == group_.rank()) {  // this rank was declared dead: the others end without it
    comm::ExitAfter(comm::kLauncherEnds, ExitCode(loss.code()));
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
  // Report the loss at once: a launcher that has seen the death too kills this rank soon, and the thread that leads may
  // be in MPI.
  if (heartbeat_ != nullptr && heartbeat_->coordinator() == group_.rank()) SayAside(loss.message());
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
    std::this_thread::sleep_for(comm::kLauncherEnds);
    Say(own, StrCat("rank ", rank, " has ended the job, and the launcher does not end this rank: it ends itself"));
    std::_Exit(exit_code);
  }).detach();
}

}  // namespace dfrun::jobs
