// A watchdog for the start and the end of a rank, when no heartbeats watch the other ranks. Its thread reports what
// this process waits for, looks for the reason among the ranks of this host, and ends the process after a timeout.
//
//   StageWatch::OfProcess().Start();                                            // the first that main() does
//   const StartStage stage("MPI_Init, to which every rank must come");          // where the others are waited for
//   ...
//   StageWatch::OfProcess().Enter({.what = "...", .is_end = true, .exit_code = code});
#ifndef DFRUN_COMM_BOOTSTRAP_STAGE_WATCH_H_
#define DFRUN_COMM_BOOTSTRAP_STAGE_WATCH_H_

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "comm/bootstrap/host_ranks.h"
#include "src/base/mutex.h"

namespace dfrun::comm {

// A wait of this rank for other ranks.
struct Stage {
  const char* what = nullptr;  // static lifetime; "MPI_Init, to which every rank must come"
  bool is_end = false;         // true: the results are written already
  int exit_code = 76;          // exit code of a process that the watch ends
  // Ends all ranks; called from any thread. Empty: only this process ends, and the launcher then ends the others.
  std::function<void(int exit_code)> abort_all = {};
};

// Reports the current wait after 20 s and then every 60 s. The start is ended after the timeout, or sooner if a rank of
// this host is known to have ended. The end is ended after 60 s or the timeout, whichever is less. Only time in which
// this process runs counts, so ranks that are all stopped for a while are not ended.
// Thread safety: all methods from any thread.
class StageWatch {
 public:
  using Seconds = std::chrono::duration<double>;

  // Returns the watch of this process. There is one per process because main() starts it before any object could own
  // it.
  static StageWatch& OfProcess();

  // Starts the thread. Called once, while the environment is still the launcher's. A process that is alone, or whose
  // ranks are threads, is not watched.
  void Start() EXCLUDES(mu_);
  // Ends the watching for good.
  void Stop() EXCLUDES(mu_);
  // Sets the time after which the start is ended: 300 s by default; 0: never.
  void SetTimeout(Seconds timeout) EXCLUDES(mu_);

  // Replaces the current stage and returns the one before; nullopt: nothing is awaited. The time runs on over all
  // stages of the start, and over all stages of the end.
  // Blocks: for ever if the process is being ended.
  std::optional<Stage> Enter(std::optional<Stage> stage) EXCLUDES(mu_);

  // Waits, on the lowest rank of a host, for the host's other ranks to end, after the ranks have left MPI: a launcher
  // waits for ever for a stopped rank.
  void AwaitRanksOfHost() EXCLUDES(mu_);

 private:
  using Clock = std::chrono::steady_clock;

  StageWatch() = default;
  void Main();
  void Tick(Seconds passed) REQUIRES(mu_);
  void LookForGone() REQUIRES(mu_);
  bool SpeaksForHost(const std::vector<HostRank>& others) const REQUIRES(mu_);
  std::string WhatIsSeen(const std::vector<HostRank>& others) const REQUIRES(mu_);
  void Say() REQUIRES(mu_);
  [[noreturn]] void End(const std::string& why) REQUIRES(mu_);

  Mutex mu_;
  CondVar changed_;
  bool is_on_ GUARDED_BY(mu_) = false;
  std::optional<HostRanks> host_ GUARDED_BY(mu_);
  std::string rank_ GUARDED_BY(mu_);  // rank from the launcher's environment
  std::optional<Stage> stage_ GUARDED_BY(mu_);
  bool is_end_ GUARDED_BY(mu_) = false;  // whether the times below belong to the end
  Seconds timeout_ GUARDED_BY(mu_){300};
  Seconds waited_ GUARDED_BY(mu_){0};
  Seconds next_word_ GUARDED_BY(mu_){0};
  Seconds next_look_ GUARDED_BY(mu_){0};
  int looks_at_ended_rank_ GUARDED_BY(mu_) = 0;  // consecutive looks that found an ended rank
};

// Enters a stage of the start in its constructor and restores the previous stage in its destructor.
class StartStage {
 public:
  explicit StartStage(const char* what) : before_(StageWatch::OfProcess().Enter(Stage{.what = what})) {}
  ~StartStage() { StageWatch::OfProcess().Enter(before_); }
  StartStage(const StartStage&) = delete;
  StartStage& operator=(const StartStage&) = delete;

 private:
  const std::optional<Stage> before_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_STAGE_WATCH_H_
