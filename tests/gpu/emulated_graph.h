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

}  // namespace dfrun::cuda::emulated

#endif  // DFRUN_TESTS_GPU_EMULATED_GRAPH_H_
