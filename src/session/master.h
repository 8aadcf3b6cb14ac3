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
#include "src/partition/partition.h"
#include "src/passes/prune.h"
#include "src/placement/cluster.h"
#include "src/session/pending_step.h"
#include "src/session/runtime.h"
#include "src/session/session_options.h"
#include "src/session/step_runner.h"
#include "src/session/step_slots.h"

namespace dfrun {

namespace control {
class Message;
}

class ControlRound;
class SignatureCompiler;
struct CompileOptions;

// A compiled signature. Immutable but for the state in its plans.
struct Executable {
  explicit Executable(int32_t max_slots) : slots(max_slots) {}
  int64_t id = 0;
  std::vector<std::string> feeds;  // names, for messages
  size_t num_fetches = 0;
  int64_t num_nodes = 0;
  std::vector<int> idle_ranks;                // ranks that have no node of it
  std::vector<std::string> devices;           // full names of those that have one
  bool tells_memory = false;                  // Session::TellMemoryAfter()
  bool keep_graphs = false;                   // LocalExecutable::graphs, on all ranks
  std::atomic<int64_t> steps_per_request{1};  // steps that RunSteps() asks for at once
  StepSlots slots;                            // the master's mu_ guards it
  std::unique_ptr<LocalExecutable> part;      // rank 0's part; null when its containers have been reset
};

// Thread safety: all methods from any thread. Lock order: change_mu_, request_mu_, mu_.
class Master final : private PendingStepHost {
 public:
  // `cluster`: of StartTasks() (src/session/start_tasks.h).
  Master(Runtime& runtime, Graph graph, Cluster cluster, const SessionOptions& options, int64_t session_id);
  ~Master();
  Master(const Master&) = delete;
  Master& operator=(const Master&) = delete;

  // `for_check`: for steps whose nodes may be captured; the handle is another one then.
  Result<Executable*> Prepare(const RunSignature& signature, bool optimize, bool for_check = false)
      EXCLUDES(change_mu_, mu_);
  // Prepares several signatures: one that differs from another in names alone takes a small part of its time
  // (compile_copies.h). After an error those before it are prepared.
  Result<std::vector<Executable*>> PrepareAll(std::span<const RunSignature> signatures) EXCLUDES(change_mu_, mu_);
  Status Extend(const std::function<Status(Graph&)>& add) EXCLUDES(change_mu_, mu_);
  Status ResetContainers(const std::vector<std::string>& names) EXCLUDES(change_mu_, request_mu_, mu_);
  // Begins a step, or several behind each other that feed and fetch nothing. The calling thread runs nodes of it until
  // other threads run it on or it waits, so that it may have ended when this returns. Copies the headers of `feeds`,
  // not the bytes that they borrow. `executable`, of Prepare(), lives until the step has ended; the step is destroyed
  // before this object. After an error no step has begun. Blocks: while no slot of the executable is free, steps are
  // paused, or messages of a failed step still come to this rank; the thread runs work of the pool meanwhile.
  Result<std::unique_ptr<PendingStep>> StartSteps(Executable& executable, int64_t steps, std::span<const Tensor> feeds,
                                                  int64_t number) EXCLUDES(request_mu_, mu_);
  // Waits until one of the steps that are not null has ended, or the network has failed.
  // Blocks: until then.
  void WaitForAny(std::span<const std::unique_ptr<PendingStep>> steps);
  // Runs a step to its end on all ranks; `fetches` are set where the status is OK.
  // Blocks: until then, and before it as StartSteps(), but on one rank with one plan, where a step needs no slot.
  Status RunStep(Executable& executable, std::span<const Tensor> feeds, std::span<Tensor> fetches, int64_t number)
      EXCLUDES(request_mu_, mu_);
  // Runs up to `steps` steps that feed and fetch nothing: fewer where the runtime is asked to stop or `row` is full.
  // Blocks: as RunStep().
  Status RunSteps(Executable& executable, int64_t steps, NotFiniteRow& row, int64_t number) EXCLUDES(request_mu_, mu_);
  // Runs a step as Session::CheckNumerics(), of a signature without feeds, which it prepares.
  // Blocks: as Prepare(), StartSteps() and to the step's end.
  Status CheckNumerics(const RunSignature& signature, bool optimize, std::span<Tensor> fetches)
      EXCLUDES(change_mu_, request_mu_, mu_);
  Status WriteCapture(const CaptureRequest& request) EXCLUDES(change_mu_, request_mu_, mu_);
  void StartTrace();
  Status WriteTrace(const std::string& prefix) EXCLUDES(change_mu_, request_mu_, mu_);
  Status Close() EXCLUDES(change_mu_, request_mu_, mu_);

  // A snapshot of the graph; it does not change.
  std::shared_ptr<const Graph> graph() const EXCLUDES(mu_);
  int64_t steps_run() const { return next_step_.load(); }
  int64_t steps_not_finite() const { return runtime_.runner().steps_not_finite(); }
  std::vector<DevicesReport> ReportsOfRanks() const { return runtime_.ReportsOfRanks(); }
  std::vector<WaitedTime> TimesWaited() const { return runtime_.TimesWaited(); }
  int32_t TakeFirstNotFinite() { return runtime_.runner().TakeFirstNotFinite(); }
  bool optimizes() const { return optimize_; }

