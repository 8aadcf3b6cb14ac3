#include <array>

#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/functions/complex_cuda.h"
#include "kernels/math/functions/element.h"
#include "kernels/math/functions/functors.h"
#include "kernels/math/functions/vector_cuda.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// Tensors that are added at a time.
constexpr int kTerms = 8;

template <class T>
struct Terms {
  const T* at[kTerms];
  int count;
};

// Adds the terms in their order and rounds after each, as one addition after the other would.
template <class T>
DF_DEVICE_KERNEL void AddTerms(Terms<T> terms, T* sum, int64_t n, bool is_aligned) {
  using C = ComputeType<T>;
  constexpr int kWidth = cuda::WidthOf(sizeof(T));
  const int64_t first = cuda::GlobalThreadId() * kWidth;
  if (is_aligned && first + kWidth <= n) {
    cuda::ElementVector<T, kWidth> all = cuda::LoadVector<kWidth>(terms.at[0] + first);
    for (int t = 1; t < terms.count; ++t) {
      const cuda::ElementVector<T, kWidth> term = cuda::LoadVector<kWidth>(terms.at[t] + first);
      for (int k = 0; k < kWidth; ++k) {
        all.at[k] = static_cast<T>(fn::Add()(static_cast<C>(all.at[k]), static_cast<C>(term.at[k])));
      }
    }
    cuda::StoreVector<kWidth>(sum + first, all);
    return;
  }
  for (int64_t i = first; i < n && i < first + kWidth; ++i) {
    T all = terms.at[0][i];
    for (int t = 1; t < terms.count; ++t) {
      all = static_cast<T>(fn::Add()(static_cast<C>(all), static_cast<C>(terms.at[t][i])));
    }
    sum[i] = all;
  }
}

template <class E>
class AddNKernel final : public Kernel {
 public:
  explicit AddNKernel(KernelSetup&) {}

  Status Compute(OpContext& ctx) {
    const Tensor& first = ctx.input(0);
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      if (!(ctx.input(i).shape() == first.shape())) {
        return InvalidArgument("AddN of different shapes: input 0 has ", first.shape(), ", input ", i, " has ",
                               ctx.input(i).shape());
      }
    }
    Tensor* sum = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(0, 0, first.shape(), &sum));
    for (int next = 0; next < ctx.num_inputs();) {
      Terms<E> terms{};
      if (next > 0) terms.at[terms.count++] = static_cast<const E*>(sum->raw());
      while (next < ctx.num_inputs() && terms.count < kTerms) {
        terms.at[terms.count++] = static_cast<const E*>(ctx.input(next++).raw());
      }
      DF_TRY(Add(ctx, terms, *sum));
    }
    return Status();
  }

 private:
  static Status Add(OpContext& ctx, const Terms<E>& terms, Tensor& sum) {
    bool is_aligned = cuda::IsVectorAligned(sum.raw());
    for (int t = 0; t < terms.count; ++t) is_aligned = is_aligned && cuda::IsVectorAligned(terms.at[t]);
    constexpr int kWidth = cuda::WidthOf(sizeof(E));
    const int64_t n = sum.num_elements();
    return cuda::Launch(ctx, (n + kWidth - 1) / kWidth, &AddTerms<E>, terms, static_cast<E*>(sum.raw()), n, is_aligned);
  }
};

struct AddN {
  template <class T>
  using Kernel = AddNKernel<cuda::GpuType<T>>;
};

CUDA_KERNEL("AddN", AddN, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
