#include <algorithm>

#include "kernels/array/element_size.h"
#include "kernels/device/cpu_kernel.h"
#include "kernels/image/patches.h"

namespace dfrun {
namespace {

constexpr int64_t kBlock = 65536;  // elements that a thread copies at a time

// Writes one window: its pixels that lie in the image, zeros for the others.
template <class E>
E* CopyPatch(const E* image, const PatchDim& rows, const PatchDim& cols, int64_t row, int64_t col, int64_t depth,
             E* to) {
  for (int64_t i = 0; i < rows.size; ++i) {
    const int64_t y = row * rows.stride - rows.pad_before + i * rows.rate;
    for (int64_t j = 0; j < cols.size; ++j) {
      const int64_t x = col * cols.stride - cols.pad_before + j * cols.rate;
      const bool inside = y >= 0 && y < rows.input && x >= 0 && x < cols.input;
      to = inside ? std::copy_n(image + (y * cols.input + x) * depth, depth, to) : std::fill_n(to, depth, E());
    }
  }
  return to;
}

class ExtractImagePatchesKernel : public PatchKernel {
 public:
  using PatchKernel::PatchKernel;

  Status Compute(OpContext& ctx) {
    const Tensor& images = ctx.input(0);
    Shape shape;
    DF_ASSIGN(const PatchWindows windows, attrs_.WindowsOf(images.shape(), shape));
    const PatchDim& rows = windows.rows;
    const PatchDim& cols = windows.cols;
    const int64_t depth = windows.depth;
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    if (shape.num_elements() == 0) return Status();
    VisitElement(images.dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      const int64_t patch = windows.patch();
      const int64_t patches = shape.num_elements() / patch;
      ctx.pool().ParallelFor(patches, std::max<int64_t>(1, kBlock / patch), [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; ++p) {
          const int64_t row = p / cols.output % rows.output;
          const E* image =
              static_cast<const E*>(images.raw()) + p / (cols.output * rows.output) * rows.input * cols.input * depth;
          CopyPatch(image, rows, cols, row, p % cols.output, depth, static_cast<E*>(y->raw()) + p * patch);
        }
      });
    });
    return Status();
  }
};

CPU_KERNEL_ANY("ExtractImagePatches", ExtractImagePatchesKernel);

}  // namespace
}  // namespace dfrun
