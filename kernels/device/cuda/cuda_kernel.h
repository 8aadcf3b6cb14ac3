// Registration of kernels that run on cards, and how such a kernel enqueues its work.
//
// A kernel's class is as on any device; Compute() allocates the outputs and launches functions of the card (launch.h),
// which run later, in the order of the device's stream.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_CUDA_KERNEL_H_
#define DFRUN_KERNELS_DEVICE_CUDA_CUDA_KERNEL_H_

#include <string_view>

#include "kernels/device/cuda/cuda_device.h"
#include "src/framework/kernel_registry.h"

#define CUDA_KERNEL(op, family, ...) DEVICE_KERNEL("gpu", op, family, __VA_ARGS__)
#define CUDA_KERNEL_ATTR(op, attr, family, ...) DEVICE_KERNEL_ATTR("gpu", op, attr, family, __VA_ARGS__)
#define CUDA_KERNEL_ANY(op, kernel) DEVICE_KERNEL_ANY("gpu", op, kernel)

namespace dfrun::cuda {

inline Card& CardOf(const OpContext& ctx) {
  return static_cast<CudaDevice&>(ctx.device()).card();
}

// An error of a launch, with what was launched.
Status LaunchStatus(cudaError_t error, const OpContext& ctx);

// Sets bytes of the card's memory, in order, to one value.
Status EnqueueByte(OpContext& ctx, void* to, int value, size_t bytes);
inline Status EnqueueZeros(OpContext& ctx, void* to, size_t bytes) {
  return EnqueueByte(ctx, to, 0, bytes);
}
// Copies within the card's memory, in order.
Status EnqueueBytes(OpContext& ctx, const void* from, void* to, size_t bytes);

// A kernel's word for what its work refuses: null is taken as "nothing is refused".
class Refusal {
 public:
  Refusal(KernelSetup& setup, std::string_view text);
  ~Refusal();
  Refusal(const Refusal&) = delete;
  Refusal& operator=(const Refusal&) = delete;

  // Where the work writes a 1.
  int32_t* word() const { return word_; }

 private:
  Card& card_;
  int32_t* const word_;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_CUDA_KERNEL_H_
