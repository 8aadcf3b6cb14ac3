// The convolutions of one node on GPUs by cuDNN, if they are large enough and it has a plan.
#ifndef DFRUN_KERNELS_NN_CONV_CONV_LIBRARY_CUDA_H_
#define DFRUN_KERNELS_NN_CONV_CONV_LIBRARY_CUDA_H_

#include "kernels/device/cuda/library_call/library_conv.h"
#include "kernels/device/cuda/runtime/cuda_kernel.h"
#include "kernels/device/shape_cache.h"
#include "kernels/nn/conv/conv_kind.h"
#include "kernels/nn/conv/conv_shape.h"

namespace dfrun::cuda {

// Thread safety: any thread.
class ConvByLibrary {
 public:
  // `epilogue`: the one of a forward convolution.
  ConvByLibrary(const KernelSetup& setup, ConvKind kind, ConvEpilogue epilogue = ConvEpilogue::kNone)
      : kind_(kind), epilogue_(epilogue), arithmetic_(Arithmetic::Of(setup.attrs())) {}

  // False where functions of ours are to do it; else it is enqueued. `a` and `b` as InputsOf(kind) orders them; filters
  // are height, width, in-channels, out-channels. `bias`: of an epilogue, one for each out-channel; else null.
  Result<bool> Run(OpContext& ctx, const ConvShape& shape, const Tensor& a, const Tensor& b, const void* bias,
                   Tensor& result);

 private:
  Result<std::shared_ptr<const LibraryConv>> PlanFor(const ConvShape& shape, DType dtype, int gpu);

  const ConvKind kind_;
  const ConvEpilogue epilogue_;
  const Arithmetic arithmetic_;
  ShapeCache<ConvShape, LibraryConv> plans_;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_NN_CONV_CONV_LIBRARY_CUDA_H_
