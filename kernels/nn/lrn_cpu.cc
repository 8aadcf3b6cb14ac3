#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "src/framework/kernel_of.h"

namespace dfrun {
namespace {

// Pixels that are worth a thread: about 20 us.
constexpr int64_t kBlockWork = 4096;

// All is computed in double, pixel by pixel.
class LocalResponse : public Kernel {
 public:
  explicit LocalResponse(KernelSetup& setup)
      : radius_(setup.attr<int64_t>("depth_radius")),
        bias_(setup.attr<float>("bias")),
        alpha_(setup.attr<float>("alpha")),
        beta_(setup.attr<float>("beta")) {
    if (radius_ < 0 || radius_ > INT32_MAX) setup.Fail(InvalidArgument("depth_radius is ", radius_));
  }
  bool IsExpensive() const override { return true; }

 protected:
  // sums[c] = the sum of values[k] over |k - c| <= depth_radius.
  void SumNeighbours(const std::vector<double>& values, std::vector<double>& sums) const {
    const auto channels = static_cast<int64_t>(values.size());
    const int64_t radius = std::min(radius_, channels - 1);
    std::fill(sums.begin(), sums.end(), 0.0);
    for (int64_t shift = -radius; shift <= radius; ++shift) {
      const double* from = values.data() + shift;
      double* to = sums.data();
      const int64_t end = std::min(channels, channels - shift);
      for (int64_t c = std::max<int64_t>(0, -shift); c < end; ++c) to[c] += from[c];
    }
  }
  // norms[c] = bias + alpha * the sum of squares around channel c of the pixel.
  template <class T>
  void Norms(const T* pixel, std::vector<double>& squares, std::vector<double>& norms) const {
    for (size_t c = 0; c < squares.size(); ++c)
      squares[c] = static_cast<double>(pixel[c]) * static_cast<double>(pixel[c]);
    SumNeighbours(squares, norms);
    for (double& norm : norms) norm = bias_ + alpha_ * norm;
  }
  // norm^-beta; the betas in use have shorter ways.
  double Power(double norm) const {
    if (beta_ == 0.5) return 1 / std::sqrt(norm);
    if (beta_ == 0.75) return 1 / (std::sqrt(norm) * std::sqrt(std::sqrt(norm)));
    return std::pow(norm, -beta_);
  }
  double alpha() const { return alpha_; }
  double beta() const { return beta_; }

  // body(first pixel, end) from several threads.
  static void ForPixels(const Shape& shape, ThreadPool& pool, FunctionRef<void(int64_t, int64_t)> body) {
    const int64_t channels = shape[3];
    if (shape.num_elements() > 0) pool.ParallelFor(shape.num_elements() / channels, 1 + kBlockWork / channels, body);
  }

 private:
  const int64_t radius_;
  const double bias_;
  const double alpha_;
  const double beta_;
};

template <class T>
class LrnKernel final : public LocalResponse {
 public:
  using LocalResponse::LocalResponse;

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    if (x.shape().rank() != 4) return InvalidArgument("LRN needs an input of rank 4, but has ", x.shape());
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &y));
    const auto channels = static_cast<size_t>(x.shape()[3]);
    ForPixels(x.shape(), ctx.pool(), [&](int64_t begin, int64_t end) {
      std::vector<double> squares(channels);
      std::vector<double> norms(channels);
      for (int64_t p = begin; p < end; ++p) {
        const T* from = x.data<T>() + p * x.shape()[3];
        T* to = y->data<T>() + p * x.shape()[3];
        Norms(from, squares, norms);
        for (size_t c = 0; c < channels; ++c) to[c] = static_cast<T>(static_cast<float>(from[c] * Power(norms[c])));
      }
    });
    return Status();
  }
};

// dx = dy norm^-beta - 2 alpha beta x (the sum around it of dy y / norm).
template <class T>
class LrnGradKernel final : public LocalResponse {
 public:
  using LocalResponse::LocalResponse;

  Status Compute(OpContext& ctx) {
    const Tensor& dy = ctx.input(0);
    const Tensor& x = ctx.input(1);
    const Tensor& y = ctx.input(2);
    if (x.shape().rank() != 4 || !(dy.shape() == x.shape()) || !(y.shape() == x.shape())) {
      return InvalidArgument("LRNGrad needs images of one shape of rank 4, but has ", dy.shape(), ", ", x.shape(),
                             " and ", y.shape());
    }
    Tensor* dx = nullptr;
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &dx));
    ForPixels(x.shape(), ctx.pool(), [&](int64_t begin, int64_t end) {
      const auto channels = static_cast<size_t>(x.shape()[3]);
      Scratch scratch(channels);
      for (int64_t p = begin; p < end; ++p) {
        const int64_t at = p * x.shape()[3];
        Pixel(dy.data<T>() + at, x.data<T>() + at, y.data<T>() + at, dx->data<T>() + at, scratch);
      }
    });
    return Status();
  }

 private:
  struct Scratch {
    explicit Scratch(size_t channels) : terms(channels), norms(channels), sums(channels) {}
    std::vector<double> terms, norms, sums;
  };

  void Pixel(const T* dy, const T* x, const T* y, T* dx, Scratch& s) const {
    Norms(x, s.terms, s.norms);
    for (size_t c = 0; c < s.terms.size(); ++c) {
      s.terms[c] = static_cast<double>(dy[c]) * static_cast<double>(y[c]) / s.norms[c];
    }
    SumNeighbours(s.terms, s.sums);
    for (size_t c = 0; c < s.terms.size(); ++c) {
      const double slope = 2 * alpha() * beta() * static_cast<double>(x[c]);
      dx[c] = static_cast<T>(static_cast<float>(dy[c] * Power(s.norms[c]) - slope * s.sums[c]));
    }
  }
};

CPU_KERNEL("LRN", KernelOf<LrnKernel>, bfloat16, float16, float);
CPU_KERNEL("LRNGrad", KernelOf<LrnGradKernel>, bfloat16, float16, float);

}  // namespace
}  // namespace dfrun
