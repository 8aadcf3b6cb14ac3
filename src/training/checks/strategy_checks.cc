#include "src/training/checks/strategy_checks.h"

#include <algorithm>

#include "src/base/text.h"
#include "src/spec/schema/alternatives.h"
#include "src/spec/replica_counts.h"

namespace dfrun {

StrategyWords WordsOf(const TrainSpec& train) {
  if (BackupOf(train) > 0) return {.name = "'backup'", .otherwise = "leave out 'backup'"};
  return {.name = StrCat("'strategy: ", train.strategy.name(), "'"),
          .otherwise = StrCat("write 'strategy: ", Strategies().fallback(), "'")};
}

bool CheckSlices(const TrainSpec& train, std::span<const InputSpec* const> inputs, Diagnostics& diagnostics) {
  const int64_t replicas = train.strategy.integer("replicas");
  bool good = true;
  std::vector<NodeId> seen;  // inputs that go together have one position
  for (const InputSpec* input : inputs) {
    if (!input->is_sliced() || input->batch % replicas == 0) continue;
    if (std::find(seen.begin(), seen.end(), input->position) != seen.end()) continue;
    seen.push_back(input->position);
    const int64_t below = input->batch / replicas * replicas;
    const std::string near = StrCat(below > 0 ? StrCat(below, " or ") : "", below + replicas);
    diagnostics.Error(input->batch_location, "a batch of ", input->batch, " cannot be cut into equal slices for ",
                      replicas, " replicas: write ", input->all ? "'split: false'" : near,
                      ", or another number of 'replicas'");
    good = false;
  }
  return good;
}

bool CheckNoAllreduce(const TrainSpec& train, Diagnostics& diagnostics) {
  if (train.data_parallel != TrainSpec::DataParallel::kAllreduce) return true;
  const StrategyWords words = WordsOf(train);
  diagnostics.Error(train.LocationOf("data_parallel"), "'data_parallel: allreduce' and ", words.name,
                    " do not go together: by the one all replicas update the variables together in each step, by the "
                    "other each for itself: leave out 'data_parallel', or ",
                    words.otherwise);
  return false;
}

bool CheckOneInput(const TrainSpec& train, std::span<const InputSpec* const> inputs, bool whole_sets,
                   Diagnostics& diagnostics) {
  const StrategyWords words = WordsOf(train);
  bool good = true;
  for (const InputSpec* input : inputs) {
    const InputSpec& first = *inputs[0];
    if (input->position == first.position || (whole_sets && input->all && first.all)) continue;
    diagnostics.Error(input->location, "the loss reads the inputs '", first.name, "' and '", input->name,
                      "', and with ", words.name, " replicas share out the samples of one: write 'with: ", first.name,
                      "' at '", input->name, "', or ", words.otherwise);
    good = false;
  }
  return good;
}

bool CheckNoWholeSets(const TrainSpec& train, std::span<const InputSpec* const> inputs, Diagnostics& diagnostics) {
  const StrategyWords words = WordsOf(train);
  bool good = true;
  for (const InputSpec* input : inputs) {
    if (!input->all || input->follows()) continue;
    diagnostics.Error(input->batch_location, "'batch: all' and ", words.name,
                      " do not go together, since its replicas are to see different samples: write a number of "
                      "samples, or ",
                      words.otherwise);
    good = false;
  }
  return good;
}

Status CheckNoWaits(const TrainSpec& train, const Graph& graph, const std::vector<NodeId>& body, WaitKind kind) {
  for (const NodeId id : body) {
    const WaitKind waits = graph.node(id).op->traits.wait;
    if (waits == WaitKind::kNone || (kind != WaitKind::kNone && waits != kind)) continue;
    const StrategyWords words = WordsOf(train);
    return InvalidArgument(graph.Describe(id), " waits for other nodes, and with ", words.name,
                           " it would be chance what each replica gets: read the samples by 'inputs', or ",
                           words.otherwise);
  }
  return Status();
}

Status RefuseTrainedAndAssigned(const TrainSpec& train, const Graph& graph, NodeId variable) {
  const StrategyWords words = WordsOf(train);
  return InvalidArgument(graph.Describe(variable), " is trained, and each step assigns it as well, which does not go ",
                         "together with ", words.name, ": write 'trainable: false' at it, or ", words.otherwise);
}

}  // namespace dfrun
