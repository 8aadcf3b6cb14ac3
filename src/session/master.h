// Master: rank 0's side of a session. It compiles signatures, hands the other ranks their parts, and requests steps.
// docs/step-protocol.md is the protocol.
#ifndef DFRUN_SRC_SESSION_MASTER_H_
#define DFRUN_SRC_SESSION_MASTER_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/base/mutex.h"
#include "src/executor/step_trace.h"
#include "src/partition/partition.h"
#include "src/passes/prune.h"
#include "src/placement/cluster.h"
#include "src/session/runtime.h"
#include "src/session/session_options.h"
#include "src/session/step_runner.h"

namespace dfrun {

namespace control {
class Message;
}

// A compiled signature. Immutable but for what its plans keep.
struct Executable {
  int64_t id = 0;
  std::vector<std::string> feeds;  // names, for messages
  size_t num_fetches = 0;
  int64_t num_nodes = 0;
  std::vector<int> idle_ranks;  // those that have no node of it
  // What RunSteps() asks for at once; the rounds' lock guards it.
  int64_t steps_per_request = 1;
  std::unique_ptr<RankPart> part;  // of rank 0; null when its containers have been reset
};

// Thread safety: all methods from any thread. Lock order: round_mu_ before mu_.
class Master {
 public:
  Master(Runtime& runtime, Graph graph, Cluster cluster, const SessionOptions& options, int64_t session_id);
  ~Master();
  Master(const Master&) = delete;
  Master& operator=(const Master&) = delete;

  // Makes every rank's devices.
  Status StartTasks() EXCLUDES(round_mu_);
  Result<Executable*> Prepare(const RunSignature& signature, bool optimize) EXCLUDES(round_mu_, mu_);
  Status Extend(const std::function<Status(Graph&)>& add) EXCLUDES(round_mu_, mu_);
  Status ResetContainers(const std::vector<std::string>& names) EXCLUDES(round_mu_, mu_);
  Status RunStep(Executable& executable, std::span<const Tensor> feeds, std::span<Tensor> fetches) EXCLUDES(round_mu_);
  Status RunSteps(Executable& executable, int64_t steps, AtNotFinite at_not_finite) EXCLUDES(round_mu_);
  Status CheckNumerics(const RunSignature& signature, bool optimize, std::span<Tensor> fetches)
      EXCLUDES(round_mu_, mu_);
  void StartTrace();
  Status WriteTrace(const std::string& prefix) EXCLUDES(round_mu_);
  Status Close() EXCLUDES(round_mu_, mu_);

  // As it is now: it does not change.
  std::shared_ptr<const Graph> graph() const EXCLUDES(mu_);
  int64_t steps_run() const { return next_step_.load(); }
  int64_t steps_not_finite() const { return runtime_.runner().steps_not_finite(); }
  bool optimizes() const { return optimize_; }

 private:
  // Null if there is none yet.
  Executable* FindExecutable(const std::string& key) const EXCLUDES(mu_);
  Result<std::unique_ptr<Executable>> Compile(const RunSignature& signature, bool optimize) REQUIRES(round_mu_);
  Status Register(const std::vector<Partition>& partitions, Executable& executable) REQUIRES(round_mu_);
  // What the parts of other ranks read, as this rank finds it.
  void AddFiles(const std::vector<Partition>& partitions, std::vector<control::Message>& requests) REQUIRES(round_mu_);
  Status CheckArgs(const Executable& executable, size_t feeds, size_t fetches) const;
  Status CheckFeeds(const Executable& executable, std::span<const Tensor> feeds) const;
  // Steps on all ranks; a failure ends the session.
  Status RunRound(Executable& executable, const StepArgs& args, int64_t steps,
                  AtNotFinite at_not_finite = AtNotFinite::kGoOn) REQUIRES(round_mu_);
  // Up to `most` steps that feed and fetch nothing, in a round of bounded length: how many were asked for.
  Result<int64_t> RunSomeSteps(Executable& executable, int64_t most, AtNotFinite at_not_finite) EXCLUDES(round_mu_);

  // A round begins with a request to every other rank and is over when all are done; its status is the first error in
  // time, of this rank or another.
  int64_t BeginRound(control::Message& request) REQUIRES(round_mu_);
  Status FinishRound(int64_t round, const RankStatus& own) REQUIRES(round_mu_);

  void EndSession(const Status& status) EXCLUDES(mu_);
  // The error that ended the session, if one did.
  Status session_status() const EXCLUDES(mu_);
  StepTrace* trace() { return tracing_.load(std::memory_order_relaxed) ? &trace_ : nullptr; }

  Runtime& runtime_;
  const int64_t session_id_;
  const Cluster cluster_;
  const bool optimize_;
  const bool soft_placement_;
  const FileRules files_;
  const bool several_ranks_;
  std::atomic<int64_t> next_step_{0};
  StepTrace trace_;
  std::atomic<bool> tracing_{false};

  Mutex round_mu_;  // held from a round's request to its end
  int32_t next_channel_ GUARDED_BY(round_mu_) = 0;
  int64_t next_executable_ GUARDED_BY(round_mu_) = 0;
  std::set<std::pair<int, std::string>> checked_files_ GUARDED_BY(round_mu_);  // by rank and path
  mutable Mutex mu_;
  std::atomic<bool> ended_{false};  // status_ is not OK
  Status status_ GUARDED_BY(mu_);
  std::shared_ptr<const Graph> graph_ GUARDED_BY(mu_);
  std::map<std::string, std::unique_ptr<Executable>> executables_ GUARDED_BY(mu_);
  std::vector<std::unique_ptr<Executable>> ended_executables_
      GUARDED_BY(mu_);  // of handles that callers may still hold
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_MASTER_H_
