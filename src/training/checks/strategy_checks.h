// Checks of what goes together with a strategy: the rows of the table "What goes together" of docs/spec.md that several
// strategies share. Each strategy calls those that hold for it. A message names the pair and the ways out.
// Thread safety: functions of their arguments.
#ifndef DFRUN_SRC_TRAINING_CHECKS_STRATEGY_CHECKS_H_
#define DFRUN_SRC_TRAINING_CHECKS_STRATEGY_CHECKS_H_

#include <span>
#include <string>
#include <vector>

#include "src/framework/op/wait_kind.h"
#include "src/graph/graph.h"
#include "src/spec/job_spec.h"
#include "src/spec/yaml/diagnostics.h"

namespace dfrun {

// The words of messages for the strategy of a training.
struct StrategyWords {
  std::string name;       // "'strategy: local'"
  std::string otherwise;  // the last way out: "write 'strategy: sync'"
};
StrategyWords WordsOf(const TrainSpec& train);

// The next ones report errors at the values that have to change; false then. `inputs`: those that the loss reads.

// Reports an input whose batch is no multiple of `replicas`, where the replicas read slices. It holds for every
// strategy.
bool CheckSlices(const TrainSpec& train, std::span<const InputSpec* const> inputs, Diagnostics& diagnostics);
// Reports `data_parallel: allreduce`, for strategies whose replicas do not make each step together.
bool CheckNoAllreduce(const TrainSpec& train, Diagnostics& diagnostics);
// Reports inputs that `with` does not tie to the first, for strategies with one position in the samples. With
// `whole_sets` several of `batch: all` are good too.
bool CheckOneInput(const TrainSpec& train, std::span<const InputSpec* const> inputs, bool whole_sets,
                   Diagnostics& diagnostics);
// Reports `batch: all`, for strategies whose replicas are to see different samples.
bool CheckNoWholeSets(const TrainSpec& train, std::span<const InputSpec* const> inputs, Diagnostics& diagnostics);

// The next ones return InvalidArgument that names a node with its position.

// Refuses nodes of `body`, those of the graph of a replica, that wait: in the way `kind`, or in any where that is
// kNone. It is for strategies whose replicas would get by chance what such a node waits for.
Status CheckNoWaits(const TrainSpec& train, const Graph& graph, const std::vector<NodeId>& body, WaitKind kind);
// Refuses a trained variable that the model assigns as well.
Status RefuseTrainedAndAssigned(const TrainSpec& train, const Graph& graph, NodeId variable);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_CHECKS_STRATEGY_CHECKS_H_
