#include "comm/rendezvous/wire_value.h"

#include <gtest/gtest.h>

#include <cstring>

namespace dfrun::comm {
namespace {

// What a receiver makes of an encoded value whose payload arrives as it was sent.
Result<Tensor> RoundTrip(const Tensor& value) {
  WireHeader header;
  std::string packed;
  DF_TRY(EncodeValue(value, false, &header, &packed));
  EXPECT_FALSE(header.is_dead());
  DF_ASSIGN(Tensor out, DecodeValue(header, packed, SystemAllocator()));
  if (!header.is_packed() && value.num_bytes() > 0) std::memcpy(out.raw(), value.raw(), header.payload_bytes);
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
        Tensor(DType::kString, Shape({0})), Tensor::Scalar(true), strings, high}) {
    Result<Tensor> out = RoundTrip(value);
    ASSERT_TRUE(out.ok()) << out.status().ToString();
    EXPECT_TRUE(out->Identical(value)) << value.ToString();
  }
}

TEST(WireValueTest, SmallValuesAreHeadersAlone) {
  for (const auto& [value, behind] : {std::pair(Tensor::Scalar(1.5), uint64_t{0}),
                                      std::pair(Tensor::Vector<float>({1, 2, 3, 4, 5, 6, 7, 8}), uint64_t{0}),
                                      std::pair(Tensor::Vector<float>({1, 2, 3, 4, 5, 6, 7, 8, 9}), uint64_t{36})}) {
    WireHeader header;
    std::string packed;
    ASSERT_TRUE(EncodeValue(value, false, &header, &packed).ok());
    EXPECT_EQ(header.bytes_behind(), behind);
    EXPECT_TRUE(behind > 0 || DecodeValue(header, "", SystemAllocator())->Identical(value));
  }
}

TEST(WireValueTest, ADeadValueIsAHeaderAlone) {
  WireHeader header;
  std::string packed;
  ASSERT_TRUE(EncodeValue(Tensor(), true, &header, &packed).ok());
  EXPECT_TRUE(header.is_dead());
  EXPECT_EQ(header.payload_bytes, 0u);
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
  ASSERT_TRUE(DecodeValue(good, packed, SystemAllocator()).ok());
  for (void (*damage)(WireHeader&) :
       {+[](WireHeader& h) { h.dtype = 0; }, +[](WireHeader& h) { h.dtype = 99; }, +[](WireHeader& h) { h.rank = 7; },
        +[](WireHeader& h) { h.dims[0] = -1; }, +[](WireHeader& h) { h.dims[0] = 4; },
        +[](WireHeader& h) { h.payload_bytes = 1; }, +[](WireHeader& h) { h.flags = WireHeader::kPacked; },
        +[](WireHeader& h) { h.dtype = static_cast<uint8_t>(DType::kResource); }}) {
    WireHeader bad = good;
    damage(bad);
    EXPECT_EQ(DecodeValue(bad, "", SystemAllocator()).status().code(), Code::kDataLoss);
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
    EXPECT_EQ(DecodeValue(header, cut, SystemAllocator()).status().code(), Code::kDataLoss) << length;
  }
  EXPECT_EQ(DecodeValue(header, packed + "x", SystemAllocator()).status().code(), Code::kDataLoss);
}

}  // namespace
}  // namespace dfrun::comm
