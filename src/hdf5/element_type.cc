#include "src/hdf5/element_type.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dfrun::h5 {
namespace {

// The places of the parts of a float in its bits, and the bias of its exponents.
struct FloatLayout {
  size_t bytes = 0;
  size_t sign_bit = 0;
  size_t exponent_bit = 0;
  size_t exponent_bits = 0;
  size_t mantissa_bit = 0;
  size_t mantissa_bits = 0;
  size_t bias = 0;

  friend bool operator==(const FloatLayout&, const FloatLayout&) = default;
  // The exponents of the smallest normal value and of infinity.
  int64_t least() const { return 1 - static_cast<int64_t>(bias); }
  int64_t greatest() const { return (int64_t{1} << exponent_bits) - 1 - static_cast<int64_t>(bias); }
};

constexpr FloatLayout kHalfLayout{2, 15, 10, 5, 0, 10, 15};
constexpr FloatLayout kBfloat16Layout{2, 15, 7, 8, 0, 7, 127};
constexpr FloatLayout kFloatLayout{4, 31, 23, 8, 0, 23, 127};
constexpr FloatLayout kDoubleLayout{8, 63, 52, 11, 0, 52, 1023};
constexpr size_t kMaxExponentBits = 16;  // float64 has 11

Handle MakeFloat(const FloatLayout& layout) {
  Handle type(H5Tcopy(H5T_NATIVE_DOUBLE));
  H5Tset_fields(type.id(), layout.sign_bit, layout.exponent_bit, layout.exponent_bits, layout.mantissa_bit,
                layout.mantissa_bits);
  H5Tset_size(type.id(), layout.bytes);
  H5Tset_ebias(type.id(), layout.bias);
  return type;
}

Handle MakeBool() {
  Handle type(H5Tenum_create(H5T_NATIVE_INT8));
  int8_t value = 0;
  H5Tenum_insert(type.id(), "FALSE", &value);
  value = 1;
  H5Tenum_insert(type.id(), "TRUE", &value);
  return type;
}

Handle MakeComplex(hid_t part) {
  const size_t bytes = H5Tget_size(part);
  Handle type(H5Tcreate(H5T_COMPOUND, 2 * bytes));
  H5Tinsert(type.id(), "r", 0, part);
  H5Tinsert(type.id(), "i", bytes, part);
  return type;
}

Handle MakeText(H5T_cset_t characters) {
  Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), characters);
  return type;
}

bool IsLittleOrBig(hid_t type) {
  const H5T_order_t order = H5Tget_order(type);
  return order == H5T_ORDER_LE || order == H5T_ORDER_BE;
}

// HDF5 1.10 reads integers that it takes for the same but for the order of their bytes without their precision.
bool IsMisread(hid_t integer) {
  const size_t bytes = H5Tget_size(integer);
  const bool is_size_of_a_dtype = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  return is_size_of_a_dtype && H5Tget_offset(integer) == 0 && H5Tget_precision(integer) != 8 * bytes &&
         H5Tget_order(integer) != H5Tget_order(H5T_NATIVE_INT);
}

ElementType IntegerOf(hid_t type) {
  if (!IsLittleOrBig(type) || IsMisread(type)) return {};
  const bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
  const size_t bytes = H5Tget_size(type);
  DType dtype = DType::kInvalid;
  if (bytes == 1) dtype = is_signed ? DType::kInt8 : DType::kUint8;
  if (bytes == 2) dtype = is_signed ? DType::kInt16 : DType::kUint16;
  if (bytes == 3 || bytes == 4) dtype = is_signed ? DType::kInt32 : DType::kUint32;
  if (bytes >= 5 && bytes <= 8) dtype = is_signed ? DType::kInt64 : DType::kUint64;
  return {dtype, StoredType(dtype)};
}

// Returns nothing where HDF5's conversion would give other values: it puts the fields elsewhere where padding comes
// before them, and knows only mantissas whose first bit is implied.
std::optional<FloatLayout> LayoutOf(hid_t type) {
  FloatLayout out{.bytes = H5Tget_size(type), .bias = H5Tget_ebias(type)};
  if (H5Tget_fields(type, &out.sign_bit, &out.exponent_bit, &out.exponent_bits, &out.mantissa_bit, &out.mantissa_bits) <
      0) {
    return {};
  }
  if (!IsLittleOrBig(type) || H5Tget_offset(type) != 0 || H5Tget_norm(type) != H5T_NORM_IMPLIED) return {};
  if (out.exponent_bits > kMaxExponentBits || out.bias > std::numeric_limits<int32_t>::max()) return {};
  return out;
}

ElementType FloatOf(hid_t type) {
  const std::optional<FloatLayout> layout = LayoutOf(type);
  if (!layout) return {};
  if (*layout == kBfloat16Layout) return {DType::kBfloat16, MakeFloat(kBfloat16Layout)};
  constexpr std::pair<DType, const FloatLayout*> kDTypes[] = {
      {DType::kHalf, &kHalfLayout}, {DType::kFloat, &kFloatLayout}, {DType::kDouble, &kDoubleLayout}};
  for (const auto& [dtype, holds] : kDTypes) {
    if (layout->bytes <= holds->bytes && layout->mantissa_bits <= holds->mantissa_bits &&
        layout->least() >= holds->least() && layout->greatest() <= holds->greatest()) {
      return {dtype, StoredType(dtype)};
    }
  }
  return {};
}

