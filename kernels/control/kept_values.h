// What the loops of a step keep for their gradients.
#ifndef DFRUN_KERNELS_CONTROL_KEPT_VALUES_H_
#define DFRUN_KERNELS_CONTROL_KEPT_VALUES_H_

#include <atomic>

#include "kernels/control/step_resource.h"
#include "src/base/host_memory.h"

namespace dfrun {

// One a step and rank. Thread safety: any thread.
class KeptValues final : public Resource {
 public:
  // Looked up where a stack is made, not where values are kept.
  static Result<RefPtr<KeptValues>> Of(OpContext& ctx) {
    return ctx.step().step_containers->LookupOrCreate<KeptValues>("KeptValues", "", [] { return new KeptValues; });
  }

  // So many bytes more are kept. ResourceExhausted where they leave the process less memory than the rest of a step may
  // need; that is looked at once in kLookEvery bytes.
  Status Add(int64_t bytes) {
    const int64_t kept = kept_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (kept < look_at_.load(std::memory_order_relaxed)) return Status();
    look_at_.store(kept + kLookEvery, std::memory_order_relaxed);
    const HostMemory memory = LookAtHostMemory();
    if (memory.left_bytes >= std::min(kMostReserve, memory.total_bytes / 16)) return Status();
    return Error(Code::kResourceExhausted, "the loops of the step keep ", kept,
                 " bytes for their gradients, and of the memory that this process may use, ", memory.total_bytes,
                 " bytes, ", memory.left_bytes,
                 " are left; fewer turns (a condition that fails, `max_iterations`) or smaller batches keep less");
  }
  // Values that are kept no longer.
  void Remove(int64_t bytes) { kept_.fetch_sub(bytes, std::memory_order_relaxed); }

  std::string DebugString() const override { return "what loops keep"; }

 private:
  static constexpr int64_t kLookEvery = int64_t{16} << 20;
  static constexpr int64_t kMostReserve = int64_t{256} << 20;

  std::atomic<int64_t> kept_{0};
  std::atomic<int64_t> look_at_{kLookEvery};
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_CONTROL_KEPT_VALUES_H_
