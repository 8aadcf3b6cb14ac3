#include "src/checkpoint/weights/npy.h"

#include <gtest/gtest.h>

#include <string>

namespace dfrun {
namespace {

// A header of version 1 with this dictionary, and what follows it.
std::string WithHeader(const std::string& dictionary, const std::string& values) {
  std::string bytes = std::string("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(dictionary.size());
  bytes += '\0';
  return bytes + dictionary + values;
}

TEST(NpyHeader, HasTheTypeAndTheShape) {
  const Result<NpyHeader> header =
      ParseNpyHeader(WithHeader("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n", "values"));
  ASSERT_TRUE(header.ok()) << header.status().ToString();
  EXPECT_EQ(header->dtype, DType::kFloat);
  EXPECT_EQ(header->shape, Shape({2, 3}));
}

TEST(NpyHeader, EndsWhereTheValuesBegin) {
  const std::string cut = "{'descr': '<f4', 'fortran_order': False, 'shape': (2";
  EXPECT_FALSE(ParseNpyHeader(WithHeader(cut, ", 3), }\n")).ok());
}

}  // namespace
}  // namespace dfrun
