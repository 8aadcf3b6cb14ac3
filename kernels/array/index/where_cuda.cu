#include <complex>

#include "kernels/array/sort/order_cuda.h"
#include "kernels/array/value_bits.h"
#include "kernels/device/cuda/runtime/launch.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// Sets an element's flag if one of its parts is not zero.
template <class T, int kParts>
DF_DEVICE_KERNEL void MarkSet(const T* x, int64_t n, bool* flags) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  bool is_set = false;
  for (int part = 0; part < kParts; ++part) is_set = is_set || x[i * kParts + part] != T(0);
  flags[i] = is_set;
}

// Dimension d of the coordinates of elements, which are `inner` apart in it.
DF_DEVICE_KERNEL void WriteCoordinate(const int64_t* elements, int64_t n, int64_t size, int64_t inner, int d, int rank,
                                      int64_t* y) {
  const int64_t i = cuda::GlobalThreadId();
  if (i < n) y[i * rank + d] = elements[i] / inner % size;
}

template <class T, int kParts>
class WhereKernel : public Kernel {
 public:
  explicit WhereKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    const int rank = x.shape().rank();
    if (rank == 0) return InvalidArgument("Where takes a tensor of rank 1 or more, not a scalar");
    const int64_t n = x.num_elements();
    DF_ASSIGN(Tensor flags, ctx.AllocateTemp(DType::kBool, Shape({n})));
    DF_TRY(cuda::Launch(ctx, n, &MarkSet<T, kParts>, static_cast<const T*>(x.raw()), n, flags.data<bool>()));
    DF_ASSIGN(const Tensor elements, cuda::FindSet(ctx, flags.data<bool>(), n));
    const int64_t count = elements.num_elements();
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({count, rank}), &y));
    int64_t inner = 1;
    for (int d = rank - 1; d >= 0; --d) {
      DF_TRY(cuda::Launch(ctx, count, &WriteCoordinate, elements.data<int64_t>(), count, x.shape().dim(d), inner, d,
                          rank, y->data<int64_t>()));
      inner *= x.shape().dim(d);
    }
    return Status();
  }
};

// Integers as bits; complex numbers as two.
template <class T>
struct WhereOf {
  using Kernel = WhereKernel<ValueBits<T>, 1>;
};
template <class T>
struct WhereOf<std::complex<T>> {
  using Kernel = WhereKernel<T, 2>;
};
struct Where {
  template <class T>
  using Kernel = typename WhereOf<T>::Kernel;
};

CUDA_KERNEL("Where", Where, DF_NUMBERS, bool);

}  // namespace
}  // namespace dfrun
