#include "src/framework/values/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dfrun {
namespace {

// The numbers and names of the public DataType enum (types.proto).
TEST(DTypeTest, NumbersAreThePublicOnes) {
  const struct {
    DType dtype;
    int number;
    const char* enum_name;
    size_t bytes;
  } kPublic[] = {
      {DType::kFloat, 1, "DT_FLOAT", 4},
      {DType::kDouble, 2, "DT_DOUBLE", 8},
      {DType::kInt32, 3, "DT_INT32", 4},
      {DType::kUint8, 4, "DT_UINT8", 1},
      {DType::kInt16, 5, "DT_INT16", 2},
      {DType::kInt8, 6, "DT_INT8", 1},
      {DType::kComplex64, 8, "DT_COMPLEX64", 8},
      {DType::kInt64, 9, "DT_INT64", 8},
      {DType::kBool, 10, "DT_BOOL", 1},
      {DType::kQint8, 11, "DT_QINT8", 1},
      {DType::kQuint8, 12, "DT_QUINT8", 1},
      {DType::kQint32, 13, "DT_QINT32", 4},
      {DType::kBfloat16, 14, "DT_BFLOAT16", 2},
      {DType::kUint16, 17, "DT_UINT16", 2},
      {DType::kComplex128, 18, "DT_COMPLEX128", 16},
      {DType::kHalf, 19, "DT_HALF", 2},
      {DType::kUint32, 22, "DT_UINT32", 4},
      {DType::kUint64, 23, "DT_UINT64", 8},
  };
  for (const auto& p : kPublic) {
    EXPECT_EQ(static_cast<int>(p.dtype), p.number);
    EXPECT_EQ(DTypeEnumName(p.dtype), p.enum_name);
    EXPECT_EQ(DTypeSize(p.dtype), p.bytes);
    EXPECT_EQ(ParseDType(p.enum_name), p.dtype);
    EXPECT_EQ(ParseDType(DTypeName(p.dtype)), p.dtype);
    EXPECT_TRUE(IsPlain(p.dtype));
  }
  EXPECT_EQ(DTypeEnumName(DType::kVariant), "DT_VARIANT");
  EXPECT_FALSE(IsPlain(DType::kVariant) || IsPlain(DType::kResource) || IsPlain(DType::kString));
  EXPECT_EQ(ParseDType("half"), DType::kHalf);
  EXPECT_EQ(ParseDType("float33"), std::nullopt);
  EXPECT_FALSE(IsValidDType(0) || IsValidDType(24) || IsValidDType(101));
}

template <class T>
void EveryBitPatternReadsBack() {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    T half;
    half.bits = static_cast<uint16_t>(bits);
    const float value = half;
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(T(value)))) << bits;
    } else {
      ASSERT_EQ(T(value).bits, bits);
    }
  }
}

TEST(Float16Test, EveryBitPatternReadsBack) {
  EveryBitPatternReadsBack<float16>();
  EveryBitPatternReadsBack<bfloat16>();
}

// Halfway between two neighbours rounds to the even one; just off it, to the nearer.
template <class T>
void RoundsToNearestEven() {
  for (uint32_t bits = 0; bits < 0x7fff; ++bits) {
    T low;
    T high;
    low.bits = static_cast<uint16_t>(bits);
    high.bits = static_cast<uint16_t>(bits + 1);
    const float a = low;
    const float b = high;
    if (!std::isfinite(b)) break;
    const float middle = static_cast<float>((static_cast<double>(a) + b) / 2);
    ASSERT_EQ(T(middle).bits, bits % 2 == 0 ? bits : bits + 1);
    ASSERT_EQ(T(std::nextafter(middle, a)).bits, bits);
    ASSERT_EQ(T(std::nextafter(middle, b)).bits, bits + 1);
  }
}

TEST(Float16Test, RoundsToNearestEven) {
  RoundsToNearestEven<float16>();
  RoundsToNearestEven<bfloat16>();
  EXPECT_EQ(static_cast<float>(float16(65504.0F)), 65504.0F);  // the largest
  EXPECT_TRUE(std::isinf(static_cast<float>(float16(65520.0F))));
  EXPECT_EQ(float16(-0.0F).bits, 0x8000);
}

}  // namespace
}  // namespace dfrun
