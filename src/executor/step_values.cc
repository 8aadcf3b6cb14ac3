#include "src/executor/step_values.h"

#include <algorithm>

namespace dfrun {

StepValues::StepValues(const ExecPlan& plan)
    : plan_(plan), slots_(plan.num_slots()), pending_(plan.initial_pending()), readers_(plan.initial_readers()) {}

Result<std::unique_ptr<StepValues>> StepValues::Create(const ExecPlan& plan) {
  std::unique_ptr<StepValues> values(new StepValues(plan));
  if (plan.arena_bytes() > 0) {
    values->arena_ = plan.device().allocator().Allocate(plan.arena_bytes());
    if (values->arena_ == nullptr) {
      return Error(Code::kResourceExhausted, "no memory for the ", plan.arena_bytes(),
                   " bytes of small tensors of a step");
    }
  }
  for (const ExecPlan::FixedSlot& fixed : plan.fixed_slots()) values->slots_[fixed.slot] = fixed.value;
  for (const ExecPlan::PlacedSlot& placed : plan.placed_slots()) {
    values->slots_[placed.slot] =
        Tensor::Borrowed(placed.dtype, placed.shape, static_cast<char*>(values->arena_) + placed.offset);
  }
  return values;
}

StepValues::~StepValues() {
  if (arena_ != nullptr) plan_.device().allocator().Free(arena_, plan_.arena_bytes());
}

void StepValues::Reset() {
  std::copy(plan_.initial_pending().begin(), plan_.initial_pending().end(), pending_.begin());
  std::copy(plan_.initial_readers().begin(), plan_.initial_readers().end(), readers_.begin());
}

void StepValues::Release() {
  for (uint32_t slot : plan_.counted_slots()) slots_[slot].Reset();
}

}  // namespace dfrun
