// Session: runs parts of one graph, over all ranks. It is used on rank 0; every other rank is in Worker::Serve().
//
//   DF_ASSIGN(auto session, Session::Create(*runtime, std::move(graph)));
//   DF_ASSIGN(auto out, session->Run({{"x", value}}, {"loss", "y:1"}, {"train"}));      // by name
//
//   DF_ASSIGN(Session::Handle step, session->Prepare(signature));                       // compiled once
//   DF_TRY(session->RunStep(step, feeds, fetches));                                     // no string work, no lookup
//   DF_ASSIGN(auto pending, session->StartStep(step, feeds));                           // the same, in two halves
//   DF_TRY(pending->Wait(fetches));
//
//   DF_TRY(session->Extend([&](Graph& g) { return g.AddNode(...).status(); }));         // more nodes, later
//
// A signature is compiled once: pruned, optimised, placed, partitioned, scattered to the ranks; a plan is specialised
// on the shapes fed. Feeds and fetches live on rank 0's CPU device, whatever device makes or uses them.
//
// Errors: an error of Prepare() leaves the session as it was. An error of a step ends the step on every rank; the first
// in time is returned, with rank, host, device and node. Where there is more than one rank the session is then closed,
// and every later call returns that error, unless SessionOptions::error_scope says otherwise. Variables keep the values
// that the step had written.
#ifndef DFRUN_SRC_SESSION_SESSION_H_
#define DFRUN_SRC_SESSION_SESSION_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/framework/device/device_memory.h"
#include "src/framework/values/tensor.h"
#include "src/graph/graph.h"
#include "src/graph/graph_def/graph_def.h"
#include "src/passes/prune.h"
#include "src/session/node_capture.h"
#include "src/session/pending_step.h"
#include "src/session/runtime.h"
#include "src/session/session_options.h"

namespace dfrun {

class Master;
struct Executable;

// The use of the ranks' memory and time.
struct RanksUse {
  std::vector<DeviceMemory> memory;  // by rank and device, of the ranks that have reported any
  std::vector<WaitedTime> waited;    // by rank
};

// Thread safety: all methods from any thread. Steps of different handles run at the same time, each with its own
// intermediate values; they share variables. Steps of one handle do so too, except on ranks where their part writes a
// variable or has another state, such as queues and random numbers: there they run one after the other, in the order in
// which they were begun. On one rank with one device steps of several threads are in no order.
// Blocks: all methods may wait for other ranks; the caller's thread takes part in the work.
class Session {
 public:
  // A compiled signature. Lives as long as the session.
  using Handle = Executable*;

