// Transforms of the emulated GPU's library: the host's, enqueued as the library enqueues its own. They stand for
// kernels/device/cuda/library_call/cufft.cc. A spectrum that becomes real numbers is destroyed.
#include <algorithm>
#include <complex>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "kernels/device/cuda/library_call/library_transform.h"
#include "kernels/signal/host_fourier.h"
#include "tests/gpu/emulated_memory.h"
#include "tests/gpu/emulated_streams.h"

namespace dfrun::cuda {
namespace {

FourierTask TaskOf(const TransformShape& shape) {
  FourierTask task;
  task.op.kind = !IsComplex(shape.from) ? FourierKind::kFromReal
                 : IsComplex(shape.to)  ? FourierKind::kComplex
                                        : FourierKind::kToReal;
  task.op.inverse = shape.inverse || task.op.kind == FourierKind::kToReal;
  task.op.rank = static_cast<int>(shape.sizes.size());
  std::copy(shape.sizes.begin(), shape.sizes.end(), task.sizes.begin());
  task.batch = shape.batch;
  return task;
}

template <class T>
class EmulatedTransform final : public LibraryTransform {
 public:
  explicit EmulatedTransform(const TransformShape& shape)
      : task_(TaskOf(shape)), transform_(std::make_shared<const HostFourier<T>>(task_)) {}
  size_t workspace_bytes() const override {
    return static_cast<size_t>(transform_->workspace(task_.batch)) * sizeof(std::complex<T>);
  }
  Status Enqueue(cudaStream_t stream, void* x, void* y, void* workspace) const override {
    emulated::Enqueue(stream, [task = task_, transform = transform_, x = emulated::Reach(x), y = emulated::Reach(y),
                               workspace = emulated::Reach(workspace)] {
      InlineThreadPool pool;
      transform->Run(pool, task.batch, x, y, static_cast<std::complex<T>*>(workspace));
      if (task.op.kind != FourierKind::kToReal) return;
      std::fill_n(static_cast<T*>(x), 2 * task.batch * task.spectrum(), std::numeric_limits<T>::quiet_NaN());
    });
    return Status();
  }

 private:
  const FourierTask task_;
  const std::shared_ptr<const HostFourier<T>> transform_;
};

Result<std::string> FindVersion() {
  const char* const lacking = std::getenv("DFRUN_EMULATED_CARD");
  if (lacking == nullptr || std::string_view(lacking) != "no-libraries") return std::string("0.0.0");
  return NotFound("cannot open libcufft.so.none: the emulated host has none");
}

}  // namespace

const Result<std::string>& LibraryTransform::Version() {
  static const Result<std::string>& version = *new Result<std::string>(FindVersion());
  return version;
}

Result<std::shared_ptr<const LibraryTransform>> LibraryTransform::Create(const TransformShape& shape) {
  if (!Version().ok()) return Version().status();
  const bool is_double = shape.from == DType::kComplex128 || shape.to == DType::kComplex128;
  if (is_double) return std::shared_ptr<const LibraryTransform>(std::make_shared<EmulatedTransform<double>>(shape));
  return std::shared_ptr<const LibraryTransform>(std::make_shared<EmulatedTransform<float>>(shape));
}

}  // namespace dfrun::cuda
