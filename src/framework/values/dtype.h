// Element types of tensors. Numbers are those of the public DataType enum, so they travel in GraphDef as they are.
#ifndef DFRUN_SRC_FRAMEWORK_VALUES_DTYPE_H_
#define DFRUN_SRC_FRAMEWORK_VALUES_DTYPE_H_

#include <complex>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "src/framework/values/float16.h"

namespace dfrun {

class ResourceHandle;
class Variant;

// Integers of quantised arithmetic: distinct types, so that no kernel takes them for plain integers.
struct qint8 {
  int8_t value;
};
struct quint8 {
  uint8_t value;
};
struct qint16 {
  int16_t value;
};
struct quint16 {
  uint16_t value;
};
struct qint32 {
  int32_t value;
};

// X(enumerator, number, C++ type, spec name, DT_ suffix)
#define DF_FOR_EACH_DTYPE(X)                                           \
  X(kFloat, 1, float, "float32", "FLOAT")                              \
  X(kDouble, 2, double, "float64", "DOUBLE")                           \
  X(kInt32, 3, int32_t, "int32", "INT32")                              \
  X(kUint8, 4, uint8_t, "uint8", "UINT8")                              \
  X(kInt16, 5, int16_t, "int16", "INT16")                              \
  X(kInt8, 6, int8_t, "int8", "INT8")                                  \
  X(kString, 7, std::string, "string", "STRING")                       \
  X(kComplex64, 8, std::complex<float>, "complex64", "COMPLEX64")      \
  X(kInt64, 9, int64_t, "int64", "INT64")                              \
  X(kBool, 10, bool, "bool", "BOOL")                                   \
  X(kQint8, 11, qint8, "qint8", "QINT8")                               \
  X(kQuint8, 12, quint8, "quint8", "QUINT8")                           \
  X(kQint32, 13, qint32, "qint32", "QINT32")                           \
  X(kBfloat16, 14, bfloat16, "bfloat16", "BFLOAT16")                   \
  X(kQint16, 15, qint16, "qint16", "QINT16")                           \
  X(kQuint16, 16, quint16, "quint16", "QUINT16")                       \
  X(kUint16, 17, uint16_t, "uint16", "UINT16")                         \
  X(kComplex128, 18, std::complex<double>, "complex128", "COMPLEX128") \
  X(kHalf, 19, float16, "float16", "HALF")                             \
  X(kResource, 20, ResourceHandle, "resource", "RESOURCE")             \
  X(kVariant, 21, Variant, "variant", "VARIANT")                       \
  X(kUint32, 22, uint32_t, "uint32", "UINT32")                         \
  X(kUint64, 23, uint64_t, "uint64", "UINT64")

enum class DType : uint8_t {
  kInvalid = 0,
#define DF_ENUM(name, number, type, text, dt) name = number,
  DF_FOR_EACH_DTYPE(DF_ENUM)
#undef DF_ENUM
};

// The C++ type's DType: DTypeOf<float>.
template <class T>
inline constexpr DType DTypeOf = DType::kInvalid;
#define DF_DTYPE_OF(name, number, type, text, dt) \
  template <>                                     \
  inline constexpr DType DTypeOf<type> = DType::name;
DF_FOR_EACH_DTYPE(DF_DTYPE_OF)
#undef DF_DTYPE_OF

// Bytes of an element; for strings, resources and variants, of the C++ object. 0 for kInvalid.
size_t DTypeSize(DType dtype);

// Returns true where an element is a handle to something of this process: resource and variant.
constexpr bool IsHandle(DType d) {
  return d == DType::kResource || d == DType::kVariant;
}
// Returns true where an element is plain bytes: everything but string, resource and variant.
constexpr bool IsPlain(DType d) {
  return d != DType::kString && !IsHandle(d) && d != DType::kInvalid;
}
bool IsFloating(DType dtype);  // float16, bfloat16, float32, float64
bool IsComplex(DType dtype);
bool IsInteger(DType dtype);  // signed and unsigned, not quantised, not bool

// "float32"; "invalid" for kInvalid.
std::string_view DTypeName(DType dtype);
// "DT_FLOAT".
std::string DTypeEnumName(DType dtype);
// Accepts "float32", "float", "half", "double", "DT_FLOAT". Nothing for other text.
std::optional<DType> ParseDType(std::string_view text);
// Returns true where `number` is one of the enum's (kInvalid excluded).
bool IsValidDType(int number);

template <class T>
struct TypeTag {
  using type = T;
};

// Calls f with the TypeTag of `dtype` if it is one of Ts; returns false if it is none of them.
template <class... Ts, class F>
bool VisitDType(DType dtype, F&& f) {
  return ((DTypeOf<Ts> == dtype ? (f(TypeTag<Ts>{}), true) : false) || ...);
}

// Visits a dtype whose elements are C++ objects; false for a plain one.
template <class F>
bool VisitObjectDType(DType dtype, F&& f) {
  return VisitDType<std::string, ResourceHandle, Variant>(dtype, f);
}

std::ostream& operator<<(std::ostream& out, DType dtype);

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_VALUES_DTYPE_H_
