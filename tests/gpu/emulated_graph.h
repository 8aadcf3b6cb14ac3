// What the emulated runtime does with work: at once, or as a node of a graph.
#ifndef DFRUN_TESTS_GPU_EMULATED_GRAPH_H_
#define DFRUN_TESTS_GPU_EMULATED_GRAPH_H_

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>

namespace dfrun::cuda::emulated {

using Work = std::function<void()>;

// The call of a kernel with its arguments as they are now.
Work KeepCall(const void* kernel, int64_t blocks, void** args);

// Does it, or where this thread captures the stream makes it the next node of what is captured.
cudaError_t Enqueue(cudaStream_t stream, Work work);

// In order with what the stream was given before: now, or later (emulated_streams.cc).
void DoInStream(cudaStream_t stream, Work work);
// Fills memory that is given out, or back, with NaN.
void Spoil(void* memory, size_t bytes);

// Has a kernel begin before `earlier` is done, which is done when it first waits for earlier work.
void BeginEarly(const Work& kernel, const Work& earlier);
// Whether the driver does.
bool TakesEarlyEdges();

}  // namespace dfrun::cuda::emulated

#endif  // DFRUN_TESTS_GPU_EMULATED_GRAPH_H_
