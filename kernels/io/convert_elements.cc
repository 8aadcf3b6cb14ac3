#include "kernels/io/convert_elements.h"

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "src/base/status.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

#define DF_CONVERTIBLE bool, DF_REAL

// The type in which a value is computed: float for the short floats.
template <class T>
auto Widened(T value) {
  if constexpr (std::is_same_v<T, bfloat16> || std::is_same_v<T, float16>) {
    return static_cast<float>(value);
  } else {
    return value;
  }
}

template <class To, class From>
To Converted(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From{0};
  } else if constexpr (std::is_same_v<To, bfloat16> || std::is_same_v<To, float16>) {
    return static_cast<To>(static_cast<float>(value));
  } else {
    return static_cast<To>(value);
  }
}

template <class To, class From>
bool Fits(From value) {
  if constexpr (std::is_same_v<To, bool> || std::is_same_v<From, bool>) {
    return true;
  } else if constexpr (!std::is_integral_v<To>) {
    return std::isfinite(static_cast<double>(Converted<To>(value))) || !std::isfinite(static_cast<double>(value));
  } else if constexpr (std::is_integral_v<From>) {
    return std::in_range<To>(value);
  } else {
    const double whole = std::trunc(static_cast<double>(value));
    return whole >= static_cast<double>(std::numeric_limits<To>::min()) &&
           whole < std::ldexp(1.0, std::numeric_limits<To>::digits);
  }
}

template <class From, class To>
std::optional<Unconvertible> ConvertAll(const From* source, To* target, int64_t count) {
  bool fit = true;
  for (int64_t i = 0; i < count; ++i) {
    const auto value = Widened(source[i]);
    if constexpr (std::is_integral_v<To> && !std::is_same_v<To, bool>) {
      if (!Fits<To>(value)) return Unconvertible{i, StrCat(+value)};  // the value has no conversion at all
      target[i] = Converted<To>(value);
    } else {
      target[i] = Converted<To>(value);
      fit = fit & Fits<To>(value);
    }
  }
  if (fit) return {};
  for (int64_t i = 0;; ++i) {
    if (const auto value = Widened(source[i]); !Fits<To>(value)) return Unconvertible{i, StrCat(+value)};
  }
}

}  // namespace

bool IsConvertible(DType from, DType to) {
  const auto is_one = [](DType dtype) { return VisitDType<DF_CONVERTIBLE>(dtype, [](auto) {}); };
  return is_one(from) && is_one(to);
}

std::optional<Unconvertible> ConvertElements(DType from, const void* source, DType to, void* target, int64_t count) {
  std::optional<Unconvertible> failed;
  VisitDType<DF_CONVERTIBLE>(from, [&](auto from_tag) {
    using From = typename decltype(from_tag)::type;
    VisitDType<DF_CONVERTIBLE>(to, [&](auto to_tag) {
      using To = typename decltype(to_tag)::type;
      failed = ConvertAll(static_cast<const From*>(source), static_cast<To*>(target), count);
    });
  });
  return failed;
}

}  // namespace dfrun
