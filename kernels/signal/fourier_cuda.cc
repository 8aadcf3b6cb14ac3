#include <memory>
#include <vector>

#include "kernels/array/copy/movement_cuda.h"
#include "kernels/device/cuda/library/library.h"
#include "kernels/device/cuda/library_call/library_transform.h"
#include "kernels/device/shape_cache.h"
#include "kernels/signal/direct_fourier_cuda.h"
#include "kernels/signal/fourier.h"
#include "src/base/mutex.h"

namespace dfrun {
namespace {

using cuda::LibraryTransform;

// Transforms by the library, or by DirectFourier() where it is absent.
template <class T>
class Engine {
 public:
  explicit Engine(KernelSetup&) {}

  // Where the last dimension has one point, the library reads a half of the dimension before it alone.
  static bool IsForLibrary(const FourierTask& task) {
    return !(task.op.kind == FourierKind::kToReal && task.last() == 1);
  }

  // The library destroys the spectra of real numbers.
  static bool WantsCopy(const FourierTask& task, const Tensor& x) {
    return task.op.kind == FourierKind::kToReal || !cuda::IsForLibraries(x.raw());
  }

  Status Run(OpContext& ctx, const FourierTask& task, const Tensor& x, Tensor& y) {
    if (IsForLibrary(task) && LibraryTransform::Version().ok() && cuda::IsForLibraries(y.raw())) {
      DF_ASSIGN(const auto transform, Library(ctx, ShapeOf(task, x.dtype(), y.dtype())));
      DF_TRY(transform->Run(ctx, const_cast<void*>(x.raw()), y.raw()));
    } else {
      DF_TRY(cuda::DirectFourier<Real>(ctx, task, x.raw(), y.raw()));
    }
    if (!task.op.inverse) return Status();
    const auto count = static_cast<int64_t>(y.num_bytes() / sizeof(Real));
    return cuda::ScaleNumbers(ctx, static_cast<Real*>(y.raw()), count, Real(1) / static_cast<Real>(task.points()));
  }

 private:
  using Real = typename T::value_type;

  static cuda::TransformShape ShapeOf(const FourierTask& task, DType from, DType to) {
    return {from, to, task.op.inverse, {task.sizes.begin(), task.sizes.begin() + task.op.rank}, task.batch};
  }

  Result<std::shared_ptr<const LibraryTransform>> Library(OpContext& ctx, const cuda::TransformShape& shape) {
    DF_ASSIGN(auto transform, library_.Get(shape, [&] {
      cuda::GpuOf(ctx).MakeCurrent();
      return LibraryTransform::Create(shape);
    }));
    if (cuda::DeviceOf(ctx).recorder() != nullptr) {
      MutexLock lock(mu_);
      recorded_.push_back(transform);
    }
    return transform;
  }

  ShapeCache<cuda::TransformShape, LibraryTransform> library_;
  Mutex mu_;
  // Transforms that recorded units launch.
  std::vector<std::shared_ptr<const LibraryTransform>> recorded_ GUARDED_BY(mu_);
};

using Fourier = FourierOn<cuda::Movement, Engine>;
DF_FOURIER_KERNELS(CUDA_KERNEL_ATTR, Fourier);

}  // namespace
}  // namespace dfrun
