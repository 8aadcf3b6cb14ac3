#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/device/cpu_kernel.h"
#include "kernels/gemm/simd.h"
#include "kernels/math/functions/element.h"
#include "kernels/nn/norm/lrn.h"
#include "src/base/integers.h"
#include "src/framework/kernel/kernel_of.h"

namespace dfrun {
namespace {

// Pixels that are worth a thread: about 20 us.
constexpr int64_t kBlockWork = 4096;

// Values of a pixel's channels between zeros, so that every channel has neighbours on both sides.
class PaddedChannels {
 public:
  PaddedChannels(int64_t channels, int64_t radius)
      : values_(static_cast<size_t>(RoundUp(channels, kStrip) + 2 * radius)), radius_(radius), channels_(channels) {}
  double* data() { return values_.data() + radius_; }

  // sums[c] = the sum of the values around channel c, of as many on both sides as there are zeros before the first.
  void SumNeighbours(double* sums) const {
    const double* const values = values_.data();
    for (int64_t c = 0; c < channels_; c += kStrip) {
      Vec<double> strip[kVectors] = {};
      for (int64_t shift = 0; shift <= 2 * radius_; ++shift) {
#pragma GCC unroll 4
        for (int v = 0; v < kVectors; ++v) strip[v] += Load(values + c + shift + v * kLanes<double>);
      }
      double of_strip[kStrip];
      std::memcpy(of_strip, strip, sizeof(strip));
      std::copy_n(of_strip, std::min(kStrip, channels_ - c), sums + c);
    }
  }

 private:
  static constexpr int kVectors = 4;  // sums that do not wait for each other
  static constexpr int64_t kStrip = kVectors * kLanes<double>;
  std::vector<double> values_;
  const int64_t radius_;
  const int64_t channels_;
};

// Pixel by pixel.
class LrnKernelBase : public Kernel {
 public:
  explicit LrnKernelBase(KernelSetup& setup) : response_(LocalResponse::Of(setup)) {}
  bool IsExpensive() const override { return true; }

 protected:
  // The buffers in which a thread computes a pixel.
  struct Scratch {
    Scratch(int64_t channels, int64_t radius)
        : terms(channels, std::min(radius, channels - 1)), norms(static_cast<size_t>(channels)) {}
    PaddedChannels terms;
    std::vector<double> norms;
  };
  Scratch ScratchOf(int64_t channels) const { return {channels, response_.radius}; }
  const LocalResponse& response() const { return response_; }

  // The norms of the pixel's channels.
  template <class T>
  void Norms(const T* pixel, Scratch& s) const {
    double* const squares = s.terms.data();
    for (size_t c = 0; c < s.norms.size(); ++c) {
      squares[c] = static_cast<double>(pixel[c]) * static_cast<double>(pixel[c]);
    }
    s.terms.SumNeighbours(s.norms.data());
    for (double& norm : s.norms) norm = response_.Norm(norm);
  }
  // y[c] = x[c] norms[c]^-beta.
  template <class T>
  void Respond(const T* x, const std::vector<double>& norms, T* y) const {
    // Roots in float are a fifth of the time, and lose 1 to 2 ulps; norms must not leave its range.
    const bool fits = std::all_of(norms.begin(), norms.end(), [](double n) { return n > 1e-30 && n < 1e30; });
    const auto channels = static_cast<int64_t>(norms.size());
    if (fits && response_.beta == LocalResponse::kRoot) {
      DF_INDEPENDENT_ITERATIONS
      for (int64_t c = 0; c < channels; ++c) {
        y[c] = static_cast<T>(static_cast<float>(x[c]) / std::sqrt(static_cast<float>(norms[static_cast<size_t>(c)])));
      }
    } else if (fits && response_.beta == LocalResponse::kRootOfCube) {
      DF_INDEPENDENT_ITERATIONS
      for (int64_t c = 0; c < channels; ++c) {
        const float root = std::sqrt(static_cast<float>(norms[static_cast<size_t>(c)]));
        y[c] = static_cast<T>(static_cast<float>(x[c]) / (root * std::sqrt(root)));
      }
    } else {
      for (int64_t c = 0; c < channels; ++c) {
        const double power = response_.Power(norms[static_cast<size_t>(c)]);
        y[c] = static_cast<T>(static_cast<float>(static_cast<double>(x[c]) * power));
      }
    }
  }

  // body(first pixel, end) from several threads.
  static void ForPixels(const Shape& shape, ThreadPool& pool, FunctionRef<void(int64_t, int64_t)> body) {
    const int64_t channels = shape[3];
    if (shape.num_elements() > 0) pool.ParallelFor(shape.num_elements() / channels, 1 + kBlockWork / channels, body);
  }

 private:
  const LocalResponse response_;
};

template <class T>
class LrnKernel final : public LrnKernelBase {
 public:
  using LrnKernelBase::LrnKernelBase;

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_TRY(LocalResponse::CheckInput(x.shape()));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &y));
    const int64_t channels = x.shape()[3];
    ForPixels(x.shape(), ctx.pool(), [&](int64_t begin, int64_t end) {
      Scratch scratch = ScratchOf(channels);
      for (int64_t p = begin; p < end; ++p) {
        const T* from = x.data<T>() + p * channels;
        Norms(from, scratch);
        Respond(from, scratch.norms, y->data<T>() + p * channels);
      }
    });
    return Status();
  }
};

template <class T>
class LrnGradKernel final : public LrnKernelBase {
 public:
  using LrnKernelBase::LrnKernelBase;

  Status Compute(OpContext& ctx) {
    const Tensor& dy = ctx.input(0);
    const Tensor& x = ctx.input(1);
    const Tensor& y = ctx.input(2);
    DF_TRY(LocalResponse::CheckGradient(dy.shape(), x.shape(), y.shape()));
    Tensor* dx = nullptr;
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &dx));
    ForPixels(x.shape(), ctx.pool(), [&](int64_t begin, int64_t end) {
      Scratch scratch = ScratchOf(x.shape()[3]);
      std::vector<double> sums(scratch.norms.size());
      for (int64_t p = begin; p < end; ++p) {
        const int64_t at = p * x.shape()[3];
        Pixel(dy.data<T>() + at, x.data<T>() + at, y.data<T>() + at, dx->data<T>() + at, scratch, sums);
      }
    });
    return Status();
  }

 private:
  void Pixel(const T* dy, const T* x, const T* y, T* dx, Scratch& s, std::vector<double>& sums) const {
    Norms(x, s);
    double* const terms = s.terms.data();
    for (size_t c = 0; c < sums.size(); ++c) {
      terms[c] = static_cast<double>(dy[c]) * static_cast<double>(y[c]) / s.norms[c];
    }
    s.terms.SumNeighbours(sums.data());
    for (size_t c = 0; c < sums.size(); ++c) {
      dx[c] = static_cast<T>(
          response().Gradient(static_cast<double>(dy[c]), static_cast<double>(x[c]), s.norms[c], sums[c]));
    }
  }
};

CPU_KERNEL("LRN", KernelOf<LrnKernel>, bfloat16, float16, float);
CPU_KERNEL("LRNGrad", KernelOf<LrnGradKernel>, bfloat16, float16, float);

}  // namespace
}  // namespace dfrun