  // Makes the devices of every rank on the runtime's first session. The runtime must outlive the session; with more
  // than one rank it has one session at a time.
  static Result<std::unique_ptr<Session>> Create(Runtime& runtime, Graph graph, const SessionOptions& options = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Runs a step by names: any number of feeds, fetches ("name" or "name:port") and targets (node names). Returns the
  // fetched values in the order of `fetches`. Compiles the signature on its first use, with the shapes fed.
  Result<std::vector<Tensor>> Run(const std::vector<std::pair<std::string, Tensor>>& feeds,
                                  const std::vector<std::string>& fetches,
                                  const std::vector<std::string>& targets = {});

  // Returns the compiled form of a signature, made on first use. feed_shapes may be empty: shapes are then those that
  // the graph declares. A second call for a signature returns the same handle, and does not wait for steps or for other
  // signatures being compiled.
  Result<Handle> Prepare(const RunSignature& signature);
  // Prepares several signatures. One that runs the same nodes as another under other names, as a replica that runs for
  // itself, takes a small part of the other's time. After an error those before it are prepared.
  Result<std::vector<Handle>> PrepareAll(std::span<const RunSignature> signatures);
  // Prepares a signature by names, as Run() takes them.
  Result<Handle> Prepare(const std::vector<std::string>& feeds, const std::vector<std::string>& fetches,
                         const std::vector<std::string>& targets = {});

  // Adds nodes to the session's graph: those of a GraphDef, which may read nodes of the session by name, or those that
  // `add` adds to its argument, the session's graph, which it must not change otherwise. Functions that they call are
  // lowered. Handles and node ids stay valid; steps may run meanwhile. Variables keep values and devices:
  // InvalidArgument where the new nodes would constrain an existing stateful node to another device. After an error the
  // graph is unchanged.
  Status Extend(std::string_view graph_def, GraphDefFormat format);
  Status Extend(const std::function<Status(Graph&)>& add);

  // Empties the containers of these names, on every device of every rank: variables, queues, readers. No name at all
  // stands for the default container, "". All handles of this session end with it: their steps return
  // FailedPrecondition, and signatures are compiled anew. Objects behind handles of another session of the runtime live
  // on. Waits for steps in flight where there are several ranks; must not be called while a step runs on one.
  Status ResetContainers(const std::vector<std::string>& names = {});

  // Runs one step. feeds and fetches are in the signature's order; a feed's dtype and shape must fit the signature's.
  // The fetched tensors are owned and may share bytes with feeds; they must be destroyed before the runtime, which owns
  // their memory. `number`: the caller's number of the step, which kernels find in StepContext.
  Status RunStep(Handle handle, std::span<const Tensor> feeds, std::span<Tensor> fetches, int64_t number = 0);
  // Begins a step, which runs beside others; the calling thread may run parts of it first, or all. Feeds are kept until
  // its end, but for bytes that they borrow.
  // Blocks: while as many steps of the handle are in flight as the transport tells apart (Transport::max_slots()).
  Result<std::unique_ptr<PendingStep>> StartStep(Handle handle, std::span<const Tensor> feeds = {}, int64_t number = 0);
  // Begins `steps` steps of a signature without feeds and fetches, one after the other, as StartStep() begins one.
  Result<std::unique_ptr<PendingStep>> StartSteps(Handle handle, int64_t steps);
  // Waits until one of the steps has ended; those that are null are none. At least one is not.
  // Blocks: until then; the caller's thread takes part in the work.
  void WaitForAny(std::span<const std::unique_ptr<PendingStep>> steps);
  // Runs `steps` steps of a signature without feeds and fetches, requested at once: ranks wait for each other only
  // where data does. It runs fewer if the runtime is asked to stop, or if `row`, which counts on over these steps, is
  // full: steps_run() tells how many. `number`: of the first; the others count on.
  Status RunSteps(Handle handle, int64_t steps, NotFiniteRow* row = nullptr, int64_t number = 0);

  // The number of steps so far, by all handles, whose updates were withheld because a value that they check is not
  // finite (src/graph/update_gate.h). Such a step is no error.
  int64_t steps_not_finite() const;
  // The number that the gates of the first such step since the last call have found; 0: there was none.
  int32_t TakeFirstNotFinite();
  // Runs a step of a signature without feeds in which each node's values are looked at, for the faults that
  // numerics_check.h names. No other step may run. kNotFinite: the first finding, over all ranks; the session stays
  // open, and all is fetched. `optimize`: the nodes as they run in steps, else as they are in the graph.
  Status CheckNumerics(const RunSignature& signature, bool optimize, std::span<Tensor> fetches);
  // Has the rank of the last finding write that node with its values to a file (node_capture.h), and waits for it.
  // FailedPrecondition where its values were not kept, else errors of the file. Leaves the session open.
  Status WriteCapture(const CaptureRequest& request);

  // Makes each rank report the contents of its devices' memory, and the time that it has waited, when a step of the
  // handle has ended. Call before the first of them.
  void TellMemoryAfter(Handle handle);
  // The last reports; for this rank its current state.
  RanksUse UseOfRanks() const;

  // The graph as it runs: functions are lowered. The reference holds until the next Extend().
  const Graph& graph() const;
  // The number of nodes in all partitions after the passes, Send and Recv included.
  int64_t num_nodes(Handle handle) const;
  // The ranks that have none of these nodes.
  const std::vector<int>& idle_ranks(Handle handle) const;
  // The full names of the devices that have some.
  const std::vector<std::string>& devices(Handle handle) const;
  // The number of steps begun so far, by all handles: the id of the next step.
  int64_t steps_run() const;

  // Makes every rank record its steps and their messages from now on, until WriteTrace() ends it: each rank then writes
  // its records to "<prefix>rank-<rank>.json", a Chrome trace. No step may be running; one session of a runtime traces
  // at a time.
  void StartTrace();
  Status WriteTrace(const std::string& prefix);

  // Frees the plans on every rank. Later calls return FailedPrecondition. The destructor calls it.
  Status Close();

 private:
  explicit Session(std::unique_ptr<Master> master);

  Result<RunSignature> SignatureOf(const std::vector<std::string>& feeds, const std::vector<std::string>& fetches,
                                   const std::vector<std::string>& targets) const;

  std::unique_ptr<Master> master_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_SESSION_H_
