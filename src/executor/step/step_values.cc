#include "src/executor/step/step_values.h"

#include <algorithm>

#include "src/framework/device/device_types.h"
#include "src/framework/device/exchange_memory.h"

namespace dfrun {

// Small values that go to other ranks lie in the arena among others.
StepValues::StepValues(const ExecPlan& plan, const ValueLayout& layout)
    : layout_(layout),
      allocator_(ExchangeAllocator(plan.device())),
      slots_(layout.num_slots),
      pending_(layout.pending),
      readers_(layout.readers),
      notes_(plan.has_control_flow() ? layout.pending.size() : 0) {}

Result<std::unique_ptr<StepValues>> StepValues::Create(const ExecPlan& plan, const FramePlan& frame) {
  const ValueLayout& layout = frame.layout;
  std::unique_ptr<StepValues> values(new StepValues(plan, layout));
  if (layout.arena_bytes > 0) {
    values->arena_ = values->allocator_.Allocate(layout.arena_bytes);
    if (values->arena_ == nullptr) {
      const std::string key = DeviceMemoryKey(*plan.device().name().type);
      return Error(Code::kResourceExhausted, plan.device().full_name(), ": no memory for the ", layout.arena_bytes,
                   " bytes of small tensors of a step: raise `", key, "` of the cluster, or take a smaller batch");
    }
  }
  for (const ValueLayout::FixedSlot& fixed : layout.fixed) values->slots_[fixed.slot] = fixed.value;
  for (const ValueLayout::ArenaSlot& in_arena : layout.arena_slots) {
    values->slots_[in_arena.slot] =
        Tensor::Borrowed(in_arena.dtype, in_arena.shape, static_cast<char*>(values->arena_) + in_arena.offset,
                         values->allocator_.kind());
  }
  return values;
}

StepValues::~StepValues() {
  if (arena_ != nullptr) allocator_.Free(arena_, layout_.arena_bytes);
}

void StepValues::Reset(bool is_later) {
  const std::vector<int32_t>& pending = is_later ? layout_.later_pending : layout_.pending;
  std::copy(pending.begin(), pending.end(), pending_.begin());
  std::copy(layout_.readers.begin(), layout_.readers.end(), readers_.begin());
  std::fill(notes_.begin(), notes_.end(), 0);
}

void StepValues::Release() {
  for (uint32_t slot : layout_.counted) slots_[slot].Reset();
}

}  // namespace dfrun
