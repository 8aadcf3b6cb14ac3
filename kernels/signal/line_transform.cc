#include "kernels/signal/line_transform.h"

#include <algorithm>
#include <numbers>
#include <unsupported/Eigen/FFT>
#include <vector>

namespace dfrun {
namespace {

// The factor of a length from which on the convolution is cheaper.
constexpr int64_t kLargeFactor = 64;

template <class T>
class MixedRadixTransform final : public LineTransform<T> {
 public:
  using Complex = std::complex<T>;
  explicit MixedRadixTransform(int64_t n) : n_(n) {
    fft_.SetFlag(Fft::Unscaled);
    fft_.SetFlag(Fft::HalfSpectrum);
  }
  void Transform(const Complex* x, Complex* y, bool inverse) override {
    if (inverse) {
      fft_.inv(y, x, n_);
    } else {
      fft_.fwd(y, x, n_);
    }
  }
  void FromReal(const T* x, Complex* y) override { fft_.fwd(y, x, n_); }
  void ToReal(const Complex* x, T* y) override { fft_.inv(y, x, n_); }

 private:
  using Fft = Eigen::FFT<T>;
  const int64_t n_;
  Fft fft_;
};

// Bluestein's transform. With w(j) = exp(-i pi j^2 / n), exp(-2 i pi j k / n) = w(j) w(k) / w(k - j): the transform of
// x is w times the convolution of x w with 1 / w. It runs in double, since there are three transforms' errors in it.
template <class T>
class ChirpTransform final : public LineTransform<T> {
 public:
  using Complex = std::complex<T>;
  explicit ChirpTransform(int64_t n)
      : n_(n), padded_(PaddedSize(n)), convolution_(padded_), chirp_(Size(n)), a_(Size(padded_)), b_(Size(padded_)) {
    for (int64_t j = 0; j < n; ++j) {
      const double turns = static_cast<double>(j * j % (2 * n)) / static_cast<double>(n);
      chirp_[Size(j)] = std::polar(1.0, -std::numbers::pi * turns);
    }
    for (int64_t j = 0; j < n; ++j) a_[Size(j)] = a_[Size((padded_ - j) % padded_)] = std::conj(chirp_[Size(j)]);
    response_.resize(a_.size());
    convolution_.Transform(a_.data(), response_.data(), /*inverse=*/false);
    for (Wide& value : response_) value /= static_cast<double>(padded_);
  }

  // The inverse is the conjugate of the conjugate's transform.
  void Transform(const Complex* x, Complex* y, bool inverse) override {
    Convolve([&](int64_t j) { return inverse ? std::conj(x[j]) : x[j]; });
    for (int64_t k = 0; k < n_; ++k) y[k] = Complex(inverse ? std::conj(At(k)) : At(k));
  }
  void FromReal(const T* x, Complex* y) override {
    Convolve([&](int64_t j) { return x[j]; });
    for (int64_t k = 0; k <= n_ / 2; ++k) y[k] = Complex(At(k));
  }
  // Transforms the conjugate, whose other half is x itself: the result is real.
  void ToReal(const Complex* x, T* y) override {
    Convolve([&](int64_t j) { return 2 * j > n_ ? x[n_ - j] : std::conj(x[j]); });
    for (int64_t k = 0; k < n_; ++k) y[k] = static_cast<T>(At(k).real());
  }

 private:
  using Wide = std::complex<double>;
  static size_t Size(int64_t n) { return static_cast<size_t>(n); }
  static int64_t PaddedSize(int64_t n) {
    int64_t size = 1;
    while (size < 2 * n - 1) size *= 2;
    return size;
  }

  template <class Source>
  void Convolve(Source x) {
    for (int64_t j = 0; j < n_; ++j) a_[Size(j)] = Wide(x(j)) * chirp_[Size(j)];
    std::fill(a_.begin() + n_, a_.end(), Wide(0));
    convolution_.Transform(a_.data(), b_.data(), /*inverse=*/false);
    for (size_t k = 0; k < b_.size(); ++k) b_[k] *= response_[k];
    convolution_.Transform(b_.data(), a_.data(), /*inverse=*/true);
  }
  Wide At(int64_t k) const { return a_[Size(k)] * chirp_[Size(k)]; }

  const int64_t n_;
  const int64_t padded_;
  MixedRadixTransform<double> convolution_;
  std::vector<Wide> chirp_;
  std::vector<Wide> a_;
  std::vector<Wide> b_;
  std::vector<Wide> response_;
};

// Eigen's FFT takes no line of one number.
template <class T>
class OneNumber final : public LineTransform<T> {
 public:
  using Complex = std::complex<T>;
  void Transform(const Complex* x, Complex* y, bool) override { *y = *x; }
  void FromReal(const T* x, Complex* y) override { *y = *x; }
  void ToReal(const Complex* x, T* y) override { *y = x->real(); }
};

bool HasLargeFactor(int64_t n) {
  for (int64_t factor = 2; factor < kLargeFactor && factor <= n; ++factor) {
    while (n % factor == 0) n /= factor;
  }
  return n > 1;
}

}  // namespace

template <class T>
std::unique_ptr<LineTransform<T>> LineTransform<T>::Create(int64_t n) {
  if (n == 1) return std::make_unique<OneNumber<T>>();
  if (HasLargeFactor(n)) return std::make_unique<ChirpTransform<T>>(n);
  return std::make_unique<MixedRadixTransform<T>>(n);
}

template class LineTransform<float>;
template class LineTransform<double>;

}  // namespace dfrun
