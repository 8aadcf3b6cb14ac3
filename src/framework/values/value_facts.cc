#include "src/framework/values/value_facts.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "src/base/text.h"
#include "src/framework/values/element_types.h"
#include "src/framework/values/float16.h"

namespace dfrun {
namespace {

template <class T>
constexpr bool kIsFloat =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>;

// The shortest text that reads back as the number.
template <class T>
std::string TextOf(double number) {
  char text[64];
  const auto end = std::is_same_v<T, double> || !kIsFloat<T>
                       ? std::to_chars(text, text + sizeof text, number)
                       : std::to_chars(text, text + sizeof text, static_cast<float>(number));
  return std::string(text, end.ptr);
}

template <class T>
std::string NumbersOf(const Tensor& value) {
  int64_t nans = 0;
  int64_t infinities = 0;
  double least = std::numeric_limits<double>::infinity();
  double greatest = -least;
  for (const T element : value.values<T>()) {
    const auto number = static_cast<double>(element);
    nans += std::isnan(number) ? 1 : 0;
    infinities += std::isinf(number) ? 1 : 0;
    if (!std::isfinite(number)) continue;
    least = std::min(least, number);
    greatest = std::max(greatest, number);
  }
  const std::string faults = kIsFloat<T> ? StrCat(", ", nans, " nan, ", infinities, " inf") : "";
  return faults +
         (least > greatest ? ", no finite number" : StrCat(", from ", TextOf<T>(least), " to ", TextOf<T>(greatest)));
}

// Numbers in an order in which neighbours of a type differ by 1, and 0 is that of -0.
template <class Bits>
int64_t Ordered(Bits bits) {
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  const auto magnitude = static_cast<int64_t>(bits & ~kSign);
  return (bits & kSign) != 0 ? -magnitude : magnitude;
}

template <class T>
uint64_t UlpsBetween(T a, T b) {
  if constexpr (kIsFloat<T>) {
    const bool a_is_nan = std::isnan(static_cast<double>(a));
    const bool b_is_nan = std::isnan(static_cast<double>(b));
    if (a_is_nan || b_is_nan) return a_is_nan && b_is_nan ? 0 : Distance::kApart;
    using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>>;
    const int64_t x = Ordered(std::bit_cast<Bits>(a));
    const int64_t y = Ordered(std::bit_cast<Bits>(b));
    // The distance of two doubles may be beyond int64.
    return x > y ? static_cast<uint64_t>(x) - static_cast<uint64_t>(y)
                 : static_cast<uint64_t>(y) - static_cast<uint64_t>(x);
  } else {
    return a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b)
                 : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
  }
}

template <class T>
Distance NumbersApart(const Tensor& a, const Tensor& b) {
  Distance distance;
  const auto x = a.values<T>();
  const auto y = b.values<T>();
  for (size_t i = 0; i < x.size(); ++i) {
    distance.elements += std::memcmp(&x[i], &y[i], sizeof(T)) == 0 ? 0 : 1;
    const uint64_t ulps = UlpsBetween(x[i], y[i]);
    if (ulps <= distance.ulps) continue;
    distance.ulps = ulps;
    distance.at = static_cast<int64_t>(i);
  }
  return distance;
}

bool SameElement(const Tensor& a, const Tensor& b, size_t i) {
  if (a.dtype() == DType::kString) return a.values<std::string>()[i] == b.values<std::string>()[i];
  const size_t bytes = DTypeSize(a.dtype());
  return std::memcmp(static_cast<const char*>(a.raw()) + i * bytes, static_cast<const char*>(b.raw()) + i * bytes,
                     bytes) == 0;
}

}  // namespace

std::string DescribeNumbers(const Tensor& value) {
  std::string text = StrCat(value.dtype(), value.shape());
  VisitDType<DF_REAL>(value.dtype(), [&](auto tag) { text += NumbersOf<typename decltype(tag)::type>(value); });
  return text;
}

Distance DistanceOf(const Tensor& a, const Tensor& b) {
  Distance distance;
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape()) || IsHandle(a.dtype())) {
    return {.is_comparable = false, .ulps = Distance::kApart};
  }
  const bool are_numbers =
      VisitDType<DF_REAL>(a.dtype(), [&](auto tag) { distance = NumbersApart<typename decltype(tag)::type>(a, b); });
  if (are_numbers) return distance;
  for (size_t i = 0; i < static_cast<size_t>(a.num_elements()); ++i) {
    if (SameElement(a, b, i)) continue;
    if (distance.elements++ == 0) distance.at = static_cast<int64_t>(i);
    distance.ulps = Distance::kApart;
  }
  return distance;
}

std::string PlaceOf(const Shape& shape, int64_t element) {
  if (shape.rank() == 0) return "";
  std::vector<int64_t> index(static_cast<size_t>(shape.rank()));
  for (int i = shape.rank() - 1; i >= 0; --i) {
    index[static_cast<size_t>(i)] = element % shape[i];
    element /= shape[i];
  }
  return StrCat("[", Join(index, ","), "]");
}

}  // namespace dfrun
