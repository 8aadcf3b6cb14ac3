// QR decompositions on GPUs by Householder reflections, with the signs of Eigen's: a block of threads has a matrix.
#include <algorithm>
#include <utility>

#include "kernels/linalg/reflection_cuda.h"
#include "kernels/linalg/wide_cuda.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

using cuda::ForThreads;
using cuda::GpuMatrix;

// a [m, n] = q [m, p] r [p, n]; a is lost. `factors`: [blocks, min(m, n)].
template <class C>
DF_DEVICE_KERNEL void Factors(C* matrices, C* factors, C* qs, C* rs, int64_t m, int64_t n, int64_t p) {
  const GpuMatrix<C> a = cuda::MatrixOfBlock(matrices, m, n);
  const GpuMatrix<C> q = cuda::MatrixOfBlock(qs, m, p);
  const GpuMatrix<C> r = cuda::MatrixOfBlock(rs, p, n);
  const int64_t count = m < n ? m : n;
  C* const factor = factors + cuda::GlobalBlockId() * count;
  for (int64_t k = 0; k < count; ++k) {
    const C made = MakeReflection(a, m, k, k);
    if (cuda::ThreadInBlock() == 0) factor[k] = made;
    ForThreads(k + 1, n, [&](int64_t j) { Reflect(a, m, k, k, made, a, j); });
    cuda::Barrier();
  }
  ForThreads(0, p * n, [&](int64_t at) { r.data[at] = at % n >= at / n ? a.data[at] : C(0); });
  ForThreads(0, p, [&](int64_t j) {
    for (int64_t i = 0; i < m; ++i) q(i, j) = i == j ? C(1) : C(0);
    for (int64_t k = count - 1; k >= 0; --k) Reflect(a, m, k, k, cuda::ConjugateOf(factor[k]), q, j);
  });
}

struct Qr {
  template <class>
  class Kernel final : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup) : full_(setup.attr<bool>("full_matrices")) {}

    Status Compute(OpContext& ctx) {
      const Tensor& x = ctx.input(0);
      DF_ASSIGN(const MatrixBatch a, MatricesOf(x));
      const int64_t count = std::min(a.rows, a.columns);
      const int64_t inner = full_ ? a.rows : count;
      DF_ASSIGN(const Shape q_shape, BatchShape(x, {a.rows, inner}));
      DF_ASSIGN(const Shape r_shape, BatchShape(x, {inner, a.columns}));
      cuda::WideResult q;
      cuda::WideResult r;
      DF_TRY(q.Allocate(ctx, 0, q_shape));
      DF_TRY(r.Allocate(ctx, 1, r_shape));
      DF_ASSIGN(Tensor wide, cuda::WideMatrices(ctx, x, a));
      DF_TRY(cuda::WithWideType(x.dtype(), [&](auto* type) -> Status {
        using C = std::remove_pointer_t<decltype(type)>;
        DF_ASSIGN(Tensor factors, ctx.AllocateTemp(DType::kUint8, Shape({a.count * count * int64_t{sizeof(C)}})));
        return cuda::LaunchWithBarriers(ctx, a.count, &Factors<C>, static_cast<C*>(wide.raw()),
                                        static_cast<C*>(factors.raw()), static_cast<C*>(q.raw()),
                                        static_cast<C*>(r.raw()), a.rows, a.columns, inner);
      }));
      DF_TRY(q.Round(ctx));
      return r.Round(ctx);
    }

   private:
    const bool full_;
  };
};

CUDA_KERNEL("Qr", Qr, float16, float, double, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
