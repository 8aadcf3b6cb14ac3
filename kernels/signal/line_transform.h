// Discrete Fourier transforms of lines of numbers, by Eigen's FFT, on the host.
#ifndef DFRUN_KERNELS_SIGNAL_LINE_TRANSFORM_H_
#define DFRUN_KERNELS_SIGNAL_LINE_TRANSFORM_H_

#include <complex>
#include <cstdint>
#include <memory>

namespace dfrun {

// Transforms of lines of n numbers, float or double; nothing is divided by n. A spectrum of real numbers is its first n
// / 2 + 1 frequencies; the imaginary parts of the first, and of the one at n / 2, are not looked at. Source and target
// are different memory. Keeps tables and memory of its own.
// Thread safety: one thread at a time.
template <class T>
class LineTransform {
 public:
  using Complex = std::complex<T>;
  // n > 0. A length with a large prime factor is a convolution of a length without (Bluestein, 1970): direct sums over
  // the factor would take n times its size.
  static std::unique_ptr<LineTransform> Create(int64_t n);
  virtual ~LineTransform() = default;

  virtual void Transform(const Complex* x, Complex* y, bool inverse) = 0;
  virtual void FromReal(const T* x, Complex* y) = 0;
  virtual void ToReal(const Complex* x, T* y) = 0;
};

extern template class LineTransform<float>;
extern template class LineTransform<double>;

}  // namespace dfrun

#endif  // DFRUN_KERNELS_SIGNAL_LINE_TRANSFORM_H_
