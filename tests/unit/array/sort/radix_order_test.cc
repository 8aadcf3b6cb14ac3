// RadixOrder against a stable sort.
#include "kernels/array/sort/radix_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "src/framework/values/float16.h"

namespace dfrun {
namespace {

template <class T>
bool IsNan(T x) {
  return !(x == x);
}

template <class T>
void SortsAsComparisonsDo(const std::vector<T>& values) {
  RadixOrder<T> order;
  for (bool descending : {false, true}) {
    std::vector<int64_t> expected(values.size());
    std::iota(expected.begin(), expected.end(), int64_t{0});
    std::stable_sort(expected.begin(), expected.end(), [&](int64_t i, int64_t j) {
      const T a = values[static_cast<size_t>(i)];
      const T b = values[static_cast<size_t>(j)];
      if (IsNan(a) || IsNan(b)) return IsNan(b) && !IsNan(a);
      return descending ? b < a : a < b;
    });
    std::vector<int64_t> indices(values.size());
    order.Find(values.data(), static_cast<int64_t>(values.size()), descending, indices.data());
    EXPECT_EQ(indices, expected) << values.size() << " values, descending " << descending;
  }
}

// Sorts numbers whose bits are all equally likely, and then numbers with few different values.
template <class T>
void SortsIntegers() {
  std::mt19937_64 random(1);
  std::vector<T> all(1000);
  std::vector<T> few(300);
  for (T& value : all) value = static_cast<T>(random());
  for (T& value : few) value = static_cast<T>(random() % 5);
  all[17] = std::numeric_limits<T>::min();
  all[18] = std::numeric_limits<T>::max();
  SortsAsComparisonsDo(all);
  SortsAsComparisonsDo(few);
  SortsAsComparisonsDo(std::vector<T>(260, T{3}));
  SortsAsComparisonsDo(std::vector<T>{T{7}});
}

template <class T>
void SortsReals() {
  std::mt19937 random(2);
  std::normal_distribution<float> normal;
  const float special[] = {0.0F,
                           -0.0F,
                           std::numeric_limits<float>::quiet_NaN(),
                           -std::numeric_limits<float>::quiet_NaN(),
                           std::numeric_limits<float>::infinity(),
                           -std::numeric_limits<float>::infinity(),
                           1e-40F};
  std::vector<T> values(1000);
  for (T& value : values) {
    const bool is_special = random() % 3 == 0;
    value = static_cast<T>(is_special ? special[random() % std::size(special)] : normal(random));
  }
  SortsAsComparisonsDo(values);
}

TEST(RadixOrder, SortsIntegers) {
  SortsIntegers<int8_t>();
  SortsIntegers<uint8_t>();
  SortsIntegers<int16_t>();
  SortsIntegers<uint16_t>();
  SortsIntegers<int32_t>();
  SortsIntegers<uint32_t>();
  SortsIntegers<int64_t>();
  SortsIntegers<uint64_t>();
}

TEST(RadixOrder, SortsReals) {
  SortsReals<float>();
  SortsReals<double>();
  SortsReals<bfloat16>();
  SortsReals<float16>();
}

}  // namespace
}  // namespace dfrun
