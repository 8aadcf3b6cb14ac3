#include "kernels/array/element_size.h"
#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/image/patches.h"

namespace dfrun {
namespace {

template <class E>
DF_DEVICE_KERNEL void CopyPatches(PatchWindows w, const E* x, E* y, int64_t n) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  int64_t at = i;
  const auto take = [&](int64_t size) {
    const int64_t rest = at / size;
    const int64_t index = at - rest * size;
    at = rest;
    return index;
  };
  const int64_t channel = take(w.depth);
  const int64_t tap_col = take(w.cols.size);
  const int64_t tap_row = take(w.rows.size);
  const int64_t col = take(w.cols.output) * w.cols.stride - w.cols.pad_before + tap_col * w.cols.rate;
  const int64_t row = take(w.rows.output) * w.rows.stride - w.rows.pad_before + tap_row * w.rows.rate;
  const bool is_inside = row >= 0 && row < w.rows.input && col >= 0 && col < w.cols.input;
  y[i] = is_inside ? x[((at * w.rows.input + row) * w.cols.input + col) * w.depth + channel] : E();
}

class ExtractImagePatchesKernel final : public PatchKernel {
 public:
  using PatchKernel::PatchKernel;
  Status Compute(OpContext& ctx) {
    const Tensor& images = ctx.input(0);
    Shape shape;
    DF_ASSIGN(const PatchWindows windows, attrs_.WindowsOf(images.shape(), shape));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    Status status;
    VisitElementOfSize(DTypeSize(images.dtype()), [&](auto tag) {
      using E = typename decltype(tag)::type;
      status = cuda::Launch(ctx, shape.num_elements(), &CopyPatches<E>, windows, static_cast<const E*>(images.raw()),
                            static_cast<E*>(y->raw()), shape.num_elements());
    });
    return status;
  }
};

CUDA_KERNEL_ANY("ExtractImagePatches", ExtractImagePatchesKernel);

}  // namespace
}  // namespace dfrun
