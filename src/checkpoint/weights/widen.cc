#include "src/checkpoint/weights/widen.h"

#include <algorithm>
#include <type_traits>

namespace dfrun {
namespace {

bool IsUnsigned(DType dtype) {
  return dtype == DType::kUint8 || dtype == DType::kUint16 || dtype == DType::kUint32 || dtype == DType::kUint64;
}

template <class Wide>
void WidenFloats(const Tensor& from, Tensor& to) {
  VisitDType<float, double, bfloat16, float16>(from.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::transform(from.data<T>(), from.data<T>() + from.num_elements(), to.data<Wide>(), [](T value) {
      if constexpr (std::is_same_v<T, double>) {
        return static_cast<Wide>(value);
      } else {
        return static_cast<Wide>(static_cast<float>(value));
      }
    });
  });
}

template <class Wide>
void WidenIntegers(const Tensor& from, Tensor& to) {
  VisitDType<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(from.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::transform(from.data<T>(), from.data<T>() + from.num_elements(), to.data<Wide>(),
                   [](T value) { return static_cast<Wide>(value); });
  });
}

}  // namespace

bool HoldsValuesOf(DType wide, DType narrow) {
  if (wide == narrow) return true;
  if (DTypeSize(wide) <= DTypeSize(narrow)) return false;
  if (IsFloating(wide)) return IsFloating(narrow);
  return IsInteger(wide) && IsInteger(narrow) && (IsUnsigned(narrow) || !IsUnsigned(wide));
}

Result<Tensor> Widen(const Tensor& values, DType to) {
  if (values.dtype() == to) return values;
  DF_ASSIGN(Tensor wide, Tensor::Allocate(SystemAllocator(), to, values.shape()));
  VisitDType<float, double>(to, [&](auto tag) { WidenFloats<typename decltype(tag)::type>(values, wide); });
  VisitDType<int16_t, int32_t, int64_t, uint16_t, uint32_t, uint64_t>(
      to, [&](auto tag) { WidenIntegers<typename decltype(tag)::type>(values, wide); });
  return wide;
}

}  // namespace dfrun
