// CompletionCounter: a counter of the pieces of a stream's work that tell the host when they are done. Such work adds 1
// to a number in the GPU's memory and writes the sum to host memory, which the host reads at no cost. Other work needs
// a query of the runtime.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_COMPLETION_COUNTER_H_
#define DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_COMPLETION_COUNTER_H_

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>

#include "src/base/status.h"
#include "src/framework/values/allocator.h"

namespace dfrun::cuda {

// The words in which telling work counts.
struct CounterWords {
  uint64_t* in_gpu = nullptr;
  uint64_t* in_host = nullptr;
};

// The tally of one stream. Work on the stream is enqueued between BeginWork() and EndWork(), or BeginSignal() and
// EndSignal().
// Thread safety: all methods but Init() from any thread.
class CompletionCounter {
 public:
  // Takes the words from the current GPU, and from `host`, memory that it reaches. Both live as long as the process.
  Status Init(cudaStream_t stream, Allocator& host);
  const CounterWords& words() const { return words_; }

  void BeginWork() { begun_.fetch_add(1); }
  void EndWork() { ended_.fetch_add(1); }
  // The number of the work, for EndSignal(); 0 where other work is being enqueued, so that the order is not known.
  uint64_t BeginSignal();
  void EndSignal(uint64_t work, bool is_enqueued);

  // The count that the last work enqueued will reach; 0 if that work does not tell. Work that is enqueued meanwhile may
  // be left out.
  uint64_t CountOfLast() const;
  // True if the work that reaches `count` is done, with all before it.
  bool HasCome(uint64_t count) const {
    return std::atomic_ref(*words_.in_host).load(std::memory_order_acquire) >= count;
  }

 private:
  CounterWords words_;
  // Pieces of work: no other is being enqueued where both are equal.
  std::atomic<uint64_t> begun_{0};
  std::atomic<uint64_t> ended_{0};
  std::atomic<uint64_t> tellings_{0};
  std::atomic<uint64_t> last_telling_{0};  // its number among all work, if none was enqueued beside it
  std::atomic<uint64_t> last_count_{0};
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_COMPLETION_COUNTER_H_
