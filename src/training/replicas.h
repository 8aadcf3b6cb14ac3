// The model, once a replica: replica r of R reads the r-th of R equal slices of the batch and has the gradients of the
// loss over it.
#ifndef DFRUN_SRC_TRAINING_REPLICAS_H_
#define DFRUN_SRC_TRAINING_REPLICAS_H_

#include <string>
#include <vector>

#include "src/autodiff/gradients.h"
#include "src/training/assigned_variables.h"
#include "src/training/job_graph_draft.h"
#include "src/training/variable_copies.h"

namespace dfrun {

class Replicas {
 public:
  struct Trained {
    NodeId variable;         // of the job's graph
    GradientValue gradient;  // of a replica: see Over()
  };

  // Adds `count` replicas to the job's graph, spread over its workers. A gradient of some rows stays
  // indices and values. InvalidArgument where there is nothing to train.
  static Result<Replicas> Add(JobGraphDraft& draft, int count);

  int count() const { return count_; }
  // The variables that have a gradient.
  const std::vector<Trained>& trained() const { return trained_; }
  // Where they are read and updated.
  const std::vector<TrainingSite>& sites() const { return sites_; }
  // What stands in the job's graph, by replica, for an output of the model or a part of a gradient.
  std::vector<Output> Over(Output of_replica) const;
  // The mean of Over(), a node `name`: summed in the order of the replicas, in SumDType() (narrow_values.h).
  Output Mean(GraphOps& ops, const std::string& name, Output of_replica) const;
  // The same with the same bits, by a collective of the replicas' devices: as it stands on `device`, if a replica is
  // there, else on that of the first.
  Result<Output> AllReducedMean(Graph& graph, const std::string& name, Output of_replica,
                                const std::string& device) const;
  // The first replica on `device`; 0 where none is.
  int32_t ReplicaOn(const std::string& device) const;

 private:
  Replicas(const Graph& model, int count) : count_(count), graph_(model.Clone()) {}

  Status SliceInputs(const JobSpec& spec);
  Status AddGradientsOfLoss(const JobGraphDraft& draft);
  // What the updates are made of.
  std::vector<Output> GradientOutputs() const;
  // The outputs that a step may need of a replica.
  std::vector<Output> Wanted(const JobGraphDraft& draft) const;
  Status FindAssigned(const JobGraphDraft& draft);
  Status AddSites(JobGraphDraft& draft);
  Status CopyAll(JobGraphDraft& draft);
  // The draft's variables, and the copies of those that the replica's site has.
  SubgraphMap SharedWith(int replica, const JobGraphDraft& draft) const;
  // Where computing the loss does something (counts, enqueues, asserts) that the gradients alone leave undone, it is a
  // target of the step: what a step does must not depend on whether it is logged.
  Status KeepEffectsOfLoss(JobGraphDraft& draft) const;

  int count_;
  Graph graph_;  // of one replica, with gradients
  std::vector<Trained> trained_;
  AssignedVariables assigned_;
  std::vector<std::string> devices_;  // constraints, by replica
  std::vector<TrainingSite> sites_;
  std::vector<SubgraphMap> maps_;  // from graph_ to the job's graph, by replica
};

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_REPLICAS_H_
