// The values that loops of a step keep for their gradients, and the watch over their memory.
#ifndef DFRUN_KERNELS_CONTROL_KEPT_VALUES_H_
#define DFRUN_KERNELS_CONTROL_KEPT_VALUES_H_

#include <algorithm>
#include <atomic>
#include <string_view>

#include "kernels/control/step_resource.h"
#include "src/base/host/host_memory.h"

namespace dfrun {

// Looks at the memory that is left whenever values of some MiB more are kept.
// Thread safety: any thread.
class MemoryWatch {
 public:
  // Counts `bytes` more as kept by `who`. ResourceExhausted where the process has less memory left than the rest of a
  // step may need.
  Status Add(int64_t bytes, std::string_view who) {
    if (unseen_.fetch_add(bytes, std::memory_order_relaxed) + bytes < kLookEvery) return Status();
    unseen_.store(0, std::memory_order_relaxed);
    const HostMemory memory = LookAtHostMemory();
    if (memory.left_bytes >= std::min(kMaxReserve, memory.total_bytes / 16)) return Status();
    return Error(Code::kResourceExhausted, who, ", and of the memory that this process may use, ", memory.total_bytes,
                 " bytes, ", memory.left_bytes,
                 " are left; fewer turns (a condition that fails, `max_iterations`) or smaller batches keep less");
  }

 private:
  static constexpr int64_t kLookEvery = int64_t{16} << 20;
  static constexpr int64_t kMaxReserve = int64_t{256} << 20;

  std::atomic<int64_t> unseen_{0};
};

// One a step and rank.
// Thread safety: any thread.
class KeptValues final : public Resource {
 public:
  // Looked up where a stack is made, not where values are kept.
  static Result<RefPtr<KeptValues>> Of(OpContext& ctx) {
    return ctx.step().step_containers->LookupOrCreate<KeptValues>("KeptValues", "", [] { return new KeptValues; });
  }

  // Counts bytes that are kept, by the contract of MemoryWatch::Add().
  Status Add(int64_t bytes) { return watch_.Add(bytes, "the loops of the step keep values for their gradients"); }

  std::string DebugString() const override { return "what loops keep"; }

 private:
  MemoryWatch watch_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_CONTROL_KEPT_VALUES_H_
