// The graph of a job while it is being built: the state that its builders (build_job_graph.cc, replicas.h, updates.h,
// checkpoint_nodes.h) share.
#ifndef DFRUN_SRC_TRAINING_JOB_GRAPH_DRAFT_H_
#define DFRUN_SRC_TRAINING_JOB_GRAPH_DRAFT_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/graph/graph_ops.h"
#include "src/graph/node_placement.h"
#include "src/placement/cluster.h"
#include "src/spec/job_spec.h"
#include "src/training/copy_subgraph.h"
#include "src/training/job_graph.h"

namespace dfrun {

// The scalar `value` of a floating dtype.
Tensor ScalarOf(DType dtype, double value);

// State that a checkpoint keeps of one thing, and the way to give it back.
struct Kept {
  NodeId source = -1;  // gives the tensors: a variable, or the node that takes a state
  std::string of;      // the node whose state it is
  bool is_variable = false;
  std::vector<StatePart> parts;  // the outputs of the source, by their names in a checkpoint
  std::string slot_of = {};      // KeptState::slot_of, as the next ones
  bool of_strategy = false;
  bool between_syncs = false;
  std::string copy_of = {};
  std::string restore_op;  // takes `restore_inputs` and the tensors; of a state it has the attrs of `source`
  std::vector<Output> restore_inputs = {};
};

// Values that must be finite for the updates that a step makes at one training site (variable_copies.h).
struct CheckedValues {
  struct Value {
    Output value;
    NodeId at;       // the check runs where this node is
    int64_t number;  // its name is JobGraph::checked_names[number - 1]
  };
  std::string device;         // the site's constraint
  std::vector<Value> values;  // the loss first
};

// A variable of which each replica has one of its own, and what brings them together.
struct ReplicatedVariable {
  NodeId variable;  // the job's own, which evaluations read
  bool is_trained;  // else the model assigns it, and `reduce` says what becomes of the replicas' values
  VariableSpec::Reduce reduce;
  std::vector<NodeId> of_replicas;
};

// A replica that runs for itself. What the draft has of a step of all replicas is here one replica's own.
struct ReplicaApart {
  JobStep step;
  Output loss;
  std::vector<CheckedValues> checked;
  std::map<NodeId, std::vector<NodeId>> writers;
  std::string device;             // a constraint
  Output counter;                 // handle of the counter of shares
  Output token;                   // names its share
  std::vector<NodeId> snapshots;  // reads of variables, on their devices
  NodeId first_node = 0;          // its updates: nodes of the graph from this one on, before `end_node`
  NodeId end_node = 0;
};

struct JobGraphDraft {
  JobGraphDraft(const LoadedSpec& loaded, const Cluster& on, const NodePlacement& chosen);

  // "spec.yaml:3:5: ", for the begin of an error; nothing for a default.
  std::string LocationText(SourceLocation location) const;
  // A variable that the spec does not have, on the device of `like`, of its dtype and, unless `scalar`, shape; it
  // starts with `value`. Returns its ref; invalid where a node could not be added.
  Output AddVariable(const std::string& name, Output like, bool scalar, double value);
  // Adds a variable without a value of its own, which is not saved: a copy of another, to be entered into `copies`.
  Output AddCopy(const std::string& name, Output like, bool scalar);
  // Has checkpoints hold a variable.
  Status KeepVariable(NodeId variable);
  // The spec's variables, by their nodes in the form of evaluations, to those of the job.
  SubgraphMap SharedWithEvaluation() const;
  // The nodes of `from`, the model or a clone of it, that `outputs` depend on, less the shared ones and those behind
  // the outputs that `replaced` has.
  Result<std::vector<NodeId>> BodyOf(const Graph& from, const std::vector<Output>& outputs,
                                     const SubgraphMap* replaced = nullptr) const;

  const JobSpec& spec;
  const Cluster& cluster;
  const NodePlacement& placement;
  const Graph& model;                      // the spec's graph, in the form that the steps run
  const LoadedSpec& evaluation;            // the form that evaluations run
  const std::vector<std::string> workers;  // devices or tasks that compute replicas
  int made_replicas = 0;                   // 0: all; else see Replicas::Add()

  JobGraph job;
  SubgraphMap shared;                                     // the spec's variables: of `model` to those of the job
  std::vector<Kept> kept;                                 // contents of a checkpoint
  std::vector<std::pair<NodeId, Output>> initial_values;  // by variable
  std::map<NodeId, std::vector<NodeId>> first_assigns;    // by variable: the nodes that give it its first value
  std::map<NodeId, std::vector<NodeId>> copies;   // by variable: those of other tasks; they take its first value,
                                                  // and one that is restored
  std::map<NodeId, std::vector<NodeId>> writers;  // by variable: the nodes that write it in a step
  Output loss;                                    // the mean over the replicas
  std::vector<CheckedValues> checked;             // by training site
  std::vector<ReplicaApart> apart;                // by replica, where they run for themselves
  std::map<NodeId, Output> applied;               // by trained variable: the gradient, or its rows, that updates take
  std::vector<ReplicatedVariable> replicated;     // empty where the replicas share the variables
  std::map<NodeId, int> replica_of;               // with these: the replica, by variable or slot that it writes
  // By the spec's summaries.Outputs(): the value of each replica.
  std::vector<std::vector<Output>> summarized;
  // Serialised Summary messages that steps with summaries make, by the device where they are.
  std::map<std::string, std::vector<Output>> messages;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_JOB_GRAPH_DRAFT_H_
