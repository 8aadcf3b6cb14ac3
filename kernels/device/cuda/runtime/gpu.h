// A GPU of this process: its memory, its streams, and the thread that says when they have come so far.
//
// There is one object for each GPU, made when it is first asked for, which lives as long as the process: memory that
// was taken from the system is kept for the devices that come after, since taking it again is slow.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_GPU_H_
#define DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_GPU_H_

#include <cuda_runtime_api.h>

#include <atomic>
#include <utility>
#include <vector>

#include "kernels/device/cuda/memory/pool_allocator.h"
#include "kernels/device/cuda/runtime/completion_counter.h"
#include "kernels/device/cuda/runtime/completion_queue.h"
#include "kernels/device/cuda/runtime/current_gpu.h"
#include "kernels/device/cuda/runtime/device_error_flags.h"
#include "kernels/device/cuda/runtime/upload_memory.h"
#include "src/base/threads.h"
#include "src/framework/device/graph_capture.h"
#include "src/framework/values/allocator.h"

namespace dfrun::cuda {

// Host memory from which GPUs copy on their own, and which their kernels reach. Lives as long as the process.
Allocator& PinnedMemory();

// Thread safety: all methods from any thread.
class Gpu {
 public:
  static Result<Gpu*> Find(int index);

  int index() const { return index_; }
  // Makes the GPU that of the calling thread's calls of the runtime.
  void MakeCurrent() const { cuda::MakeCurrent(index_); }

  // True if kernels may begin before those that they wait for are done (block.h).
  bool has_early_launches() const { return has_early_launches_; }

  // The stream in which Enqueue() and EnqueueSignal() enqueue all kernels.
  cudaStream_t stream() const { return stream_; }
  cudaError_t Enqueue(FunctionRef<cudaError_t(cudaStream_t)> enqueue);
  // `enqueue` enqueues work of which the last piece counts in these words, those of counter(), when it is done.
  cudaError_t EnqueueSignal(FunctionRef<cudaError_t(cudaStream_t, const CounterWords&)> enqueue);
  // Runs `done` when all that was enqueued in stream() is done, with the error of the GPU's work, if any; `kept` are
  // not given back before. An error where the runtime refuses; `done` then does not run.
  Status WhenDone(std::vector<Tensor> kept, CompletionQueue::Done done);
  // Copies to the GPU, and from it.
  cudaStream_t upload_stream() const { return upload_stream_; }
  cudaStream_t download_stream() const { return download_stream_; }
  // Makes the work that `later` is given from now on wait for the work that `earlier` has been given.
  Status Order(cudaStream_t earlier, cudaStream_t later);

  const CompletionCounter& counter() const { return counter_; }

  PoolAllocator& memory() { return memory_; }
  UploadMemory& uploads() { return uploads_; }
  CompletionQueue& completions() { return completions_; }
  DeviceErrorFlags& error_flags() { return error_flags_; }

  // Tensors that the stream's work reads, until a step's end takes them to keep them until that work is done.
  void Keep(std::vector<Tensor> tensors) EXCLUDES(mu_);
  std::vector<Tensor> TakeKept() EXCLUDES(mu_);

  void CountRecording() { recordings_.fetch_add(1, std::memory_order_relaxed); }
  void CountLaunch() { launches_.fetch_add(1, std::memory_order_relaxed); }
  void CountStreamCall() { stream_calls_.fetch_add(1, std::memory_order_relaxed); }
  CaptureCounters counters() const {
    return {.recordings = recordings_.load(std::memory_order_relaxed),
            .launches = launches_.load(std::memory_order_relaxed),
            .stream_calls = stream_calls_.load(std::memory_order_relaxed),
            .signaled_ends = signaled_ends_.load(std::memory_order_relaxed),
            .asked_ends = asked_ends_.load(std::memory_order_relaxed)};
  }

  // Keeps the first error of enqueued work, for TakeFailure().
  void Fail(Status status) EXCLUDES(mu_);
  Status TakeFailure() EXCLUDES(mu_);

 private:
  explicit Gpu(int index);
  Status Init();

  const int index_;
  cudaStream_t stream_ = nullptr;
  cudaStream_t upload_stream_ = nullptr;
  cudaStream_t download_stream_ = nullptr;
  bool has_early_launches_ = false;
  CompletionCounter counter_;  // tally of stream_
  PoolAllocator memory_;
  UploadMemory uploads_;
  CompletionQueue completions_;
  DeviceErrorFlags error_flags_;
  std::atomic<int64_t> recordings_{0};
  std::atomic<int64_t> launches_{0};
  std::atomic<int64_t> stream_calls_{0};
  std::atomic<int64_t> signaled_ends_{0};
  std::atomic<int64_t> asked_ends_{0};
  Mutex mu_;
  std::vector<Tensor> kept_ GUARDED_BY(mu_);
  Status failure_ GUARDED_BY(mu_);
  cudaEvent_t order_event_ GUARDED_BY(mu_) = nullptr;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_GPU_H_
