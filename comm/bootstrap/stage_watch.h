// Bounds the start and the end of a rank, in which heartbeats do not watch the others yet, or no more: a thread says
// what this process waits for, looks for the reason among the ranks of its host, and ends the process.
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

// What a rank waits for.
struct Stage {
  const char* what = nullptr;  // of static lifetime; "MPI_Init, to which every rank must come"
  bool is_end = false;         // the results are written
  int exit_code = 76;          // that the process is ended with
  // Ends all ranks, from any thread; empty: this process ends, by which a launcher ends the others.
  std::function<void(int exit_code)> abort_all = {};
};

// It says what is waited for after 20 s, and every 60 s. The start ends after the timeout; sooner, where a rank of this
// host is known to have ended. The end ends after 60 s, or the timeout where that is less. Only time in which this
// process runs counts: ranks that are all stopped for a while go on.
// Thread safety: all methods from any thread.
class StageWatch {
 public:
  using Seconds = std::chrono::duration<double>;

  // It is one of the process because main() starts it, before there is anything that could hold it.
  static StageWatch& OfProcess();

  // Once, while the environment is the launcher's. Nothing is watched of a process that is alone, or whose ranks are
  // threads.
  void Start() EXCLUDES(mu_);
  // Nothing is watched from here on.
  void Stop() EXCLUDES(mu_);
  // 300 s before; 0: never.
  void SetTimeout(Seconds timeout) EXCLUDES(mu_);

  // From now on this is waited for; nullopt: nothing. What was before. Time goes on within the start, and within the
  // end. Blocks for ever where the process is being ended.
  std::optional<Stage> Enter(std::optional<Stage> stage) EXCLUDES(mu_);

  // At the end, after the ranks have left MPI: the lowest rank of a host waits for the others to end, since a launcher
  // waits for ever for one that is stopped.
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
  std::string rank_ GUARDED_BY(mu_);  // as the launcher tells it
  std::optional<Stage> stage_ GUARDED_BY(mu_);
  bool is_end_ GUARDED_BY(mu_) = false;  // what the times below are of
  Seconds timeout_ GUARDED_BY(mu_){300};
  Seconds waited_ GUARDED_BY(mu_){0};
  Seconds next_word_ GUARDED_BY(mu_){0};
  Seconds next_look_ GUARDED_BY(mu_){0};
  int looks_with_gone_ GUARDED_BY(mu_) = 0;  // one after the other
};

// A stage of the start, as long as it lives; then what was before.
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
