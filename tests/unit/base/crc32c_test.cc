#include "src/base/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace dfrun {
namespace {

// RFC 3720, B.4.
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

}  // namespace
}  // namespace dfrun
