// The model, once a replica: replica r of R reads the r-th of R equal slices of the batch and has the gradients of the
// loss over it.
#ifndef DFRUN_SRC_TRAINING_REPLICAS_H_
#define DFRUN_SRC_TRAINING_REPLICAS_H_

#include <functional>
#include <string>
#include <vector>

#include "src/autodiff/gradients.h"
#include "src/training/assigned_variables.h"
#include "src/training/job_graph_draft.h"
#include "src/training/variable_copies.h"

namespace dfrun {

// An attr of the AddN nodes that sum values of replicas, some of which have no nodes: the first replica of the sum.
inline constexpr const char* kSumOfReplicas = "_sum_of_replicas";

// The replicas of one job's graph.
// Thread safety: one thread.
class Replicas {
 public:
  struct Trained {
    NodeId variable;         // a node of the job's graph
    GradientValue gradient;  // a replica's gradient: see Over()
  };

  // kOwn: each replica has all variables that it reads for itself, and a step brings none of them together.
  enum class Variables { kShared, kOwn };

  // Adds `count` replicas to the job's graph, spread over its workers. A gradient of some rows stays
  // indices and values. InvalidArgument where there is nothing to train.
  // Where the draft says how many replicas are made, the others have no nodes: those of the last task with replicas
  // that are made stand for those of each task behind it. Each task has as many replicas.
  static Result<Replicas> Add(JobGraphDraft& draft, int count, Variables variables = Variables::kShared);

  // Returns the outputs that stand for the model's variables in a replica that runs for itself, on a device: snapshots,
  // and the position of its share for that of its input.
  using SharedWith = std::function<Result<SubgraphMap>(int replica, const std::string& device)>;
  struct Apart {
    int count = 1;
    int loops = 1;   // each has so many
    int slices = 1;  // a batch has so many, of which a step reads one
  };
  // Adds replicas likewise, each by so many loops, to run for themselves: no node belongs to two of them. Loops count
  // as replicas here, those of one replica behind each other. The effects of a loop's step (AddEffects()) are left to
  // the caller. Each reads the first slice from the position that it is given on.
  static Result<Replicas> AddApart(JobGraphDraft& draft, const Apart& apart, const SharedWith& shared);
  // One of them, as if there were no other.
  Replicas Only(int replica) const;
  // Some of them, whichever they are: `maps` has the outputs that stand for theirs, by replica.
  Replicas AnyOf(std::vector<SubgraphMap> maps) const;
  // Adds what a step does besides the updates: it assigns the variables that say `reduce`, and has the effects that
  // computing the loss has.
  Status AddEffects(JobGraphDraft& draft) const;
  // Makes the loss a target of the step where computing it has effects (counts, enqueues, asserts) that the gradients
  // alone do not have: the effects of a step must not depend on whether it is logged.
  Status KeepEffectsOfLoss(JobGraphDraft& draft) const;
  // The variables of the model that the replicas assign.
  const AssignedVariables& assigned() const { return assigned_; }
  // Nodes of one replica's graph that its step may need; ids of graph().
  Result<std::vector<NodeId>> Body(const JobGraphDraft& draft) const { return draft.BodyOf(graph_, Wanted(draft)); }
  const Graph& graph() const { return graph_; }
  const std::string& device(int replica) const { return devices_[static_cast<size_t>(replica)]; }

