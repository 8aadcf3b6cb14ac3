#include <algorithm>
#include <vector>

#include "kernels/array/element_size.h"
#include "kernels/device/cpu_kernel.h"
#include "kernels/image/resize.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

constexpr int64_t kBlock = 65536;  // results that a thread computes at a time

class ResizeNearestKernel : public ResizeKernel {
 public:
  using ResizeKernel::ResizeKernel;
  Status Compute(OpContext& ctx) {
    const Tensor& images = ctx.input(0);
    DF_ASSIGN(const ResizeSizes s, ReadResizeSizes(ctx));
    DF_TRY(CheckHasPixels(s, images.shape(), "no pixels to take"));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, s.new_shape(), &y));
    if (y->num_elements() == 0) return Status();
    const std::vector<int64_t> rows = NearestPixels(mode_, s.height, s.new_height);
    const std::vector<int64_t> cols = NearestPixels(mode_, s.width, s.new_width);
    VisitElement(images.dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      const int64_t block = std::max<int64_t>(1, kBlock / s.new_row());
      ctx.pool().ParallelFor(s.batch * s.new_height, block, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const int64_t row = r / s.new_height * s.height + rows[r % s.new_height];
          const E* from = static_cast<const E*>(images.raw()) + row * s.row();
          E* to = static_cast<E*>(y->raw()) + r * s.new_row();
          for (int64_t col : cols) to = std::copy_n(from + col * s.channels, s.channels, to);
        }
      });
    });
    return Status();
  }
};

// Input 0 is the gradient of the resized images, input 1 the size of the original ones: "new" is the original. Every
// row of the result is added up by one thread; floating point in double, integers wrap around.
struct ResizeNearestGrad {
  template <class T>
  class Kernel : public ResizeKernel {
   public:
    using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;
    explicit Kernel(KernelSetup& setup)
        : ResizeKernel(setup, /*takes_both=*/true) {}  // TensorFlow's kernel takes both, too
    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const ResizeSizes s, ReadResizeSizes(ctx));
      Tensor* dx = nullptr;
      DF_TRY(ctx.AllocateOutput(0, s.new_shape(), &dx));
      if (dx->num_elements() == 0) return Status();
      const std::vector<int64_t> rows = NearestPixels(mode_, s.new_height, s.height);
      const std::vector<int64_t> cols = NearestPixels(mode_, s.new_width, s.width);
      std::vector<std::vector<int64_t>> sources(static_cast<size_t>(s.new_height));
      for (int64_t y = 0; y < s.height; ++y) sources[rows[y]].push_back(y);
      const T* grads = ctx.input(0).data<T>();
      const int64_t block = std::max<int64_t>(1, kBlock / s.new_row());
      ctx.pool().ParallelFor(s.batch * s.new_height, block, [&](int64_t begin, int64_t end) {
        std::vector<Sum> sums(static_cast<size_t>(s.new_row()));
        for (int64_t r = begin; r < end; ++r) {
          std::fill(sums.begin(), sums.end(), Sum());
          const T* image = grads + r / s.new_height * s.height * s.row();
          for (int64_t y : sources[r % s.new_height]) AddRow(image + y * s.row(), cols, s.channels, sums.data());
          std::transform(sums.begin(), sums.end(), dx->data<T>() + r * s.new_row(),
                         [](Sum sum) { return static_cast<T>(sum); });
        }
      });
      return Status();
    }

   private:
    static void AddRow(const T* grads, const std::vector<int64_t>& cols, int64_t channels, Sum* sums) {
      for (int64_t col : cols) {
        for (int64_t c = 0; c < channels; ++c) sums[col * channels + c] += static_cast<Sum>(*grads++);
      }
    }
  };
};

CPU_KERNEL_ANY("ResizeNearestNeighbor", ResizeNearestKernel);
CPU_KERNEL("ResizeNearestNeighborGrad", ResizeNearestGrad, DF_FLOATS, int8_t, int32_t, uint8_t);

}  // namespace
}  // namespace dfrun
