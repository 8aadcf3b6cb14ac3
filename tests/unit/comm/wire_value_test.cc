#include "comm/rendezvous/wire_value.h"

#include <gtest/gtest.h>

#include <complex>
#include <cstring>

namespace dfrun::comm {
namespace {

Result<Tensor> Decode(const WireHeader& header, std::string_view packed) {
  Tensor out;
  DF_TRY(DecodeValue(header, packed, SystemAllocator(), &out));
  return out;
}

// Encodes a value and decodes it from a payload that arrives undamaged.
Result<Tensor> RoundTrip(const Tensor& value) {
  WireHeader header;
  std::string packed;
  DF_TRY(EncodeValue(value, false, &header, &packed));
  EXPECT_FALSE(header.is_dead());
  EXPECT_EQ(header.is_packed() ? header.packed_bytes() : 0, packed.size());
  DF_ASSIGN(Tensor out, Decode(header, packed));
  if (!header.is_packed() && !header.is_alone()) std::memcpy(out.raw(), value.raw(), value.num_bytes());
  return out;
}

TEST(WireValueTest, KeepsDtypeShapeAndElements) {
  Tensor strings(DType::kString, Shape({2, 2}));
  strings.data<std::string>()[1] = std::string("a\0b", 3);
  strings.data<std::string>()[3] = std::string(100000, 'x');
  Tensor high(DType::kInt16, Shape({1, 2, 1, 2, 1, 2, 1, 3}));
  for (int i = 0; i < 24; ++i) high.data<int16_t>()[i] = static_cast<int16_t>(i * 321);
  for (const Tensor& value :
       {Tensor::Scalar(1.5), Tensor::Vector<float>({1, 2, 3}), Tensor(DType::kFloat, Shape({3, 0, 2})),
        Tensor(DType::kString, Shape({0})), Tensor::Scalar(true), Tensor(DType::kInt8, Shape({0, int64_t{1} << 40})),
        Tensor(DType::kDouble, Shape({2, 1, 1, 1, 0})), strings, high}) {
    Result<Tensor> out = RoundTrip(value);
    ASSERT_TRUE(out.ok()) << out.status().ToString();
    EXPECT_TRUE(out->Identical(value)) << value.ToString();
  }
}

TEST(WireValueTest, SmallValuesAreHeadersAlone) {
  for (const auto& [value, is_alone] : {std::pair(Tensor::Scalar(std::complex<double>(1.5, 2)), true),
                                        std::pair(Tensor::Vector<float>({1, 2, 3, 4}), true),
                                        std::pair(Tensor::Vector<float>({1, 2, 3, 4, 5}), false)}) {
    WireHeader header;
    std::string packed;
    ASSERT_TRUE(EncodeValue(value, false, &header, &packed).ok());
    EXPECT_EQ(header.is_alone(), is_alone);
    EXPECT_TRUE(!is_alone || Decode(header, "")->Identical(value));
  }
}

TEST(WireValueTest, ADeadValueIsAHeaderAlone) {
  WireHeader header;
  std::string packed;
  ASSERT_TRUE(EncodeValue(Tensor(), true, &header, &packed).ok());
  EXPECT_TRUE(header.is_dead());
  EXPECT_TRUE(header.is_alone());
}

TEST(WireValueTest, RefusesResources) {
  WireHeader header;
  std::string packed;
  EXPECT_EQ(EncodeValue(Tensor(DType::kResource, Shape()), false, &header, &packed).code(), Code::kUnimplemented);
}

TEST(WireValueTest, RefusesHeadersThatSayNonsense) {
  WireHeader good;
  std::string packed;
  ASSERT_TRUE(EncodeValue(Tensor::Vector<float>({1, 2, 3}), false, &good, &packed).ok());
  ASSERT_TRUE(Decode(good, packed).ok());
  for (void (*damage)(WireHeader&) :
       {+[](WireHeader& h) { h.dtype = 0; }, +[](WireHeader& h) { h.dtype = 99; }, +[](WireHeader& h) { h.rank = 7; },
        +[](WireHeader& h) { h.dims[0] = 5; }, +[](WireHeader& h) { h.rank = 2; },
        +[](WireHeader& h) { h.dtype = static_cast<uint8_t>(DType::kString); },
        +[](WireHeader& h) { h.flags = WireHeader::kPacked; },
        +[](WireHeader& h) { h.dtype = static_cast<uint8_t>(DType::kResource); }}) {
    WireHeader bad = good;
    damage(bad);
    EXPECT_EQ(Decode(bad, "").status().code(), Code::kDataLoss);
  }
}

TEST(WireValueTest, RefusesPayloadsThatAreCutOrTooLong) {
  Tensor strings(DType::kString, Shape({3}));
  strings.data<std::string>()[0] = "first";
  strings.data<std::string>()[2] = "last";
  WireHeader header;
  std::string packed;
  ASSERT_TRUE(EncodeValue(strings, false, &header, &packed).ok());
  for (size_t length = 0; length < packed.size(); ++length) {
    const std::string_view cut = std::string_view(packed).substr(0, length);
    EXPECT_EQ(Decode(header, cut).status().code(), Code::kDataLoss) << length;
  }
  EXPECT_EQ(Decode(header, packed + "x").status().code(), Code::kDataLoss);
}

}  // namespace
}  // namespace dfrun::comm
