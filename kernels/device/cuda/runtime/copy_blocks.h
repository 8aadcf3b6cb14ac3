// Many small copies by one function of the GPU, which reads pinned memory of the host itself: a copy engine takes
// longer for each.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_COPY_BLOCKS_H_
#define DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_COPY_BLOCKS_H_

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

#include "kernels/device/cuda/runtime/completion_counter.h"
#include "src/framework/device/graph_capture.h"

namespace dfrun::cuda {

// Enqueues the copies, which do not overlap. Large ones go by the copy engine.
cudaError_t EnqueueBlockCopies(std::span<const BlockCopy> copies, cudaStream_t stream);

// True if the copies are few and small enough for one block of threads, which can tell the host when they are done.
bool AreForOneBlock(std::span<const BlockCopy> copies);
// Enqueues such copies as work that tells the host when it is done.
cudaError_t EnqueueSignalingCopies(std::span<const BlockCopy> copies, const CounterWords& words, cudaStream_t stream);
// The function of one block that only tells: its arguments are those of CounterWords.
const void* SignalEntry();
inline constexpr int kSignalThreads = 32;

// Adds a copy to a graph that is left out where *gate is 0.
cudaError_t AddGatedCopy(cudaGraph_t graph, std::span<const cudaGraphNode_t> after, const BlockCopy& copy,
                         const int32_t* gate, cudaGraphNode_t* node);

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_COPY_BLOCKS_H_
