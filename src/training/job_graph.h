// The graph that a job runs, and its parts, each run by one request.
#ifndef DFRUN_SRC_TRAINING_JOB_GRAPH_H_
#define DFRUN_SRC_TRAINING_JOB_GRAPH_H_

#include <optional>
#include <string>
#include <vector>

#include "src/framework/kernel/object_state.h"
#include "src/graph/graph.h"
#include "src/passes/prune.h"
#include "src/training/fetch_rows.h"

namespace dfrun {

// A part of the graph that one request runs, with the names of its fetches.
struct JobStep {
  RunSignature signature;
  std::vector<std::string> names;  // names of the fetches
};

// A metric of an evaluation, by its fetches.
struct PassMetric {
  std::string name;
  size_t value = 0;
  std::optional<size_t> over = {};  // the metric is the sum of `value` over the pass, divided by the sum of this
};

// A pass over the samples of inputs, a batch a step.
struct EvaluationPass {
  std::string name = {};                 // EvalSpec::name; empty for other passes
  std::vector<PassMetric> metrics = {};  // empty for other passes
  JobStep batch;                         // fetches of a batch; feeds the position of its first sample where samples > 0
  std::optional<JobStep> rest;           // the fetches of the last batch, if it is a shorter one
  int64_t samples = 0;                   // 0: the inputs are read whole, and one step is the pass
  int64_t batch_samples = 0;
  std::vector<FetchRows> rows = {};  // by fetch, where it was asked for and samples > 0

  // Number of steps in a pass.
  int64_t num_steps() const { return samples == 0 ? 1 : samples / batch_samples + (rest ? 1 : 0); }
};

// State that a checkpoint holds of one thing: a variable, the position of a random node, an object that outlives steps.
struct KeptState {
  std::string of;                    // the variable, or the node whose state it is
  bool is_variable = false;          // else it may begin anew, as it was when the job began
  std::vector<StatePart> parts;      // by their names in a checkpoint
  std::vector<NodeId> restore = {};  // the targets of JobGraph::restore that give it back
  std::vector<NodeId> begin = {};    // the targets of JobGraph::init that give it its first value
  std::string slot_of = {};          // the trained variable whose slot of an optimizer it is
  bool of_strategy = false;          // checkpoints of other strategies lack it
  bool between_syncs = false;        // only those written between two syncs have it
  // Where a checkpoint lacks it, but has that state: further targets of JobGraph::restore, which give it the same
  // value.
  std::string copy_of = {};
  std::vector<NodeId> copied = {};
};

// A step that gives variables the values that it is fed.
struct GivenValues {
  std::vector<size_t> variables;  // indices in JobSpec::variables, in the order of the feeds
  RunSignature signature;
};

// A fetch with the fingerprints of some variables, a uint64 each.
struct FingerprintFetch {
  std::vector<std::string> variables;  // by element; one that is cut comes in several fetches, whose sum is its own
};

// Replicas that run for themselves: each has a step of its own. Their shares are handed out in periods.
struct ReplicasApart {
  int replicas = 1;                 // shares of a step
  int backup = 0;                   // replicas beside these; not 0: JobGraph::step takes the shares and updates by them
  std::vector<RunSignature> steps;  // by replica, and by its loops; feed and fetch nothing
  bool in_turn = false;             // each replica makes as many steps as the job
  // Begins a period: feeds its first step, the step behind its last, and, without backup, how many shares before it
  // were not finite, behind each other.
  static constexpr int64_t kPeriod = 3;
  RunSignature open;
  // Fetches what logged steps have reported, a row each: the columns of ShareLine. With backup the output of
  // _BackupUse.
  RunSignature lines;
  // Ends a period; fetches the steps of the job that are done, and, if a share that was not finite has ended it, the
  // number of the value, the share, the position of its rows, its replica and the row that the next period begins with;
  // and the histogram of the staleness. With
  // backup it fetches the shares that are returned, as the variable `returned` has them.
  RunSignature close;
  // Begins a period like `open`, with a share whose position is fed as its first.
  RunSignature again;
  RunSignature state;  // between two periods: fetches `JobGraph::fingerprints`; with backup the step does
  // With backup alone. `abort` ends the waits for shares; `named` fetches the output of _NamedShares.
  RunSignature abort;
  RunSignature named;
  std::string returned = {};               // the variable of the shares that were handed out and not applied; or ""
  std::vector<std::string> checked_names;  // values that a replica checks: 1, 2, ...
  std::vector<DType> dtypes;               // dtypes of the values that a share reports: by JobGraph::step.names
};

struct JobGraph {
  Graph graph;
  // The nodes whose device a rule has chosen, and a placement may choose (src/graph/node_placement.h).
  std::vector<NodeId> open;
  RunSignature init;               // gives every variable its first value
  std::vector<GivenValues> given;  // behind it, in this order: the values of `init_from`
  // Fetches the scalars of a training step, or a run's fetches, and behind these, which have names, `fingerprints`,
  // where replicas do not run for themselves.
  JobStep step;
  // Set where replicas run for themselves. Without backup `step` is then one step of each, which nothing runs so.
  std::optional<ReplicasApart> apart;
  std::vector<FingerprintFetch> fingerprints;
  // The fetches of `step`, and behind them strings, serialised Summary messages; without names where there are none.
  JobStep summarized;
  std::optional<DType> scheduled_rate;  // dtype of a rate that changes: float64 where a variable of it is trained
  std::vector<EvaluationPass>
      evaluations;          // by JobSpec::evals; one without fetches has no metric that the job computes
  RunSignature save;        // feeds the directory; fetches a serialised ShardEntry a shard
  RunSignature restore;     // feeds the directory, and the names of parts that it has not
  RunSignature not_finite;  // fetches a report a shard of the values of `save` that are not finite; "": all are
  RunSignature rewind;      // brings random nodes back to where the last step began
  // Where each replica has variables of its own: brings them together, after every `sync_every` steps and the last one.
  RunSignature sync;
  int64_t sync_every = 0;           // 0: replicas share the variables
  RunSignature save_between_syncs;  // `save` with the replicas' variables
  RunSignature replica_findings;    // fetches the ReplicaFindings of all replicas behind each other
  // The values that a step's updates wait for: fetches the losses, the norm of the gradients where that is clipped and
  // there is one loss, and the number (src/graph/update_gate.h) of a value called in `checked_names` that is not
  // finite.
  RunSignature checked;
  std::vector<std::string> checked_names;  // names of the numbers 1, 2, ...: "the loss"
  size_t checked_losses = 1;        // how many of them, the first ones, are losses: one a replica that is gated alone
  std::vector<KeptState> kept;      // contents of a checkpoint
  std::vector<std::string> unkept;  // sentences about states that no checkpoint can hold
  std::vector<size_t> advancing;    // indices in JobSpec::inputs of those whose position a step moves on
};

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_JOB_GRAPH_H_
