#include <complex>

#include "kernels/array/copy/movement_cpu.h"
#include "kernels/device/cpu_kernel.h"
#include "kernels/math/functions/reducers.h"
#include "kernels/math/reduce/reduction.h"
#include "kernels/matrix/batch_gemm.h"
#include "kernels/matrix/einsum_kernel.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// Products of numbers that a thread takes at a time: some 10 us.
constexpr int64_t kBlock = 32768;

template <class T>
class Products {
 public:
  explicit Products(KernelSetup&) {}

  static Status Sum(OpContext& ctx, const ReductionPlan& plan, const Tensor& from, Tensor& to) {
    return cpu::RunReduction(cpu::LoopsOf<red::Sum, T>(), plan, from.raw(), to.raw(), ctx);
  }

  Status Multiply(OpContext& ctx, const EinsumPlan& plan, const T* a, const T* b, T* c) {
    const GemmShape& s = plan.product;
    if (s.m == 1 && s.k == 1 && s.n == 1) {
      MultiplyNumbers(ctx.pool(), plan.batch, a, b, c);
      return Status();
    }
    DF_ASSIGN(const std::shared_ptr<const Gemm<T>> gemm, gemms_.Get(s, [&] { return Gemm<T>::Create(s); }));
    return RunBatch(s, plan.batch, ctx.pool(), [&](int64_t i, ThreadPool& pool) {
      return gemm->Run(a + i * s.m * s.k, b + i * s.k * s.n, c + i * s.m * s.n, pool, ctx.allocator());
    });
  }

 private:
  static void MultiplyNumbers(ThreadPool& pool, int64_t count, const T* a, const T* b, T* c) {
    using C = ComputeType<T>;
    using Wrapping = typename red::WideOf<T>::type;
    pool.ParallelFor(count, kBlock, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if constexpr (std::is_integral_v<T>) {
          c[i] = static_cast<T>(static_cast<Wrapping>(a[i]) * static_cast<Wrapping>(b[i]));
        } else {
          c[i] = static_cast<T>(static_cast<C>(a[i]) * static_cast<C>(b[i]) + C(0));  // a sum's -0 is 0
        }
      }
    });
  }

  ShapeCache<GemmShape, Gemm<T>> gemms_;
};

using CpuEinsum = Einsum<cpu::Movement, Products>;
CPU_KERNEL("Einsum", CpuEinsum, DF_FLOATS, int32_t, int64_t, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
