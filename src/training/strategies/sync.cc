// Synchronous data parallelism: each replica has the gradients of its slice of the batch, and each variable one update,
// by their mean.
#include "src/spec/job_spec.h"
#include "src/training/fed_learning_rate.h"
#include "src/training/replicas.h"
#include "src/training/scalar_fetches.h"
#include "src/training/slices_check.h"
#include "src/training/strategy.h"
#include "src/training/updates.h"

namespace dfrun {
namespace {

Status AddSync(JobGraphDraft& draft) {
  const auto count = static_cast<int>(draft.spec.train->strategy.integer("replicas"));
  DF_ASSIGN(const Replicas replicas, Replicas::Add(draft, count));
  DF_ASSIGN(const Output learning_rate, AddFedLearningRate(replicas, draft));
  DF_TRY(FetchScalars(replicas, draft));
  return AddUpdates(draft, replicas, learning_rate);
}

STRATEGY(
    "sync",
    {.keys = {{.name = "replicas", .kind = KeyKind::kInt, .minimum = 1, .maximum = 1 << 16, .fallback = int64_t{1}},
              {.name = "allreduce", .kind = KeyKind::kBool, .fallback = false},
              {.name = "compress_gradients", .kind = KeyKind::kBool, .fallback = false}},
     .check = &CheckSlices,
     .doc = "each replica computes the gradient of an equal slice of the batch, and the update uses their mean",
     .add = &AddSync});

}  // namespace
}  // namespace dfrun