 private:
  // Returns null if there is none yet.
  Executable* FindExecutable(const std::string& key) const EXCLUDES(mu_);
  CompileOptions OptionsFor(bool optimize) const;
  Result<Executable*> Compile(const RunSignature& signature, const std::string& key, bool keep_graphs,
                              SignatureCompiler& compiler) REQUIRES(change_mu_) EXCLUDES(mu_);
  Status Register(const std::vector<Partition>& partitions, Executable& executable) REQUIRES(change_mu_);
  Status BuildOwn(const std::vector<Partition>& partitions, Executable& executable) REQUIRES(change_mu_);
  // Sends each other rank its request of the round, and returns. FinishRound() waits for their answers.
  void SendToAll(ControlRound& round, std::vector<control::Message>& requests) REQUIRES(change_mu_);
  // A round in which this rank has nothing to do. Blocks: until the other ranks have answered.
  Status AskOthers(std::vector<control::Message>& requests) REQUIRES(change_mu_);
  Status FindLayouts(int64_t executable, std::vector<control::Message>& requests) REQUIRES(change_mu_);
  // Adds the files that the parts of other ranks read, as this rank finds them.
  void AddFiles(const std::vector<Partition>& partitions, std::vector<control::Message>& requests) REQUIRES(change_mu_);
  Status CheckArgs(const Executable& executable, size_t feeds, size_t fetches) const;
  Status CheckFeeds(const Executable& executable, std::span<const Tensor> feeds) const;
  // Runs up to `most` steps that feed and fetch nothing, in a round of bounded length, and returns how many were asked
  // for.
  Result<int64_t> RunSomeSteps(Executable& executable, int64_t most, NotFiniteRow& row, int64_t number)
      EXCLUDES(request_mu_, mu_);

  // Asks all ranks for steps, and begins this rank's part of them. Blocks while no slot is free.
  Status Ask(PendingStep& step) EXCLUDES(request_mu_, mu_);
  Status TakeSlot(Executable& executable, int32_t* slot) EXCLUDES(mu_);
  void ReturnSlot(const PendingStep& step) EXCLUDES(mu_);
  void SendRequest(const PendingStep& step) REQUIRES(request_mu_);
  // Asks, and waits for the end.
  Status RunToEnd(PendingStep& step) EXCLUDES(request_mu_, mu_);
  // Blocks until the steps have ended on all ranks; once. A failure ends the session, where its scope is that.
  Status Finish(PendingStep& step) override EXCLUDES(mu_);
  Status StatusOf(const PendingStep& step);
  void TakeBack(int64_t next, int64_t asked);
  void OwnPartEnded(PendingStep& step) override;
  void AllEnded(PendingStep& step) override;
  // No step is in flight, and none begins, between PauseSteps() and ResumeSteps().
  void PauseSteps() EXCLUDES(mu_);
  void ResumeSteps() EXCLUDES(mu_);
  void RetireParts() EXCLUDES(mu_);

  // A round begins with a request to every other rank and is over when all are done; its status is the first error in
  // time, of this rank or another. That of steps is a PendingStep.
  void Broadcast(control::Message& request, const ControlRound& round) EXCLUDES(request_mu_);
  Status FinishRound(ControlRound& round, const RankStatus& own);

  void EndSession(const Status& status) EXCLUDES(mu_);
  // The error that ended the session, if one did.
  Status session_status() const EXCLUDES(mu_);
  TraceSink* trace() { return tracing_.load(std::memory_order_relaxed) ? &runtime_.trace() : nullptr; }

  Runtime& runtime_;
  const int64_t session_id_;
  const Cluster cluster_;
  const bool optimize_;
  const bool soft_placement_;
  const WireCompression compression_;
  const std::vector<std::string> without_passes_;
  const std::function<void(const RunSignature&, const std::vector<Partition>&)> on_compiled_;
  const ErrorScope error_scope_;
  const bool check_numerics_;
  const int64_t keep_bytes_;
  const bool several_ranks_;
  std::atomic<int64_t> next_step_{0};
  std::atomic<bool> tracing_{false};

  Mutex change_mu_;  // held while the graph, the executables or the ranks' resources change
  int32_t next_channel_ GUARDED_BY(change_mu_) = 0;
  int64_t next_executable_ GUARDED_BY(change_mu_) = 0;
  std::set<std::pair<int, std::string>> checked_files_ GUARDED_BY(change_mu_);  // by rank and path
  Mutex request_mu_;  // held while a request goes out, so that all ranks get requests in one order
  mutable Mutex mu_;
  std::atomic<bool> ended_{false};  // status_ is not OK
  Status status_ GUARDED_BY(mu_);
  int in_flight_ GUARDED_BY(mu_) = 0;        // PendingSteps that have a slot
  bool are_paused_ GUARDED_BY(mu_) = false;  // no step gets a slot
  std::shared_ptr<const Graph> graph_ GUARDED_BY(mu_);
  std::map<std::string, std::unique_ptr<Executable>> executables_ GUARDED_BY(mu_);
  std::vector<std::unique_ptr<Executable>> ended_executables_
      GUARDED_BY(mu_);  // callers may still hold handles of these
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_MASTER_H_
