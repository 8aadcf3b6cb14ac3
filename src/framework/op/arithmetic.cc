#include "src/framework/op/arithmetic.h"

#include <string>

namespace dfrun {
namespace {

constexpr const char* kPrecision = "_precision";
constexpr const char* kDeterministic = "_deterministic";
constexpr const char* kTf32 = "tf32";

}  // namespace

Arithmetic Arithmetic::Of(const AttrMap& attrs) {
  Arithmetic arithmetic;
  if (const AttrValue* const value = attrs.Find(kPrecision)) {
    const auto* const text = value->get<std::string>();
    arithmetic.tf32 = text != nullptr && *text == kTf32;
  }
  if (const AttrValue* const value = attrs.Find(kDeterministic)) {
    const auto* const is_on = value->get<bool>();
    arithmetic.deterministic = is_on == nullptr || *is_on;
  }
  return arithmetic;
}

void Arithmetic::SetOn(AttrMap& attrs) const {
  if (tf32) attrs.Set(kPrecision, kTf32);
  if (!deterministic) attrs.Set(kDeterministic, false);
}

}  // namespace dfrun
