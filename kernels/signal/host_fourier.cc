#include "kernels/signal/host_fourier.h"

#include <algorithm>
#include <utility>

#include "src/base/integers.h"

namespace dfrun {
namespace {

// Numbers that a thread transforms at a time: some 20 us.
constexpr int64_t kBlockNumbers = 4096;
// Lines that are not contiguous are moved so many side by side: a cache line holds as many float ones.
constexpr int64_t kLinesTogether = 8;

// A transform for a block of lines.
template <class T>
class TakenTransform {
 public:
  explicit TakenTransform(LineTransforms<T>& from) : from_(from), transform_(from.Take()) {}
  ~TakenTransform() { from_.GiveBack(std::move(transform_)); }
  TakenTransform(const TakenTransform&) = delete;
  TakenTransform& operator=(const TakenTransform&) = delete;
  LineTransform<T>* operator->() { return transform_.get(); }

 private:
  LineTransforms<T>& from_;
  std::unique_ptr<LineTransform<T>> transform_;
};

}  // namespace

template <class T>
std::unique_ptr<LineTransform<T>> LineTransforms<T>::Take() {
  {
    MutexLock lock(mu_);
    if (!free_.empty()) {
      auto taken = std::move(free_.back());
      free_.pop_back();
      return taken;
    }
  }
  return LineTransform<T>::Create(n_);
}

template <class T>
void LineTransforms<T>::GiveBack(std::unique_ptr<LineTransform<T>> transform) {
  MutexLock lock(mu_);
  free_.push_back(std::move(transform));
}

template <class T>
HostFourier<T>::HostFourier(const FourierTask& task) : task_(task) {
  for (size_t d = 0; d < static_cast<size_t>(task.op.rank); ++d) {
    transforms_[d] = std::make_unique<LineTransforms<T>>(task.sizes[d]);
  }
}

template <class T>
int64_t HostFourier<T>::workspace(int64_t batch) const {
  return task_.op.kind == FourierKind::kToReal && task_.op.rank > 1 ? batch * task_.spectrum() : 0;
}

template <class T>
void HostFourier<T>::Run(ThreadPool& pool, int64_t batch, const void* x, void* y, Complex* workspace) const {
  if (task_.op.kind == FourierKind::kToReal && task_.op.rank > 1) {
    TransformOuter(pool, batch, static_cast<const Complex*>(x), workspace);
    TransformLast(pool, batch, workspace, y);
    return;
  }
  TransformLast(pool, batch, x, y);
  if (task_.op.rank > 1) TransformOuter(pool, batch, static_cast<const Complex*>(y), static_cast<Complex*>(y));
}

// Transforms along all dimensions but the last; y may be x.
template <class T>
void HostFourier<T>::TransformOuter(ThreadPool& pool, int64_t batch, const Complex* x, Complex* y) const {
  Lines lines{batch * task_.spectrum() / task_.frequencies(), task_.frequencies()};
  const Complex* from = x;
  for (int d = task_.op.rank - 2; d >= 0; --d) {
    LineTransforms<T>& transforms = *transforms_[static_cast<size_t>(d)];
    lines.outer /= transforms.n();
    TransformAlong(pool, transforms, lines, from, y);
    lines.inner *= transforms.n();
    from = y;
  }
}

// Transforms along the last dimension; x and y are of the task's types and do not overlap.
template <class T>
void HostFourier<T>::TransformLast(ThreadPool& pool, int64_t batch, const void* x, void* y) const {
  LineTransforms<T>& transforms = *transforms_[static_cast<size_t>(task_.op.rank - 1)];
  const int64_t n = transforms.n();
  const int64_t frequencies = task_.frequencies();
  const int64_t lines = batch * task_.points() / n;
  const auto* const x_spectra = static_cast<const Complex*>(x);  // x and y, if they are spectra
  auto* const y_spectra = static_cast<Complex*>(y);
  pool.ParallelFor(lines, std::max<int64_t>(1, kBlockNumbers / n), [&](int64_t begin, int64_t end) {
    TakenTransform<T> transform(transforms);
    for (int64_t line = begin; line < end; ++line) {
      if (task_.op.kind == FourierKind::kFromReal) {
        transform->FromReal(static_cast<const T*>(x) + line * n, y_spectra + line * frequencies);
      } else if (task_.op.kind == FourierKind::kToReal) {
        transform->ToReal(x_spectra + line * frequencies, static_cast<T*>(y) + line * n);
      } else {
        transform->Transform(x_spectra + line * frequencies, y_spectra + line * frequencies, task_.op.inverse);
      }
    }
  });
}

template <class T>
void HostFourier<T>::TransformAlong(ThreadPool& pool, LineTransforms<T>& transforms, Lines lines, const Complex* x,
                                    Complex* y) const {
  const int64_t n = transforms.n();
  const int64_t groups = CeilDiv(lines.inner, kLinesTogether);
  const int64_t block = std::max<int64_t>(1, kBlockNumbers / (n * kLinesTogether));
  pool.ParallelFor(lines.outer * groups, block, [&](int64_t begin, int64_t end) {
    TakenTransform<T> transform(transforms);
    std::vector<Complex> given(static_cast<size_t>(n * kLinesTogether));
    std::vector<Complex> made(static_cast<size_t>(n));
    for (int64_t group = begin; group < end; ++group) {
      const int64_t first = group % groups * kLinesTogether;
      const int64_t at = group / groups * n * lines.inner + first;
      const int64_t count = std::min(kLinesTogether, lines.inner - first);
      for (int64_t j = 0; j < n; ++j) {
        for (int64_t i = 0; i < count; ++i) given[static_cast<size_t>(i * n + j)] = x[at + j * lines.inner + i];
      }
      for (int64_t i = 0; i < count; ++i) {
        transform->Transform(given.data() + i * n, made.data(), task_.op.inverse);
        for (int64_t j = 0; j < n; ++j) y[at + j * lines.inner + i] = made[static_cast<size_t>(j)];
      }
    }
  });
}

template class LineTransforms<float>;
template class LineTransforms<double>;
template class HostFourier<float>;
template class HostFourier<double>;

}  // namespace dfrun
