// NaN and infinity, at every index of tensors of every dtype that has them.
#include "src/framework/values/finite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

#include "src/framework/values/float16.h"

namespace dfrun {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <class T>
T Of(double value) {
  if constexpr (std::is_same_v<T, double>) {
    return value;
  } else {
    return T(static_cast<float>(value));
  }
}

template <class T>
class FiniteTest : public ::testing::Test {};
using Types = ::testing::Types<float, double, float16, bfloat16, std::complex<float>>;
TYPED_TEST_SUITE(FiniteTest, Types);

TYPED_TEST(FiniteTest, OneElementAnywhereIsFound) {
  for (const int64_t size : {1, 2, 31, 4095, 4096, 4097, 10000}) {
    Tensor tensor(DTypeOf<TypeParam>, Shape({size}));
    auto* const data = tensor.data<TypeParam>();
    for (int64_t i = 0; i < size; ++i) data[i] = Of<TypeParam>(i % 2 == 0 ? -60000.0 : 1e-7);
    EXPECT_TRUE(AllFinite(tensor)) << size;
    for (const int64_t at : {int64_t{0}, size / 2, size - 1}) {
      const TypeParam before = data[at];
      for (const double bad : {kNan, kInf, -kInf}) {
        data[at] = Of<TypeParam>(bad);
        EXPECT_FALSE(AllFinite(tensor)) << size << " " << at << " " << bad;
        EXPECT_EQ(HasNan(tensor), std::isnan(bad));
      }
      data[at] = before;
    }
  }
}

TEST(Finite, SharesOfALargeTensorAreAllLookedAt) {
  InlineThreadPool pool;
  Tensor tensor(DType::kFloat, Shape({1000, 1000}));
  std::fill_n(tensor.data<float>(), tensor.num_elements(), 1.0F);
  EXPECT_TRUE(AllFinite(tensor, pool));
  for (const int64_t at : {0, (1 << 17) - 1, 1 << 17, 500000, 999999}) {
    tensor.data<float>()[at] = static_cast<float>(kNan);
    EXPECT_FALSE(AllFinite(tensor, pool)) << at;
    tensor.data<float>()[at] = 1;
  }
  EXPECT_TRUE(AllFinite(Tensor(), pool));
}

TEST(Finite, OtherDTypesAndNoValueAreFinite) {
  EXPECT_TRUE(AllFinite(Tensor()));
  EXPECT_TRUE(AllFinite(Tensor(DType::kFloat, Shape({0}))));
  EXPECT_TRUE(AllFinite(Tensor::Scalar<int64_t>(-1)));
  EXPECT_TRUE(AllFinite(Tensor::Scalar<std::string>("nan")));
}

TEST(Finite, TheFirstIsDescribed) {
  EXPECT_EQ(DescribeNotFinite(Tensor::Scalar<float>(-std::numeric_limits<float>::infinity())), "-inf");
  Tensor tensor(DType::kDouble, Shape({2, 3}));
  std::fill_n(tensor.data<double>(), 6, 1.0);
  tensor.data<double>()[4] = kNan;
  EXPECT_EQ(DescribeNotFinite(tensor), "nan at [1,1]");
  tensor.data<double>()[5] = kInf;
  EXPECT_EQ(DescribeNotFinite(tensor), "nan at [1,1], and 1 more of 6 numbers that are not finite");
  Tensor complex(DType::kComplex64, Shape({2}));
  complex.data<std::complex<float>>()[0] = {1, 2};
  complex.data<std::complex<float>>()[1] = {1, std::numeric_limits<float>::infinity()};
  EXPECT_EQ(DescribeNotFinite(complex), "inf at [1]");
}

}  // namespace
}  // namespace dfrun
