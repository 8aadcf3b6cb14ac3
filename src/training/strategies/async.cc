// Asynchronous data parallelism: each replica runs for itself. It takes the next share of the batches, computes its
// gradient with the variables as they are then, and updates them by it alone.
#include <algorithm>

#include "src/base/text.h"
#include "src/training/shares/replicas_apart.h"
#include "src/training/slices_check.h"
#include "src/training/strategy.h"

namespace dfrun {
namespace {

ApartOptions OptionsOf(const TrainSpec& train) {
  return {.replicas = static_cast<int>(train.strategy.integer("replicas")),
          .loops = static_cast<int>(train.strategy.integer("steps_in_flight")),
          .max_staleness = train.strategy.integer("max_staleness")};
}

bool CheckShares(const TrainSpec& train, std::span<const InputSpec* const> inputs, Diagnostics& diagnostics) {
  bool good = CheckSlices(train, inputs, diagnostics);
  if (train.data_parallel == TrainSpec::DataParallel::kAllreduce) {
    diagnostics.Error(train.location, "'strategy: async' and 'data_parallel: allreduce' do not go together: replicas ",
                      "that run for themselves share the variables, of which no task has a copy: leave out ",
                      "'data_parallel', or write 'strategy: sync'");
    good = false;
  }
  if (train.strategy.integer("max_staleness") == 0 && train.strategy.integer("steps_in_flight") > 1) {
    diagnostics.Error(train.location,
                      "with 'max_staleness: 0' a replica waits for the end of each step, so that it has ",
                      "one in flight: leave out 'steps_in_flight', or write a greater 'max_staleness'");
    good = false;
  }
  for (const InputSpec* input : inputs) {
    if (input->all && input->is_sliced()) {
      diagnostics.Error(input->location, "with 'strategy: async' of 'train' shares of 'batch: all' are not cut by ",
                        "'split': leave out 'split', write a number for 'batch', or write 'strategy: sync'");
      good = false;
    }
    if (input->position == inputs[0]->position || (input->all && inputs[0]->all)) continue;
    diagnostics.Error(input->location, "the loss reads the inputs '", inputs[0]->name, "' and '", input->name,
                      "', and with 'strategy: async' of 'train' one position is shared out: write 'with: ",
                      inputs[0]->name, "' at '", input->name, "', or 'strategy: sync'");
    good = false;
  }
  return good;
}

Status AddAsync(JobGraphDraft& draft) {
  return AddReplicasApart(OptionsOf(*draft.spec.train), draft);
}

Status FinishAsync(JobGraphDraft& draft) {
  return FinishReplicasApart(OptionsOf(*draft.spec.train), draft);
}

STRATEGY(
    "async",
    {.keys = {{.name = "replicas", .kind = KeyKind::kInt, .minimum = 1, .maximum = 1 << 16, .fallback = int64_t{1}},
              {.name = "max_staleness", .kind = KeyKind::kInt, .minimum = 0, .fallback = int64_t{-1}},
              {.name = "steps_in_flight", .kind = KeyKind::kInt, .minimum = 1, .maximum = 64, .fallback = int64_t{1}}},
     .check = &CheckShares,
     .doc = "each replica for itself takes the next share of the batch, and updates the variables by its gradient",
     .add = &AddAsync,
     .finish = &FinishAsync});

}  // namespace
}  // namespace dfrun
