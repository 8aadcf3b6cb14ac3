// Graphs of the emulated card: what a thread captures of a stream is kept as the nodes of one.
#ifndef DFRUN_TESTS_GPU_EMULATED_GRAPH_H_
#define DFRUN_TESTS_GPU_EMULATED_GRAPH_H_

#include <cuda_runtime_api.h>

#include "tests/gpu/emulated_streams.h"

namespace dfrun::cuda::emulated {

// Where this thread captures the stream, makes the work the next node of what is captured; whether it did.
bool KeepIfCaptured(cudaStream_t stream, Work& work);

}  // namespace dfrun::cuda::emulated

#endif  // DFRUN_TESTS_GPU_EMULATED_GRAPH_H_
