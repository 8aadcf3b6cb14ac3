// Graphs of the emulated GPU: the work that a thread captures on a stream becomes the nodes of a graph.
#ifndef DFRUN_TESTS_GPU_EMULATED_GRAPH_H_
#define DFRUN_TESTS_GPU_EMULATED_GRAPH_H_

#include <cuda_runtime_api.h>

#include "tests/gpu/emulated_streams.h"

namespace dfrun::cuda::emulated {

// Makes the work the next node of the captured graph if this thread captures the stream. Returns whether it does.
bool KeepIfCaptured(cudaStream_t stream, Work& work);

}  // namespace dfrun::cuda::emulated

#endif  // DFRUN_TESTS_GPU_EMULATED_GRAPH_H_
