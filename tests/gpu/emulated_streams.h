// Streams and events of the emulated GPU. Enqueued work is executed later: streams advance in turns, by random steps
// and in a random order that events allow. They advance when the program enqueues, asks an event or waits for a stream,
// and slowly on a thread of their own. With some seed, work that reads another stream's result without an event reads
// the old content.
//
// Thread safety: all functions from any thread, except those of which the caller must hold `running`.
#ifndef DFRUN_TESTS_GPU_EMULATED_STREAMS_H_
#define DFRUN_TESTS_GPU_EMULATED_STREAMS_H_

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <variant>

#include "kernels/device/cuda/runtime/block.h"

namespace dfrun::cuda::emulated {

using Work = std::function<void()>;

// Work of many parts that is executed one part at a time. The caller holds `running`.
class Parts {
 public:
  virtual ~Parts() = default;
  // Executes one part; returns whether it was the last.
  virtual bool DoOne() = 0;
};

// Enqueues the work, or keeps it for the graph if this thread captures the stream (emulated_graph.h).
cudaError_t Enqueue(cudaStream_t stream, Work work);
void EnqueueParts(cudaStream_t stream, std::unique_ptr<Parts> parts);
// Enqueues on the first stream that was made: memory is freed and allocated again in this order.
void EnqueueInOrderOfMemory(Work work);

// Lets its thread execute the GPU's work while it lives, with denormal numbers as GPUs compute.
class AtWork {
 public:
  AtWork();
  ~AtWork();
  AtWork(const AtWork&) = delete;
  AtWork& operator=(const AtWork&) = delete;
  static bool IsNow();

 private:
  const unsigned float_mode_;
};

}  // namespace dfrun::cuda::emulated

#endif  // DFRUN_TESTS_GPU_EMULATED_STREAMS_H_
