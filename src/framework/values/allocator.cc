#include "src/framework/values/allocator.h"

#include <atomic>
#include <cstdlib>

#include "src/base/integers.h"

namespace dfrun {
namespace {

class AlignedAllocator final : public Allocator {
 public:
  std::string_view name() const override { return "system"; }

  void* Allocate(size_t bytes) override {
    void* memory = std::aligned_alloc(kAlignment, RoundUp(bytes, kAlignment));
    if (memory == nullptr) return nullptr;
    const int64_t in_use = in_use_.fetch_add(static_cast<int64_t>(bytes)) + static_cast<int64_t>(bytes);
    int64_t peak = peak_.load();
    while (peak < in_use && !peak_.compare_exchange_weak(peak, in_use)) {
    }
    allocations_.fetch_add(1);
    return memory;
  }

  void Free(void* memory, size_t bytes) override {
    in_use_.fetch_sub(static_cast<int64_t>(bytes));
    std::free(memory);
  }

  AllocatorStats Stats() const override {
    return {
        .bytes_in_use = in_use_, .peak_bytes_in_use = peak_, .allocations = allocations_, .bytes_reserved = in_use_};
  }

  void ResetPeak() override { peak_ = in_use_.load(); }

 private:
  std::atomic<int64_t> in_use_{0};
  std::atomic<int64_t> peak_{0};
  std::atomic<int64_t> allocations_{0};
};

}  // namespace

Allocator& SystemAllocator() {
  static AlignedAllocator& allocator = *new AlignedAllocator();  // never destroyed: buffers may outlive static objects
  return allocator;
}

}  // namespace dfrun
