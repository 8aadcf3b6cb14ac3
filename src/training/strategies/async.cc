// Asynchronous data parallelism: each replica runs for itself. It takes the next share of the batches, computes its
// gradient with the variables as they are then, and updates them by it alone.
#include "src/training/checks/strategy_checks.h"
#include "src/training/shares/replicas_apart.h"
#include "src/training/strategy.h"

namespace dfrun {
namespace {

ApartOptions OptionsOf(const TrainSpec& train) {
  return {.replicas = static_cast<int>(train.strategy.integer("replicas")),
          .loops = static_cast<int>(train.strategy.integer("steps_in_flight")),
          .max_staleness = train.strategy.integer("max_staleness")};
}

bool CheckAsync(const TrainSpec& train, std::span<const InputSpec* const> inputs, Diagnostics& diagnostics) {
  bool good = CheckSlices(train, inputs, diagnostics);
  good = CheckNoAllreduce(train, diagnostics) && good;
  good = CheckOneInput(train, inputs, /*whole_sets=*/true, diagnostics) && good;
  if (train.strategy.integer("max_staleness") == 0 && train.strategy.integer("steps_in_flight") > 1) {
    diagnostics.Error(train.LocationOf("steps_in_flight"), "'steps_in_flight' and 'max_staleness: 0' do not go ",
                      "together, since a replica then waits for the end of each step: leave out 'steps_in_flight', or ",
                      "write a greater 'max_staleness'");
    good = false;
  }
  for (const InputSpec* input : inputs) {
    if (!input->all || !input->is_sliced() || input->follows()) continue;
    diagnostics.Error(input->batch_location, "'split: true' of 'batch: all' and 'strategy: async' do not go together: ",
                      "leave out 'split', write a number for 'batch', or write 'strategy: sync'");
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
     .check = &CheckAsync,
     .doc = "each replica for itself takes the next share of the batch, and updates the variables by its gradient",
     .add = &AddAsync,
     .finish = &FinishAsync});

}  // namespace
}  // namespace dfrun