std::optional<int64_t> ValueOf(hid_t enumeration, const char* member) {
  int64_t value = 0;
  const Handle integer(H5Tget_super(enumeration));
  if (H5Tget_size(integer.id()) > sizeof value) return {};
  if (H5Tenum_valueof(enumeration, member, &value) < 0 ||
      H5Tconvert(integer.id(), H5T_NATIVE_INT64, 1, &value, nullptr, H5P_DEFAULT) < 0) {
    H5Eclear2(H5E_DEFAULT);
    return {};
  }
  return value;
}

// Returns bool for an enum as h5py writes it for bool. Other enums are their integers.
ElementType EnumOf(hid_t type) {
  const Handle integer(H5Tget_super(type));
  ElementType element = IntegerOf(integer.id());
  if (element.dtype == DType::kInvalid) return element;
  if (H5Tget_nmembers(type) != 2 || ValueOf(type, "FALSE") != 0 || ValueOf(type, "TRUE") != 1) return element;
  return {DType::kBool, MakeBool()};
}

// A table {r, i} of two floats of one dtype, as h5py writes complex numbers.
ElementType ComplexOf(const Handle& type) {
  if (FieldNames(type) != std::vector<std::string>{"r", "i"}) return {};
  const ElementType parts[] = {ElementTypeOf(Handle(H5Tget_member_type(type.id(), 0))),
                               ElementTypeOf(Handle(H5Tget_member_type(type.id(), 1)))};
  if (parts[0].dtype != parts[1].dtype) return {};
  if (parts[0].dtype == DType::kFloat) return {DType::kComplex64, StoredType(DType::kComplex64)};
  if (parts[0].dtype == DType::kDouble) return {DType::kComplex128, StoredType(DType::kComplex128)};
  return {};
}

ElementType StringOf(hid_t type) {
  if (H5Tis_variable_str(type) > 0) return {DType::kString, MakeText(H5Tget_cset(type))};
  Handle memory(H5Tcopy(type));
  H5Tset_strpad(memory.id(), H5T_STR_NULLPAD);
  return {DType::kString, std::move(memory)};
}

// Lists of bytes are strings: so dfrun writes one that holds a NUL.
ElementType ListOf(hid_t type) {
  const ElementType element = ElementTypeOf(Handle(H5Tget_super(type)));
  if (element.dtype != DType::kUint8) return {};
  return {DType::kString, Handle(H5Tvlen_create(H5T_NATIVE_UINT8))};
}

}  // namespace

ElementType ElementTypeOf(const Handle& type) {
  switch (H5Tget_class(type.id())) {
    case H5T_INTEGER:
      return IntegerOf(type.id());
    case H5T_FLOAT:
      return FloatOf(type.id());
    case H5T_ENUM:
      return EnumOf(type.id());
    case H5T_STRING:
      return StringOf(type.id());
    case H5T_VLEN:
      return ListOf(type.id());
    case H5T_COMPOUND:
      return ComplexOf(type);
    default:
      return {};
  }
}

std::string_view WithoutPadding(std::string_view padded) {
  return padded.substr(0, padded.find_last_not_of('\0') + 1);
}

Handle StoredType(DType dtype) {
  switch (dtype) {
    case DType::kFloat:
      return Handle(H5Tcopy(H5T_NATIVE_FLOAT));
    case DType::kDouble:
      return Handle(H5Tcopy(H5T_NATIVE_DOUBLE));
    case DType::kInt8:
    case DType::kQint8:
      return Handle(H5Tcopy(H5T_NATIVE_INT8));
    case DType::kInt16:
    case DType::kQint16:
      return Handle(H5Tcopy(H5T_NATIVE_INT16));
    case DType::kInt32:
    case DType::kQint32:
      return Handle(H5Tcopy(H5T_NATIVE_INT32));
    case DType::kInt64:
      return Handle(H5Tcopy(H5T_NATIVE_INT64));
    case DType::kUint8:
    case DType::kQuint8:
      return Handle(H5Tcopy(H5T_NATIVE_UINT8));
    case DType::kUint16:
    case DType::kQuint16:
    case DType::kBfloat16:
      return Handle(H5Tcopy(H5T_NATIVE_UINT16));
    case DType::kUint32:
      return Handle(H5Tcopy(H5T_NATIVE_UINT32));
    case DType::kUint64:
      return Handle(H5Tcopy(H5T_NATIVE_UINT64));
    case DType::kBool:
      return MakeBool();
    case DType::kHalf:
      return MakeFloat(kHalfLayout);
    case DType::kComplex64:
      return MakeComplex(H5T_NATIVE_FLOAT);
    case DType::kComplex128:
      return MakeComplex(H5T_NATIVE_DOUBLE);
    case DType::kString:
      return MakeText(H5T_CSET_UTF8);
    case DType::kResource:
    case DType::kVariant:
    case DType::kInvalid:
      return Handle();
  }
  return Handle();
}

}  // namespace dfrun::h5
