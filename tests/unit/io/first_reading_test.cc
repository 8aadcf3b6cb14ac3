#include "kernels/io/first_reading.h"

#include <gtest/gtest.h>

#include <string_view>
#include <thread>
#include <vector>

namespace dfrun {
namespace {

bool IsSame(FirstReading& first, int64_t sample, std::string_view bytes) {
  return first.IsSame(sample, bytes.data(), bytes.size());
}

TEST(FirstReading, FindsOtherBytes) {
  FirstReading first(100'000);
  for (const int64_t sample : {0, 1, 65'535, 65'536, 99'999}) {
    EXPECT_TRUE(IsSame(first, sample, "abc")) << sample;
    EXPECT_TRUE(IsSame(first, sample, "abc")) << sample;
    EXPECT_FALSE(IsSame(first, sample, "abd")) << sample;
    EXPECT_FALSE(IsSame(first, sample, "ab")) << sample;
    EXPECT_TRUE(IsSame(first, sample, "abc")) << "the first reading stays: " << sample;
  }
}

TEST(FirstReading, NoBytesAreBytesToo) {
  FirstReading first(1);
  EXPECT_TRUE(IsSame(first, 0, ""));  // its crc32c is 0
  EXPECT_TRUE(IsSame(first, 0, ""));
  EXPECT_FALSE(IsSame(first, 0, "a"));
}

TEST(FirstReading, BeyondTheMostNothingIsCompared) {
  FirstReading first(FirstReading::kMax + 1);
  EXPECT_TRUE(IsSame(first, FirstReading::kMax, "a"));
  EXPECT_TRUE(IsSame(first, FirstReading::kMax, "b"));
  EXPECT_TRUE(IsSame(first, FirstReading::kMax - 1, "a"));
  EXPECT_FALSE(IsSame(first, FirstReading::kMax - 1, "b"));
}

TEST(FirstReading, OfManyThreadsOneIsFirst) {
  FirstReading first(4);
  std::vector<int> same(8);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < same.size(); ++t) {
    threads.emplace_back([&first, &same, t] {
      const std::string_view bytes = t % 2 == 0 ? "even" : "odd";
      for (int i = 0; i < 1000; ++i) same[t] += IsSame(first, 2, bytes) ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  const bool even_is_first = IsSame(first, 2, "even");
  for (size_t t = 0; t < same.size(); ++t) EXPECT_EQ(same[t], (t % 2 == 0) == even_is_first ? 1000 : 0) << t;
}

}  // namespace
}  // namespace dfrun