  int count() const { return count_; }
  // From graph() to the job's graph.
  const SubgraphMap& map(int replica) const { return maps_[static_cast<size_t>(MadeFor(replica))]; }
  // Whether each replica is a site with variables of its own: sites()[r] is that of replica r.
  bool have_own_variables() const { return variables_ == Variables::kOwn; }
  // A replica's number by whose sum over the replicas the loss and its gradients are divided, of SumDType() of the
  // loss's dtype; not valid: the loss is a mean over the replicas.
  Output loss_over() const { return loss_over_; }
  // The variables that have a gradient.
  const std::vector<Trained>& trained() const { return trained_; }
  // The sites where the trained variables are read and updated, and the frozen ones read.
  const std::vector<TrainingSite>& sites() const { return sites_; }
  // The outputs of the job's graph, by replica, that stand for an output of the model or a part of a gradient.
  std::vector<Output> Over(Output of_replica) const;
  // The mean of Over(), a node `name`: summed in the order of the replicas, in SumDType() (narrow_values.h).
  Output Mean(GraphOps& ops, const std::string& name, Output of_replica) const;
  // The mean of such values of `dtype`, one a replica. With `have_equal` some stand for those of others.
  static Output MeanOf(GraphOps& ops, const std::string& name, std::vector<Output> values, DType dtype,
                       bool have_equal = false);
  // The loss of one replica, computed where it is.
  Result<Output> LossOf(int replica, JobGraphDraft& draft) const;
  // Computes that mean, with equal bits, by a collective of the replicas' devices: its copy on `device` if a replica is
  // there, else on the device of the first.
  Result<Output> AllReducedMean(Graph& graph, const std::string& name, Output of_replica,
                                const std::string& device) const;
  // The first replica on `device`; 0 where none is.
  int32_t ReplicaOn(const std::string& device) const;

 private:
  Replicas(const Graph& model, int count, Variables variables)
      : count_(count), made_(count), variables_(variables), slices_(count), graph_(model.Clone()) {}

  Status SliceInputs(const JobSpec& spec);
  Status AddGradientsOfLoss(const JobGraphDraft& draft);
  Status AddDivisor(const JobGraphDraft& draft, const std::vector<Output>& trainable);
  std::vector<Output> LossOutputs(const JobGraphDraft& draft) const;
  // The outputs from which the updates are computed.
  std::vector<Output> GradientOutputs() const;
  // The outputs that a step may need of a replica.
  std::vector<Output> Wanted(const JobGraphDraft& draft) const;
  Status FindAssigned(const JobGraphDraft& draft);
  // The variables of the model that a replica reads.
  Result<std::vector<const VariableSpec*>> ReadVariables(const JobGraphDraft& draft) const;
  // The variables of the job's graph that each site has a copy of: those that are trained, and frozen ones that the
  // replicas read and no step assigns.
  Result<std::vector<NodeId>> CopiedVariables(const JobGraphDraft& draft) const;
  Status AddSites(JobGraphDraft& draft);
  Status AddOwnSites(JobGraphDraft& draft);
  Status AddOwnVariable(const VariableSpec& spec, JobGraphDraft& draft);
  Status AddAssignments(JobGraphDraft& draft) const;
  // The number of replicas, whose loops are not counted.
  int replicas() const { return count_ / loops_; }
  std::string PrefixOf(int replica) const;
  // The replica whose nodes are those of `replica`: itself where it is made.
  int MadeFor(int replica) const;
  // Appends to the values of replicas that are made those that stand for the values of the others.
  void AddForOthers(std::vector<Output>& values) const;
  Status AddModels(JobGraphDraft& draft);
  Status CheckApart(const JobGraphDraft& draft) const;
  Status CopyAll(JobGraphDraft& draft, const SharedWith& shared);
  // The draft's variables, and the copies of those that the replica's site has.
  SubgraphMap VariablesOf(int replica, const JobGraphDraft& draft) const;

  int count_;
  int made_;         // the first replicas, of which there are nodes
  int on_task_ = 1;  // replicas of a task, where not all are made
  Variables variables_;
  int loops_ = 1;  // loops of each replica; count_ is that of all
  int slices_;     // a batch has so many
  bool are_apart_ = false;
  int number_ = -1;  // the number of Only(), where there are others
  Graph graph_;      // the graph of one replica, with gradients
  std::vector<Trained> trained_;
  Output loss_over_;
  AssignedVariables assigned_;
  std::vector<std::string> devices_;  // constraints, by replica
  std::vector<TrainingSite> sites_;
  std::vector<SubgraphMap> maps_;  // from graph_ to the job's graph, by replica that is made
};

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_REPLICAS_H_
