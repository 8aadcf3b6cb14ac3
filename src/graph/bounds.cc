#include "src/graph/bounds.h"

#include <algorithm>
#include <cmath>

#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// A constant with more elements is taken to hold anything.
constexpr int64_t kMaxBoundedElements = 1 << 16;

}  // namespace

Bounds Bounds::OfElements(const Tensor& tensor) {
  if (!tensor.initialized() || tensor.num_elements() == 0 || tensor.num_elements() > kMaxBoundedElements) return {};
  Bounds bounds{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  bool is_number = true;
  const bool is_known = VisitDType<bool, DF_REAL>(tensor.dtype(), [&](auto tag) {
    for (const auto& element : tensor.values<typename decltype(tag)::type>()) {
      const auto value = static_cast<double>(element);
      is_number = is_number && !std::isnan(value);
      bounds = {std::min(bounds.low, value), std::max(bounds.high, value)};
    }
  });
  return is_known && is_number ? bounds : Bounds();
}

}  // namespace dfrun
