// The element of a tensor of dtype variant: a value of a C++ type that the ops which make and read it agree on
// (a TensorList).
#ifndef DFRUN_SRC_FRAMEWORK_VALUES_VARIANT_H_
#define DFRUN_SRC_FRAMEWORK_VALUES_VARIANT_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "src/base/status.h"

namespace dfrun {

// Invariant: a value that more than one Variant holds does not change.
class VariantValue {
 public:
  VariantValue() = default;
  VariantValue(const VariantValue&) = default;
  VariantValue& operator=(const VariantValue&) = delete;
  virtual ~VariantValue() = default;
  // "TensorList of 3 float32[2,?]", for messages.
  virtual std::string DebugString() const = 0;
};

// Copies share the value.
// Thread safety: as std::shared_ptr.
class Variant {
 public:
  Variant() = default;
  explicit Variant(std::shared_ptr<VariantValue> value) : value_(std::move(value)) {}

  // "no value" where it is empty.
  std::string DebugString() const { return value_ ? value_->DebugString() : "no value"; }

  // The value as a T; InvalidArgument where it is empty or of another type.
  template <class T>
  Result<const T*> As(std::string_view kind) const {
    if (const auto* value = dynamic_cast<const T*>(value_.get())) return value;
    return InvalidArgument("a variant holds ", DebugString(), ", not a ", kind);
  }
  // The value as a T that the caller may change: this Variant's own, copied first where another shares it.
  template <class T>
  Result<T*> AsOwned(std::string_view kind) {
    DF_ASSIGN(const T* const value, As<T>(kind));
    if (value_.use_count() > 1) value_ = std::make_shared<T>(*value);
    return static_cast<T*>(value_.get());
  }

 private:
  std::shared_ptr<VariantValue> value_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_VALUES_VARIANT_H_
