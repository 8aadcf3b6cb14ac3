#include "src/base/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace dfrun {
namespace {

// The vectors are those of RFC 3720, B.4.
TEST(Crc32cTest, KnownVectors) {
  EXPECT_EQ(Crc32c("123456789", 9), 0xE3069283U);
  EXPECT_EQ(Crc32c(std::string(32, '\0').data(), 32), 0x8A9136AAU);
  EXPECT_EQ(Crc32c(std::string(32, '\xff').data(), 32), 0x62A8AB43U);
  EXPECT_EQ(Crc32c("", 0), 0U);
}

TEST(Crc32cTest, PartsGiveTheCrcOfTheWhole) {
  std::string text;
  for (int i = 0; i < 257; ++i) text.push_back(static_cast<char>(i * 31));
  const uint32_t whole = Crc32c(text.data(), text.size());
  for (size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_EQ(ExtendCrc32c(Crc32c(text.data(), cut), text.data() + cut, text.size() - cut), whole) << cut;
  }
}

// Computes the checksum by its definition, bit by bit.
uint32_t BitByBit(const std::string& text) {
  uint32_t crc = ~0U;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int k = 0; k < 8; ++k) crc = (crc & 1U) != 0 ? 0x82f63b78U ^ (crc >> 1) : crc >> 1;
  }
  return ~crc;
}

TEST(Crc32cTest, LongTextsAreAsTheDefinitionSays) {
  std::string text;
  for (size_t size : {767, 768, 769, 775, 1536, 1543, 5000}) {
    while (text.size() < size) text.push_back(static_cast<char>(text.size() * text.size() * 7 >> 3));
    EXPECT_EQ(Crc32c(text.data(), text.size()), BitByBit(text)) << size;
    EXPECT_EQ(ExtendCrc32c(Crc32c(text.data(), 100), text.data() + 100, size - 100), BitByBit(text)) << size;
  }
}

}  // namespace
}  // namespace dfrun
