#include "src/session/pending_step.h"

#include <algorithm>
#include <utility>

namespace dfrun {

PendingStep::~PendingStep() {
  if (run_ == nullptr || waited_) return;
  [[maybe_unused]] const Status status = host_.Finish(*this);
}

Status PendingStep::Wait(std::span<Tensor> fetches) {
  if (waited_) return FailedPrecondition("the end of this step has been waited for");
  if (fetches.size() != fetched_.size()) {
    return InvalidArgument("there is room for ", fetches.size(), " fetches of a step that has ", fetched_.size());
  }
  DF_TRY(host_.Finish(*this));
  std::move(fetched_.begin(), fetched_.end(), fetches.begin());
  return Status();
}

void PendingStep::OwnPartEnded(void* self, Status status) {
  auto* step = static_cast<PendingStep*>(self);
  step->own_ = std::move(status);
  step->own_ended_.store(true, std::memory_order_release);
  step->host_.OwnPartEnded(*step);
}

void PendingStep::AllEnded(void* self, Status first) {
  auto* step = static_cast<PendingStep*>(self);
  step->first_ = std::move(first);
  step->host_.AllEnded(*step);
}

}  // namespace dfrun
