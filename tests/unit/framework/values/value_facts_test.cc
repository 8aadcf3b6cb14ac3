// Descriptions of numbers, and distances of tensors.
#include "src/framework/values/value_facts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dfrun {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::nanf("");

TEST(ValueFactsTest, UnitsOfTheLastPlaceAreThoseOfNextafter) {
  const float steps_up = std::nextafter(std::nextafter(1.0F, 2.0F), 2.0F);
  const Distance two = DistanceOf(Tensor::Vector<float>({5, 1, 7}), Tensor::Vector<float>({5, steps_up, 7}));
  EXPECT_EQ(two.ulps, 2u);
  EXPECT_EQ(two.at, 1);
  EXPECT_EQ(two.elements, 1);
  // Over 0: one step up to 0 from below, and one more.
  const double least = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(DistanceOf(Tensor::Scalar(-least), Tensor::Scalar(least)).ulps, 2u);
  const double greatest = std::numeric_limits<double>::max();
  EXPECT_EQ(DistanceOf(Tensor::Scalar(-greatest), Tensor::Scalar(greatest)).ulps, 2 * 0x7fefffffffffffffU);
  EXPECT_EQ(DistanceOf(Tensor::Scalar(float16(1.0F)), Tensor::Scalar(float16(2.0F))).ulps, 1024u);
  EXPECT_EQ(DistanceOf(Tensor::Scalar(bfloat16(1.0F)), Tensor::Scalar(bfloat16(2.0F))).ulps, 128u);
}

TEST(ValueFactsTest, NanIsApartFromNumbersAlone) {
  EXPECT_EQ(DistanceOf(Tensor::Scalar(kNan), Tensor::Scalar(1.0F)).ulps, Distance::kApart);
  EXPECT_EQ(DistanceOf(Tensor::Scalar(kNan), Tensor::Scalar(-kNan)).ulps, 0u);
  EXPECT_EQ(DistanceOf(Tensor::Scalar(kNan), Tensor::Scalar(-kNan)).elements, 1);
  const Distance zeros = DistanceOf(Tensor::Scalar(0.0F), Tensor::Scalar(-0.0F));
  EXPECT_EQ(zeros.ulps, 0u);
  EXPECT_EQ(zeros.elements, 1);
}

TEST(ValueFactsTest, OtherElementsAreEqualOrNot) {
  EXPECT_EQ(DistanceOf(Tensor::Scalar<int64_t>(-3), Tensor::Scalar<int64_t>(4)).ulps, 7u);
  const Distance texts = DistanceOf(Tensor::Vector<std::string>({"a", "b"}), Tensor::Vector<std::string>({"a", "c"}));
  EXPECT_EQ(texts.ulps, Distance::kApart);
  EXPECT_EQ(texts.at, 1);
  EXPECT_FALSE(DistanceOf(Tensor::Scalar(1.0F), Tensor::Scalar(1.0)).is_comparable);
  EXPECT_FALSE(DistanceOf(Tensor::Scalar(1.0F), Tensor::Vector<float>({1})).is_comparable);
}

TEST(ValueFactsTest, NumbersAreDescribed) {
  EXPECT_EQ(DescribeNumbers(Tensor::Vector<float>({2, kNan, -1.5F, kInf, -kInf})),
            "float32[5], 1 nan, 2 inf, from -1.5 to 2");
  EXPECT_EQ(DescribeNumbers(Tensor::Vector<float>({0.1F, std::nextafter(3.0F, 4.0F)})),
            "float32[2], 0 nan, 0 inf, from 0.1 to 3.0000002");
  EXPECT_EQ(DescribeNumbers(Tensor::Scalar(kNan)), "float32[], 1 nan, 0 inf, no finite number");
  EXPECT_EQ(DescribeNumbers(Tensor::Vector<int32_t>({3, -4})), "int32[2], from -4 to 3");
  EXPECT_EQ(PlaceOf(Shape({2, 3}), 5), "[1,2]");
}

}  // namespace
}  // namespace dfrun
