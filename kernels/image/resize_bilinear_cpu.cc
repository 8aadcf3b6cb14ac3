#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/device/cpu_kernel.h"
#include "kernels/image/resize.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

constexpr int64_t kBlock = 16384;  // results that a thread computes at a time

int64_t RowsPerBlock(int64_t row) {
  return std::max<int64_t>(1, kBlock / std::max<int64_t>(1, row));
}

struct ResizeBilinear {
  template <class T>
  class Kernel : public ResizeKernel {
   public:
    using ResizeKernel::ResizeKernel;
    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const ResizeSizes s, ReadResizeSizes(ctx));
      DF_TRY(CheckHasPixels(s, ctx.input(0).shape(), "nothing to interpolate"));
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(0, s.new_shape(), &y));
      if (y->num_elements() == 0) return Status();
      const T* images = ctx.input(0).data<T>();
      if (s.height == s.new_height && s.width == s.new_width) {
        // Images of the same size are copied: interpolation between two pixels of which one is infinite would give NaN.
        Copy(ctx.pool(), images, y->num_elements(), y->data<float>());
        return Status();
      }
      const std::vector<Interpolation> vertical = Interpolations(mode_, s.height, s.new_height);
      const std::vector<Interpolation> horizontal = Interpolations(mode_, s.width, s.new_width);
      ctx.pool().ParallelFor(s.batch * s.new_height, RowsPerBlock(s.new_row()), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const Interpolation& v = vertical[r % s.new_height];
          const T* image = images + r / s.new_height * s.height * s.row();
          InterpolateRow(image + v.lower * s.row(), image + v.upper * s.row(), v.lerp, horizontal, s.channels,
                         y->data<float>() + r * s.new_row());
        }
      });
      return Status();
    }

   private:
    static void Copy(ThreadPool& pool, const T* from, int64_t n, float* to) {
      pool.ParallelFor(n, kBlock, [&](int64_t begin, int64_t end) {
        std::transform(from + begin, from + end, to + begin, [](T pixel) { return static_cast<float>(pixel); });
      });
    }

    static void InterpolateRow(const T* top, const T* bottom, float y_lerp, const std::vector<Interpolation>& positions,
                               int64_t channels, float* to) {
      for (const Interpolation& h : positions) {
        const int64_t left = h.lower * channels;
        const int64_t right = h.upper * channels;
        for (int64_t c = 0; c < channels; ++c) {
          const auto top_left = static_cast<float>(top[left + c]);
          const auto bottom_left = static_cast<float>(bottom[left + c]);
          const float upper = top_left + (static_cast<float>(top[right + c]) - top_left) * h.lerp;
          const float lower = bottom_left + (static_cast<float>(bottom[right + c]) - bottom_left) * h.lerp;
          *to++ = upper + (lower - upper) * y_lerp;
        }
      }
    }
  };
};

// A row of the resized image that takes part in a row of the source, with its weight.
using Share = std::pair<int64_t, float>;

std::vector<std::vector<Share>> SharesOfRows(const std::vector<Interpolation>& vertical, int64_t height) {
  std::vector<std::vector<Share>> shares(static_cast<size_t>(height));
  for (size_t y = 0; y < vertical.size(); ++y) {
    const Interpolation& v = vertical[y];
    shares[v.lower].emplace_back(static_cast<int64_t>(y), 1 - v.lerp);
    shares[v.upper].emplace_back(static_cast<int64_t>(y), v.lerp);
  }
  return shares;
}

// Every row of the result is added up by one thread, in double.
struct ResizeBilinearGrad {
  template <class T>
  class Kernel : public ResizeKernel {
   public:
    using ResizeKernel::ResizeKernel;
    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const ResizeSizes s, ReadGradientSizes(ctx));
      Tensor* dx = nullptr;
      DF_TRY(ctx.AllocateOutput(0, Shape({s.batch, s.height, s.width, s.channels}), &dx));
      if (dx->num_elements() == 0) return Status();
      const auto shares = SharesOfRows(Interpolations(mode_, s.height, s.new_height), s.height);
      const std::vector<Interpolation> horizontal = Interpolations(mode_, s.width, s.new_width);
      const float* grads = ctx.input(0).data<float>();
      ctx.pool().ParallelFor(s.batch * s.height, RowsPerBlock(s.row()), [&](int64_t begin, int64_t end) {
        std::vector<double> sums(static_cast<size_t>(s.row()));
        for (int64_t r = begin; r < end; ++r) {
          std::fill(sums.begin(), sums.end(), 0);
          const float* image = grads + r / s.height * s.new_height * s.new_row();
          for (const auto& [y, weight] : shares[r % s.height])
            AddRow(image + y * s.new_row(), weight, horizontal, s.channels, sums.data());
          std::transform(sums.begin(), sums.end(), dx->data<T>() + r * s.row(),
                         [](double sum) { return static_cast<T>(sum); });
        }
      });
      return Status();
    }

   private:
    static void AddRow(const float* grads, float weight, const std::vector<Interpolation>& positions, int64_t channels,
                       double* sums) {
      for (const Interpolation& h : positions) {
        for (int64_t c = 0; c < channels; ++c) {
          const float share = *grads++ * weight;
          sums[h.lower * channels + c] += static_cast<double>(share * (1 - h.lerp));
          sums[h.upper * channels + c] += static_cast<double>(share * h.lerp);
        }
      }
    }
  };
};

CPU_KERNEL("ResizeBilinear", ResizeBilinear, DF_FLOATS, DF_SIGNED, uint8_t, uint16_t);
CPU_KERNEL("ResizeBilinearGrad", ResizeBilinearGrad, DF_FLOATS);

}  // namespace
}  // namespace dfrun
