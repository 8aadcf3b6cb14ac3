// Cofactors on GPUs: a block of threads has a matrix.
#include "kernels/linalg/cofactors.h"
#include "kernels/linalg/matrix_cuda.h"
#include "kernels/linalg/wide_cuda.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

struct TeamOfBlock {
  template <class F>
  DF_DEVICE_FUNCTION static void For(int64_t begin, int64_t end, const F& f) {
    cuda::ForThreads(begin, end, f);
  }
  template <class F>
  DF_DEVICE_FUNCTION static void Ranges(int64_t end, const F& f) {
    cuda::ForThreads(0, end, [&](int64_t i) { f(i, i + 1); });
  }
  DF_DEVICE_FUNCTION static MatrixEntry Largest(MatrixEntry entry) { return cuda::BlockReduce(entry, LargerEntry()); }
  DF_DEVICE_FUNCTION static void Barrier() { cuda::Barrier(); }
  DF_DEVICE_FUNCTION static bool IsFirst() { return cuda::ThreadInBlock() == 0; }
};

template <class C>
DF_DEVICE_KERNEL void CofactorsOfBlock(C* matrices, C* scratch, int64_t* columns, C* results, int64_t n) {
  const int64_t at = cuda::GlobalBlockId() * n * n;
  Cofactors<TeamOfBlock, C>{matrices + at, scratch + at, columns + cuda::GlobalBlockId() * n, results + at, n}.Run();
}

struct MatrixCofactors {
  template <class>
  class Kernel final : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup&) {}

    Status Compute(OpContext& ctx) {
      const Tensor& x = ctx.input(0);
      DF_ASSIGN(const MatrixBatch batch, SquareMatricesOf(x));
      cuda::WideResult y;
      DF_TRY(y.Allocate(ctx, 0, x.shape()));
      if (x.num_elements() == 0) return Status();
      DF_ASSIGN(Tensor wide, cuda::WideMatrices(ctx, x, batch));
      DF_ASSIGN(Tensor scratch, ctx.AllocateTemp(wide.dtype(), wide.shape()));
      DF_ASSIGN(Tensor columns, ctx.AllocateTemp(DType::kInt64, Shape({batch.count * batch.rows})));
      DF_TRY(cuda::WithWideType(x.dtype(), [&](auto* type) {
        using C = std::remove_pointer_t<decltype(type)>;
        return cuda::LaunchWithBarriers(ctx, batch.count, &CofactorsOfBlock<C>, static_cast<C*>(wide.raw()),
                                        static_cast<C*>(scratch.raw()), columns.data<int64_t>(),
                                        static_cast<C*>(y.raw()), batch.rows);
      }));
      return y.Round(ctx);
    }
  };
};

CUDA_KERNEL("MatrixCofactors", MatrixCofactors, float, double, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
