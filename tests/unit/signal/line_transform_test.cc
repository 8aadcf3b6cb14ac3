// Lines of any length against the sums that define a transform, in long double.
#include "kernels/signal/line_transform.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace dfrun {
namespace {

template <class T>
using Line = std::vector<std::complex<T>>;

template <class T>
Line<T> Draw(int64_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::uniform_real_distribution<double> number(-1, 1);
  Line<T> line(static_cast<size_t>(n));
  for (auto& value : line) value = {static_cast<T>(number(random)), static_cast<T>(number(random))};
  return line;
}

template <class T>
Line<double> Sums(const Line<T>& x, bool inverse) {
  using Wide = std::complex<long double>;
  const size_t n = x.size();
  std::vector<Wide> roots;
  for (size_t j = 0; j < n; ++j) {
    const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(j) / n;
    roots.push_back(std::polar(1.0L, inverse ? angle : -angle));
  }
  Line<double> y;
  for (size_t k = 0; k < n; ++k) {
    Wide sum;
    for (size_t j = 0; j < n; ++j) sum += Wide(x[j]) * roots[j * k % n];
    y.emplace_back(sum);
  }
  return y;
}

// Errors add up as in a sum of log n terms: a few eps of the line's norm.
template <class T>
double Tolerance(size_t n) {
  return 16 * std::numeric_limits<T>::epsilon() * std::sqrt(static_cast<double>(n));
}

template <class T>
class LineTransformTest : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LineTransformTest, Numbers);

// Returns all small lengths, and others: powers, primes, lengths with a large factor and lengths without.
std::vector<int64_t> Lengths() {
  std::vector<int64_t> lengths = {81, 97, 127, 128, 134, 268, 360, 512, 509, 625};
  for (int64_t n = 1; n <= 70; ++n) lengths.push_back(n);
  return lengths;
}

TYPED_TEST(LineTransformTest, ComplexLinesAreTheSums) {
  for (const int64_t n : Lengths()) {
    const auto transform = LineTransform<TypeParam>::Create(n);
    const Line<TypeParam> x = Draw<TypeParam>(n);
    Line<TypeParam> y(x.size());
    for (const bool inverse : {false, true, false}) {
      transform->Transform(x.data(), y.data(), inverse);
      const Line<double> sums = Sums(x, inverse);
      for (size_t k = 0; k < y.size(); ++k) {
        ASSERT_NEAR(std::abs(std::complex<double>(y[k]) - sums[k]), 0, Tolerance<TypeParam>(x.size()))
            << n << ", " << k;
      }
    }
  }
}

TYPED_TEST(LineTransformTest, RealLinesBecomeHalfOfTheirSpectra) {
  for (const int64_t n : Lengths()) {
    const auto transform = LineTransform<TypeParam>::Create(n);
    Line<TypeParam> x = Draw<TypeParam>(n);
    std::vector<TypeParam> real;
    for (auto& value : x) real.push_back((value = value.real()).real());
    Line<TypeParam> y(x.size() / 2 + 1);
    transform->FromReal(real.data(), y.data());
    const Line<double> sums = Sums(x, false);
    for (size_t k = 0; k < y.size(); ++k) {
      ASSERT_NEAR(std::abs(std::complex<double>(y[k]) - sums[k]), 0, Tolerance<TypeParam>(x.size())) << n << ", " << k;
    }
  }
}

// The imaginary parts of frequencies that are their own conjugates' are any.
TYPED_TEST(LineTransformTest, HalfSpectraBecomeRealLines) {
  for (const int64_t n : Lengths()) {
    const auto transform = LineTransform<TypeParam>::Create(n);
    const Line<TypeParam> x = Draw<TypeParam>(n / 2 + 1);
    std::vector<TypeParam> y(static_cast<size_t>(n));
    transform->ToReal(x.data(), y.data());
    Line<TypeParam> whole = x;
    whole.resize(y.size());
    for (size_t k = 0; k < y.size(); ++k) {
      if (2 * k > y.size()) whole[k] = std::conj(x[y.size() - k]);
      if (k == 0 || 2 * k == y.size()) whole[k] = x[k].real();
    }
    const Line<double> sums = Sums(whole, true);
    for (size_t j = 0; j < y.size(); ++j) {
      ASSERT_NEAR(y[j], sums[j].real(), Tolerance<TypeParam>(y.size())) << n << ", " << j;
    }
  }
}

}  // namespace
}  // namespace dfrun
