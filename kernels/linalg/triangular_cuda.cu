// Triangular equations on GPUs: a thread has a right-hand side.
#include "kernels/linalg/equations.h"
#include "kernels/linalg/matrix_cuda.h"
#include "kernels/linalg/wide_cuda.h"
#include "kernels/math/elementwise/broadcast_cuda.h"
#include "kernels/matrix/batch_pairs.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

using cuda::GpuMatrix;

// Solves the equations column by column. For the adjoint, element (i, j) is the conjugate of the matrix' element (j,
// i).
template <class C>
DF_DEVICE_KERNEL void SolveColumns(const C* matrices, const C* rhs, C* solutions, cuda::GpuBroadcast pairs, int64_t n,
                                   int64_t k, bool lower, bool adjoint) {
  const int64_t thread = cuda::GlobalThreadId();
  if (thread >= pairs.count * k) return;
  const int64_t pair = thread / k;
  const int64_t column = thread - pair * k;
  uint32_t at[2];
  pairs.Offsets<2>(static_cast<uint32_t>(pair), at);
  const GpuMatrix<const C> a = {matrices + static_cast<int64_t>(at[0]) * n * n, n};
  const GpuMatrix<const C> b = {rhs + static_cast<int64_t>(at[1]) * n * k, k};
  const GpuMatrix<C> x = {solutions + pair * n * k, k};
  const auto element = [&](int64_t i, int64_t j) { return adjoint ? cuda::ConjugateOf(a(j, i)) : a(i, j); };
  const bool forwards = lower != adjoint;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = forwards ? step : n - 1 - step;
    C value = b(i, column);
    for (int64_t done = 0; done < step; ++done) {
      const int64_t j = forwards ? done : n - 1 - done;
      value -= element(i, j) * x(j, column);
    }
    x(i, column) = value / element(i, i);
  }
}

struct MatrixTriangularSolve {
  template <class>
  class Kernel final : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup) : lower_(setup.attr<bool>("lower")), adjoint_(setup.attr<bool>("adjoint")) {}

    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const Equations e, EquationsOf(ctx));
      const Tensor& matrix = ctx.input(0);
      const Tensor& rhs = ctx.input(1);
      const Shape matrix_batch(BatchDims(matrix.shape()));
      const Shape rhs_batch(BatchDims(rhs.shape()));
      BroadcastPlan pairs;
      Shape batch;
      DF_TRY(PlanBroadcast({&matrix_batch, &rhs_batch}, pairs, batch));
      std::vector<int64_t> dims(batch.dims().begin(), batch.dims().end());
      dims.push_back(e.rhs.rows);
      dims.push_back(e.rhs.columns);
      DF_ASSIGN(const Shape shape, Shape::Create(dims));
      cuda::WideResult x;
      DF_TRY(x.Allocate(ctx, 0, shape));
      if (shape.num_elements() == 0) return Status();
      if (pairs.count > INT32_MAX) return Unimplemented("a batch of ", pairs.count, " equations on a GPU");
      DF_ASSIGN(const Tensor a, cuda::WideMatrices(ctx, matrix, e.matrix));
      DF_ASSIGN(const Tensor b, cuda::WideMatrices(ctx, rhs, e.rhs));
      DF_TRY(cuda::WithWideType(matrix.dtype(), [&](auto* type) {
        using C = std::remove_pointer_t<decltype(type)>;
        return cuda::Launch(ctx, pairs.count * e.rhs.columns, &SolveColumns<C>, static_cast<const C*>(a.raw()),
                            static_cast<const C*>(b.raw()), static_cast<C*>(x.raw()), cuda::GpuBroadcast(pairs),
                            e.matrix.rows, e.rhs.columns, lower_, adjoint_);
      }));
      return x.Round(ctx);
    }

   private:
    const bool lower_;
    const bool adjoint_;
  };
};

CUDA_KERNEL("MatrixTriangularSolve", MatrixTriangularSolve, float, double, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
