// Fourier transforms of tensors in host memory: line by line along each dimension.
#ifndef DFRUN_KERNELS_SIGNAL_HOST_FOURIER_H_
#define DFRUN_KERNELS_SIGNAL_HOST_FOURIER_H_

#include <array>
#include <memory>
#include <vector>

#include "kernels/signal/fourier.h"
#include "kernels/signal/line_transform.h"
#include "src/base/mutex.h"
#include "src/base/threads.h"

namespace dfrun {

// The transforms of lines of one length that threads take in turn.
// Thread safety: any thread.
template <class T>
class LineTransforms {
 public:
  explicit LineTransforms(int64_t n) : n_(n) {}
  int64_t n() const { return n_; }
  std::unique_ptr<LineTransform<T>> Take();
  void GiveBack(std::unique_ptr<LineTransform<T>> transform);

 private:
  const int64_t n_;
  Mutex mu_;
  std::vector<std::unique_ptr<LineTransform<T>>> free_ GUARDED_BY(mu_);
};

// Transforms of real numbers T and their complex numbers; the task's batch is an argument.
// Thread safety: any thread.
template <class T>
class HostFourier {
 public:
  explicit HostFourier(const FourierTask& task);

  // Complex numbers that a transform of `batch` wants for itself.
  int64_t workspace(int64_t batch) const;
  // Computes `batch` transforms, not divided by their points. x of kFromReal and y of kToReal hold T, else x and y hold
  // std::complex<T>; both are row-major. They and the workspace do not overlap, and x is not changed. `workspace` has
  // room for workspace(batch) numbers and is not touched where that is 0. No size of the task is 0. Splits over the
  // pool.
  // Blocks: until done.
  void Run(ThreadPool& pool, int64_t batch, const void* x, void* y, std::complex<T>* workspace) const;

 private:
  using Complex = std::complex<T>;
  // The lines of [outer, n, inner] along the dimension in the middle.
  struct Lines {
    int64_t outer;
    int64_t inner;
  };
  void TransformOuter(ThreadPool& pool, int64_t batch, const Complex* x, Complex* y) const;
  void TransformLast(ThreadPool& pool, int64_t batch, const void* x, void* y) const;
  void TransformAlong(ThreadPool& pool, LineTransforms<T>& transforms, Lines lines, const Complex* x, Complex* y) const;

  const FourierTask task_;
  std::array<std::unique_ptr<LineTransforms<T>>, 3> transforms_;  // by dimension
};

extern template class HostFourier<float>;
extern template class HostFourier<double>;

}  // namespace dfrun

#endif  // DFRUN_KERNELS_SIGNAL_HOST_FOURIER_H_
