#include "src/checkpoint/tensorflow/table_reader.h"

#include <gtest/gtest.h>

#include "src/checkpoint/tensorflow/slice_key.h"
#include "src/checkpoint/tensorflow/snappy.h"
#include "src/checkpoint/tensorflow/sorted_table.h"

namespace dfrun {
namespace {

TEST(TableReader, ReadsWhatIsWritten) {
  std::map<std::string, std::string> entries;
  for (int i = 0; i < 5000; ++i) entries["key " + std::to_string(i)] = std::string(static_cast<size_t>(i % 97), 'v');
  SortedTable table;
  for (const auto& [key, value] : entries) table.Add(key, value);
  const std::string bytes = table.Finish();
  const Result<std::map<std::string, std::string>> read = ReadTable(bytes);
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(*read, entries);
  EXPECT_FALSE(ReadTable(bytes.substr(1)).ok());
  EXPECT_FALSE(ReadTable("").ok());
}

// Blocks by the definition of the format.
TEST(Snappy, UnpacksLiteralsAndCopies) {
  const auto unpack = [](const std::string& packed) {
    const Result<std::string> plain = UnpackSnappy(packed, 100);
    return plain.ok() ? *plain : "refused";
  };
  EXPECT_EQ(unpack(std::string("\x00", 1)), "");
  EXPECT_EQ(unpack("\x04\x0c"
                   "abcd"),
            "abcd");
  // A copy of one byte's offset that reads what it writes, one of two bytes' and one of four bytes'.
  EXPECT_EQ(unpack("\x0a\x0c"
                   "abcd\x09\x04"),
            "abcdabcdab");
  EXPECT_EQ(unpack(std::string("\x07\x0c"
                               "abcd\x0a\x02\x00",
                               9)),
            "abcdcdc");
  EXPECT_EQ(unpack(std::string("\x06\x0c"
                               "abcd\x07\x04\x00\x00\x00",
                               11)),
            "abcdab");
  // A literal whose length stands behind its tag.
  EXPECT_EQ(unpack("\x03\xf0\x02xyz"), "xyz");
  for (const char* packed : {"",
                             "\x05\x0c"
                             "abcd",
                             "\x04\x0c"
                             "abc",
                             "\x04\x09\x01",
                             "\x06\x0c"
                             "abcd\x09\x05",
                             "\xff\xff\xff\xff\x0f\x00"}) {
    EXPECT_EQ(unpack(packed), "refused");
  }
}

// By the definition of OrderedCode, worked out by hand.
TEST(SliceKey, IsThatOfTensorFlow) {
  const SliceExtent extents[] = {{0, -1}, {64, 1}, {-65, 300}};
  EXPECT_EQ(SliceKey("ab", extents), std::string("\0"
                                                 "ab\0\1\1\3\x80\x7f\xc0\x40\x81\x3f\xbf\xc1\x2c",
                                                 16));
}

}  // namespace
}  // namespace dfrun
