// A channel is a thread's, which looks at its neighbours.
#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/nn/norm/lrn.h"
#include "src/framework/kernel/kernel_of.h"

namespace dfrun {
namespace {

// The sum of f(j) over the elements j of a pixel that are around element i, in order.
template <class F>
DF_HOST_DEVICE double SumAround(int64_t i, int64_t channels, int64_t radius, const F& f) {
  const int64_t channel = i % channels;
  const int64_t first = channel > radius ? i - radius : i - channel;
  const int64_t last = channels - 1 - channel > radius ? i + radius : i - channel + channels - 1;
  double sum = 0;
  for (int64_t j = first; j <= last; ++j) sum += f(j);
  return sum;
}

template <class T>
DF_HOST_DEVICE double NormAt(const LocalResponse& response, const T* x, int64_t i, int64_t channels) {
  return response.Norm(SumAround(i, channels, response.radius, [&](int64_t j) {
    const auto value = static_cast<double>(x[j]);
    return value * value;
  }));
}

template <class T>
DF_DEVICE_KERNEL void RespondAt(LocalResponse response, const T* x, T* y, int64_t n, int64_t channels) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  const double power = response.Power(NormAt(response, x, i, channels));
  y[i] = static_cast<T>(static_cast<float>(static_cast<double>(x[i]) * power));
}

// Writes the norms, and the terms that the gradients of neighbours have in common.
template <class T>
DF_DEVICE_KERNEL void NormsAndTerms(LocalResponse response, const T* dy, const T* x, const T* y, double* norms,
                                    double* terms, int64_t n, int64_t channels) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  norms[i] = NormAt(response, x, i, channels);
  terms[i] = static_cast<double>(dy[i]) * static_cast<double>(y[i]) / norms[i];
}

template <class T>
DF_DEVICE_KERNEL void GradientAt(LocalResponse response, const T* dy, const T* x, const double* norms,
                                 const double* terms, T* dx, int64_t n, int64_t channels) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  const double sum = SumAround(i, channels, response.radius, [&](int64_t j) { return terms[j]; });
  dx[i] = static_cast<T>(response.Gradient(static_cast<double>(dy[i]), static_cast<double>(x[i]), norms[i], sum));
}

template <class T>
class LrnKernel final : public Kernel {
 public:
  explicit LrnKernel(KernelSetup& setup) : response_(LocalResponse::Of(setup)) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_TRY(LocalResponse::CheckInput(x.shape()));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &y));
    return cuda::Launch(ctx, x.num_elements(), &RespondAt<T>, response_, x.data<T>(), y->data<T>(), x.num_elements(),
                        x.shape()[3]);
  }

 private:
  const LocalResponse response_;
};

template <class T>
class LrnGradKernel final : public Kernel {
 public:
  explicit LrnGradKernel(KernelSetup& setup) : response_(LocalResponse::Of(setup)) {}
  Status Compute(OpContext& ctx) {
    const Tensor& dy = ctx.input(0);
    const Tensor& x = ctx.input(1);
    const Tensor& y = ctx.input(2);
    DF_TRY(LocalResponse::CheckGradient(dy.shape(), x.shape(), y.shape()));
    Tensor* dx = nullptr;
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &dx));
    const int64_t n = x.num_elements();
    const int64_t channels = x.shape()[3];
    DF_ASSIGN(Tensor memory, ctx.AllocateTemp(DType::kDouble, Shape({2, n})));
    double* const norms = memory.data<double>();
    double* const terms = norms + n;
    DF_TRY(cuda::Launch(ctx, n, &NormsAndTerms<T>, response_, dy.data<T>(), x.data<T>(), y.data<T>(), norms, terms, n,
                        channels));
    return cuda::Launch(ctx, n, &GradientAt<T>, response_, dy.data<T>(), x.data<T>(), norms, terms, dx->data<T>(), n,
                        channels);
  }

 private:
  const LocalResponse response_;
};

CUDA_KERNEL("LRN", KernelOf<LrnKernel>, bfloat16, float16, float);
CUDA_KERNEL("LRNGrad", KernelOf<LrnGradKernel>, bfloat16, float16, float);

}  // namespace
}  // namespace dfrun
