// Streams and events of the emulated card. What is enqueued is done later: streams go on in turns, by random steps and
// in a random order that events allow, where the program enqueues, asks an event or waits for a stream, and slowly on a
// thread of their own. Who reads what another stream writes without an event finds what was there before, for some
// seed.
//
// Thread safety: all functions from any thread, but those of which the caller holds `running`.
#ifndef DFRUN_TESTS_GPU_EMULATED_STREAMS_H_
#define DFRUN_TESTS_GPU_EMULATED_STREAMS_H_

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <variant>

#include "kernels/device/cuda/block.h"

namespace dfrun::cuda::emulated {

using Work = std::function<void()>;

// Work of many parts, of which one is done at a time. The caller holds `running`.
class Parts {
 public:
  virtual ~Parts() = default;
  // Does one; whether it was the last.
  virtual bool DoOne() = 0;
};

// Enqueues, or where this thread captures the stream keeps the work for the graph (emulated_graph.h).
cudaError_t Enqueue(cudaStream_t stream, Work work);
void EnqueueParts(cudaStream_t stream, std::unique_ptr<Parts> parts);
// Enqueues in the order in which memory is given back and given out again: that of the first stream that was made.
void EnqueueInOrderOfMemory(Work work);

// While an object lives, its thread does the card's work; with denormal numbers, as cards compute.
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
