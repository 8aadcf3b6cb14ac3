#include <algorithm>
#include <memory>

#include "kernels/array/copy/movement_cpu.h"
#include "kernels/device/cpu_kernel.h"
#include "kernels/device/shape_cache.h"
#include "kernels/signal/fourier.h"
#include "kernels/signal/host_fourier.h"

namespace dfrun {
namespace {

constexpr int64_t kDivideBlock = 65536;

template <class T>
class Engine {
 public:
  explicit Engine(KernelSetup&) {}
  static bool WantsCopy(const FourierTask&, const Tensor&) { return false; }

  Status Run(OpContext& ctx, const FourierTask& task, const Tensor& x, Tensor& y) {
    FourierTask one = task;
    one.batch = 1;
    DF_ASSIGN(const auto transform, transforms_.Get(one, [&]() -> Result<std::shared_ptr<const HostFourier<Real>>> {
      return std::make_shared<const HostFourier<Real>>(one);
    }));
    DF_ASSIGN(Tensor workspace, ctx.AllocateTemp(DTypeOf<T>, Shape({transform->workspace(task.batch)})));
    transform->Run(ctx.pool(), task.batch, x.raw(), y.raw(), workspace.data<T>());
    if (task.op.inverse) Divide(ctx.pool(), task.points(), y);
    return Status();
  }

 private:
  using Real = typename T::value_type;

  static void Divide(ThreadPool& pool, int64_t points, Tensor& y) {
    const Real factor = Real(1) / static_cast<Real>(points);
    auto* const numbers = static_cast<Real*>(y.raw());
    const auto count = static_cast<int64_t>(y.num_bytes() / sizeof(Real));
    pool.ParallelFor(count, kDivideBlock, [&](int64_t begin, int64_t end) {
      std::transform(numbers + begin, numbers + end, numbers + begin, [factor](Real value) { return value * factor; });
    });
  }

  ShapeCache<FourierTask, HostFourier<Real>> transforms_;
};

using Fourier = FourierOn<cpu::Movement, Engine>;
DF_FOURIER_KERNELS(CPU_KERNEL_ATTR, Fourier);

}  // namespace
}  // namespace dfrun
