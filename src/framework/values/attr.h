// Attr values: the compile-time parameters of a node.
#ifndef DFRUN_SRC_FRAMEWORK_VALUES_ATTR_H_
#define DFRUN_SRC_FRAMEWORK_VALUES_ATTR_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "src/framework/values/dtype.h"
#include "src/framework/values/shape.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

class AttrMap;

namespace internal {
// Whether the variant V has the alternative T.
template <class T, class V>
inline constexpr bool kIsAlternative = false;
template <class T, class... Ts>
inline constexpr bool kIsAlternative<T, std::variant<Ts...>> = (std::is_same_v<T, Ts> || ...);
}  // namespace internal

// A function by name with its own attrs.
struct FunctionName {
  std::string name;
  std::vector<std::pair<std::string, class AttrValue>> attrs;
  bool operator==(const FunctionName& other) const;
};

// The kinds of the public AttrValue message.
class AttrValue {
 public:
  using Variant =
      std::variant<std::monostate, int64_t, float, bool, std::string, DType, PartialShape, Tensor, FunctionName,
                   std::vector<int64_t>, std::vector<float>, std::vector<bool>, std::vector<std::string>,
                   std::vector<DType>, std::vector<PartialShape>, std::vector<Tensor>, std::vector<FunctionName>>;

  // Copies and destruction are not inline, nor are an AttrMap's: a variant's functions would be compiled anew in almost
  // every source.
  AttrValue();
  AttrValue(const AttrValue& other);
  AttrValue(AttrValue&& other) noexcept;
  AttrValue& operator=(const AttrValue& other);
  AttrValue& operator=(AttrValue&& other) noexcept;
  ~AttrValue();
  // Takes any alternative that has no constructor of its own below.
  template <class T, class = std::enable_if_t<internal::kIsAlternative<T, Variant>>>
  AttrValue(T value) : value_(std::in_place_type<T>, std::move(value)) {}  // NOLINT(google-explicit-constructor)
  AttrValue(bool value);                                                   // NOLINT(google-explicit-constructor)
  AttrValue(int value);                                                    // NOLINT(google-explicit-constructor)
  AttrValue(int64_t value);                                                // NOLINT(google-explicit-constructor)
  AttrValue(double value);                                                 // NOLINT(google-explicit-constructor)
  AttrValue(const char* value);                                            // NOLINT(google-explicit-constructor)
  AttrValue(std::string value);                                            // NOLINT(google-explicit-constructor)
  AttrValue(std::string_view value);                                       // NOLINT(google-explicit-constructor)
  AttrValue(const Shape& value);                                           // NOLINT(google-explicit-constructor)

  template <class T>
  const T* get() const {
    return std::get_if<T>(&value_);
  }
  const Variant& variant() const { return value_; }
  bool empty() const { return std::holds_alternative<std::monostate>(value_); }

  // The TensorFlow type name: "int", "list(shape)", "func"; "none" if empty. An empty list fits every list type.
  std::string_view TypeName() const;
  // The value as the text dump writes it: 3, 0.5, true, "text", float32, [2,?], [1, 2].
  std::string ToString() const;
  bool operator==(const AttrValue& other) const;

 private:
  Variant value_;
};

// Attrs by name, sorted. A node has few: a flat vector.
class AttrMap {
 public:
  using Entry = std::pair<std::string, AttrValue>;

  AttrMap();
  AttrMap(std::initializer_list<Entry> entries);
  AttrMap(const AttrMap& other);
  AttrMap(AttrMap&& other) noexcept;
  AttrMap& operator=(const AttrMap& other);
  AttrMap& operator=(AttrMap&& other) noexcept;
  ~AttrMap();

  void Set(std::string_view name, AttrValue value);
  void Erase(std::string_view name);
  // Returns null if absent.
  const AttrValue* Find(std::string_view name) const;
  bool Has(std::string_view name) const { return Find(name) != nullptr; }

  // The value as a T (a C++ type of AttrValue::Variant); InvalidArgument if absent or of another type.
  template <class T>
  Result<T> Get(std::string_view name) const {
    const AttrValue* value = Find(name);
    const T* typed = value == nullptr ? nullptr : value->get<T>();
    if (typed == nullptr) return Unfit(name, value);
    return *typed;
  }
  // Returns the attr's value, or `absent` where the attr is missing.
  template <class T>
  Result<T> GetOr(std::string_view name, T absent) const {
    return Has(name) ? Get<T>(name) : Result<T>(std::move(absent));
  }

  size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  bool operator==(const AttrMap& other) const;

 private:
  // The error of a Get() without a value; a null `value` means that no attr has this name.
  static Status Unfit(std::string_view name, const AttrValue* value);

  std::vector<Entry> entries_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_VALUES_ATTR_H_
