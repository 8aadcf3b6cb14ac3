#include "src/framework/values/dtype.h"

#include <ostream>

#include "src/base/status.h"
#include "src/framework/values/resource.h"
#include "src/framework/values/variant.h"

namespace dfrun {

size_t DTypeSize(DType dtype) {
  switch (dtype) {
#define DF_CASE(name, number, type, text, dt) \
  case DType::name:                           \
    return sizeof(type);
    DF_FOR_EACH_DTYPE(DF_CASE)
#undef DF_CASE
    case DType::kInvalid:
      return 0;
  }
  return 0;
}

bool IsFloating(DType d) {
  return d == DType::kFloat || d == DType::kDouble || d == DType::kHalf || d == DType::kBfloat16;
}

bool IsComplex(DType d) {
  return d == DType::kComplex64 || d == DType::kComplex128;
}

bool IsInteger(DType d) {
  switch (d) {
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
    case DType::kUint8:
    case DType::kUint16:
    case DType::kUint32:
    case DType::kUint64:
      return true;
    default:
      return false;
  }
}

std::string_view DTypeName(DType dtype) {
  switch (dtype) {
#define DF_CASE(name, number, type, text, dt) \
  case DType::name:                           \
    return text;
    DF_FOR_EACH_DTYPE(DF_CASE)
#undef DF_CASE
    case DType::kInvalid:
      return "invalid";
  }
  return "invalid";
}

std::string DTypeEnumName(DType dtype) {
  switch (dtype) {
#define DF_CASE(name, number, type, text, dt) \
  case DType::name:                           \
    return "DT_" dt;
    DF_FOR_EACH_DTYPE(DF_CASE)
#undef DF_CASE
    case DType::kInvalid:
      return "DT_INVALID";
  }
  return "DT_INVALID";
}

std::optional<DType> ParseDType(std::string_view text) {
  if (text.substr(0, 3) == "DT_") {
    const std::string_view suffix = text.substr(3);
#define DF_CASE(name, number, type, spec, dt) \
  if (suffix == dt) return DType::name;
    DF_FOR_EACH_DTYPE(DF_CASE)
#undef DF_CASE
    return std::nullopt;
  }
#define DF_CASE(name, number, type, spec, dt) \
  if (text == spec) return DType::name;
  DF_FOR_EACH_DTYPE(DF_CASE)
#undef DF_CASE
  if (text == "float") return DType::kFloat;
  if (text == "double") return DType::kDouble;
  if (text == "half") return DType::kHalf;
  return std::nullopt;
}

bool IsValidDType(int number) {
  return number > 0 && number < 256 && DTypeSize(static_cast<DType>(number)) != 0;
}

std::ostream& operator<<(std::ostream& out, DType dtype) {
  return out << DTypeName(dtype);
}

}  // namespace dfrun
