#include "src/spec/expr/float_range.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "src/base/status.h"
#include "src/framework/values/float16.h"

namespace dfrun {
namespace {

struct Range {
  float greatest;
  float smallest;  // above 0
  float rounded;   // the value that was asked for
};

// Returns nothing where the dtype holds every double.
std::optional<Range> RangeAround(double value, DType dtype) {
  const auto narrow = static_cast<float>(value);
  switch (dtype) {
    case DType::kFloat:
    case DType::kComplex64:
      return Range{std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min(), narrow};
    case DType::kHalf:
      return Range{65504.0F, 0x1p-24F, float16(narrow)};
    case DType::kBfloat16:
      return Range{0x1.fep127F, 0x1p-133F, bfloat16(narrow)};
    default:
      return {};
  }
}

std::string Printed(float value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace

std::string WhyOutOfRange(double value, DType dtype) {
  const std::optional<Range> range = RangeAround(value, dtype);
  if (!range || !std::isfinite(value)) return "";
  if (std::isinf(range->rounded)) {
    const bool is_negative = value < 0;
    return StrCat("its ", is_negative ? "lowest" : "greatest", " number is ",
                  Printed(is_negative ? -range->greatest : range->greatest), ": write that, ",
                  is_negative ? "-inf" : "inf", ", or take a wider dtype");
  }
  if (range->rounded != 0 || value == 0) return "";
  return StrCat("it would be 0, and the smallest number above 0 is ", Printed(range->smallest),
                ": write 0, or take a wider dtype");
}

}  // namespace dfrun
