#include <algorithm>
#include <complex>

#include "kernels/device/cpu_kernel.h"
#include "kernels/linalg/matrix_batch.h"
#include "kernels/linalg/orthogonal.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// Multiplications of a decomposition of an m x n matrix, some ten times those of a product.
double WorkOf(const MatrixBatch& a) {
  return 10.0 * static_cast<double>(a.rows) * static_cast<double>(a.columns) *
         static_cast<double>(std::min(a.rows, a.columns));
}

template <class T>
class QrKernel final : public Kernel {
 public:
  explicit QrKernel(KernelSetup& setup) : full_(setup.attr<bool>("full_matrices")) {}

  Status Compute(OpContext& ctx) {
    using C = WideType<T>;
    DF_ASSIGN(const MatrixBatch a, MatricesOf(ctx.input(0)));
    const int64_t inner = full_ ? a.rows : std::min(a.rows, a.columns);
    DF_ASSIGN(const Shape q_shape, BatchShape(ctx.input(0), {a.rows, inner}));
    DF_ASSIGN(const Shape r_shape, BatchShape(ctx.input(0), {inner, a.columns}));
    WideOutput<T, C> q;
    WideOutput<T, C> r;
    DF_TRY(q.Allocate(ctx, 0, q_shape));
    DF_TRY(r.Allocate(ctx, 1, r_shape));
    DF_ASSIGN(const Tensor x, (Widened<T, C>(ctx, ctx.input(0))));
    DF_TRY(ForEachMatrix(ctx.pool(), a.count, WorkOf(a), [&](int64_t i) {
      QrFactors(x.data<C>() + i * a.elements(), a.rows, a.columns, full_, q.data() + i * a.rows * inner,
                r.data() + i * inner * a.columns);
      return Status();
    }));
    q.Round();
    r.Round();
    return Status();
  }
  bool IsExpensive() const override { return true; }

 private:
  const bool full_;
};

template <class T>
class SvdKernel final : public Kernel {
 public:
  explicit SvdKernel(KernelSetup& setup)
      : vectors_(setup.attr<bool>("compute_uv")), full_(setup.attr<bool>("full_matrices")) {}

  Status Compute(OpContext& ctx) {
    using C = WideType<T>;
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const MatrixBatch a, MatricesOf(x));
    const int64_t smaller = std::min(a.rows, a.columns);
    const int64_t u_columns = full_ ? a.rows : smaller;
    const int64_t v_columns = full_ ? a.columns : smaller;
    DF_ASSIGN(const Shape s_shape, BatchShape(x, {smaller}));
    DF_ASSIGN(const Shape u_shape, BatchShape(x, {a.rows, u_columns}));
    DF_ASSIGN(const Shape v_shape, BatchShape(x, {a.columns, v_columns}));
    WideOutput<T, C> s;
    WideOutput<T, C> u;
    WideOutput<T, C> v;
    DF_TRY(s.Allocate(ctx, 0, s_shape));
    DF_TRY(u.Allocate(ctx, 1, vectors_ ? u_shape : Shape({0})));
    DF_TRY(v.Allocate(ctx, 2, vectors_ ? v_shape : Shape({0})));
    DF_ASSIGN(const Tensor wide, (Widened<T, C>(ctx, x)));
    DF_TRY(ForEachMatrix(ctx.pool(), a.count, WorkOf(a), [&](int64_t i) {
      SingularValues(wide.data<C>() + i * a.elements(), a.rows, a.columns, vectors_, full_, s.data() + i * smaller,
                     u.data() + i * a.rows * u_columns, v.data() + i * a.columns * v_columns);
      return Status();
    }));
    s.Round();
    u.Round();
    v.Round();
    return Status();
  }
  bool IsExpensive() const override { return true; }

 private:
  const bool vectors_;
  const bool full_;
};

template <class T>
class SelfAdjointEigenKernel final : public Kernel {
 public:
  explicit SelfAdjointEigenKernel(KernelSetup& setup) : vectors_(setup.attr<bool>("compute_v")) {}

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const MatrixBatch a, SquareMatricesOf(x));
    DF_ASSIGN(const Shape e_shape, BatchShape(x, {a.rows}));
    Tensor* e = nullptr;
    Tensor* v = nullptr;
    DF_TRY(ctx.AllocateOutput(0, e_shape, &e));
    DF_TRY(ctx.AllocateOutput(1, vectors_ ? x.shape() : Shape({0}), &v));
    if (x.num_elements() == 0) return Status();
    return ForEachMatrix(ctx.pool(), a.count, WorkOf(a), [&](int64_t i) {
      const int64_t at = i * a.elements();
      if (SelfAdjointEigenvalues(x.data<T>() + at, a.rows, e->data<T>() + i * a.rows,
                                 vectors_ ? v->data<T>() + at : nullptr)) {
        return Status();
      }
      return InvalidArgument(
          "Self-adjoint eigen decomposition was not successful. The input might not be valid: is it finite?");
    });
  }
  bool IsExpensive() const override { return true; }

 private:
  const bool vectors_;
};

CPU_KERNEL("Qr", KernelOf<QrKernel>, float16, float, double, DF_COMPLEX);
CPU_KERNEL("Svd", KernelOf<SvdKernel>, float, double, DF_COMPLEX);
CPU_KERNEL("SelfAdjointEigV2", KernelOf<SelfAdjointEigenKernel>, float, double, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
