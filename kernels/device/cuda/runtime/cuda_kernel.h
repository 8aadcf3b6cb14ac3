// Registration of kernels that run on GPUs, and the calls by which such a kernel enqueues its work.
//
// A kernel's class is as on any device; Compute() allocates the outputs and launches functions of the GPU (launch.h),
// which run later, in the order of the device's stream. Where a subgraph is recorded
// (src/framework/device/graph_capture.h) they are kept for it instead; a kernel need not know.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_CUDA_KERNEL_H_
#define DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_CUDA_KERNEL_H_

#include <span>
#include <string_view>

#include "kernels/device/cuda/runtime/cuda_device.h"
#include "kernels/device/cuda/runtime/work_recorder.h"
#include "src/base/threads.h"
#include "src/framework/device/graph_capture.h"
#include "src/framework/kernel/kernel_registry.h"

#define CUDA_KERNEL(op, family, ...) DEVICE_KERNEL("gpu", op, family, __VA_ARGS__)
#define CUDA_KERNEL_ATTR(op, attr, family, ...) DEVICE_KERNEL_ATTR("gpu", op, attr, family, __VA_ARGS__)
#define CUDA_KERNEL_ANY(op, kernel) DEVICE_KERNEL_ANY("gpu", op, kernel)
// Registers the traits that src/framework/device/graph_capture.h reads of an op's kernels.
#define CUDA_RECORDING_TRAITS(op, ...) RECORDING_TRAITS("gpu", op, __VA_ARGS__)

namespace dfrun::cuda {

inline CudaDevice& DeviceOf(const OpContext& ctx) {
  return static_cast<CudaDevice&>(ctx.device());
}
inline Gpu& GpuOf(const OpContext& ctx) {
  return DeviceOf(ctx).gpu();
}

// Enqueues a function that the runtime knows by `entry`, in order.
Status EnqueueFunction(OpContext& ctx, const void* entry, FunctionGrid grid, std::span<const FunctionArg> args);

// Enqueues the work of a library: calls `call` once with a stream, on which alone the library enqueues it.
// `workspace_bytes`: the size of its workspace, for listings.
Status EnqueueLibraryCall(OpContext& ctx, size_t workspace_bytes, FunctionRef<Status(cudaStream_t)> call);

// The word without which (0) a kernel of a recorded subgraph must write nothing; null: there is none.
const int32_t* GateOf(const OpContext& ctx);

// Sets bytes of the GPU's memory, in order, to one value.
Status EnqueueByte(OpContext& ctx, void* to, int value, size_t bytes);
inline Status EnqueueZeros(OpContext& ctx, void* to, size_t bytes) {
  return EnqueueByte(ctx, to, 0, bytes);
}
// Copies within the GPU's memory, in order.
Status EnqueueBytes(OpContext& ctx, const void* from, void* to, size_t bytes);

// An error flag of one kernel in pinned memory. The kernel's work sets it to 1 for bad input; a null word means that it
// never refuses any.
// Owns: the word, which goes back with the kernel.
class DeviceErrorFlag {
 public:
  DeviceErrorFlag(KernelSetup& setup, std::string_view text);
  ~DeviceErrorFlag();
  DeviceErrorFlag(const DeviceErrorFlag&) = delete;
  DeviceErrorFlag& operator=(const DeviceErrorFlag&) = delete;

  // The word to which the work writes a 1.
  int32_t* word() const { return word_; }

 private:
  Gpu& gpu_;
  int32_t* const word_;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_CUDA_KERNEL_H_
