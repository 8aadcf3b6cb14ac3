#include "kernels/device/cuda/runtime/completion_counter.h"

#include "kernels/device/cuda/runtime/cuda_status.h"

namespace dfrun::cuda {

Status CompletionCounter::Init(cudaStream_t stream, Allocator& host) {
  void* in_gpu = nullptr;
  DF_TRY(CudaStatus(cudaMalloc(&in_gpu, sizeof(uint64_t)), "take memory for a number"));
  DF_TRY(CudaStatus(cudaMemsetAsync(in_gpu, 0, sizeof(uint64_t), stream), "set a number"));
  words_.in_gpu = static_cast<uint64_t*>(in_gpu);
  words_.in_host = static_cast<uint64_t*>(host.Allocate(sizeof(uint64_t)));
  if (words_.in_host == nullptr) return Error(Code::kResourceExhausted, "no pinned memory for a number");
  *words_.in_host = 0;
  return Status();
}

uint64_t CompletionCounter::BeginSignal() {
  uint64_t begun = ended_.load();
  if (begun_.compare_exchange_strong(begun, begun + 1)) return begun + 1;
  begun_.fetch_add(1);
  return 0;
}

// Work that has a number was enqueued alone: all telling work before it is counted, so that the sum is the one it
// writes.
void CompletionCounter::EndSignal(uint64_t work, bool is_enqueued) {
  if (is_enqueued) {
    const uint64_t count = tellings_.fetch_add(1) + 1;
    if (work != 0) {
      last_count_.store(count);
      last_telling_.store(work);
    }
  }
  ended_.fetch_add(1);
}

// The later of two pieces of work that were enqueued at the same time has its number seen here.
uint64_t CompletionCounter::CountOfLast() const {
  const uint64_t work = last_telling_.load();
  return work != 0 && begun_.load() == work ? last_count_.load() : 0;
}

}  // namespace dfrun::cuda
