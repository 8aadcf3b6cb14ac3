#include "src/hdf5/hdf5_type.h"

#include <algorithm>

#include "src/base/text.h"
#include "src/hdf5/element_type.h"

namespace dfrun::h5 {
namespace {

// Types nested deeper than this are not written out.
constexpr int kMaxDepth = 4;
constexpr size_t kMaxFields = 20;

std::string Text(hid_t type, int depth);

// Describes the size, padding and byte order of a type that no dtype has.
std::string PlacingText(hid_t type) {
  std::string text = StrCat(" in ", H5Tget_size(type), H5Tget_size(type) == 1 ? " byte" : " bytes");
  if (H5Tget_offset(type) != 0) text += StrCat(" from bit ", H5Tget_offset(type), " on");
  if (H5Tget_order(type) == H5T_ORDER_BE) text += ", big-endian";
  if (H5Tget_order(type) == H5T_ORDER_VAX) text += ", in VAX order";
  return text;
}

std::string IntegerText(hid_t type) {
  const char* const kind = H5Tget_sign(type) == H5T_SGN_2 ? "int" : "uint";
  const size_t bits = H5Tget_precision(type);
  const bool is_whole = bits == 8 * H5Tget_size(type);
  const bool is_plain = is_whole && ElementTypeOf(Handle(H5Tcopy(type))).dtype != DType::kInvalid;
  return StrCat(kind, bits, is_plain ? "" : PlacingText(type));
}

std::string FloatText(hid_t type) {
  const ElementType element = ElementTypeOf(Handle(H5Tcopy(type)));
  if (DTypeSize(element.dtype) == H5Tget_size(type)) return std::string(DTypeName(element.dtype));
  size_t sign = 0;
  size_t exponent = 0;
  size_t exponent_bits = 0;
  size_t mantissa = 0;
  size_t mantissa_bits = 0;
  H5Tget_fields(type, &sign, &exponent, &exponent_bits, &mantissa, &mantissa_bits);
  const bool is_implied = H5Tget_norm(type) == H5T_NORM_IMPLIED;
  return StrCat("a float of ", exponent_bits, " exponent bits with the bias ", H5Tget_ebias(type), " and ",
                mantissa_bits, is_implied ? "" : " explicit", " mantissa bits", PlacingText(type));
}

std::string ElementText(hid_t type, int depth) {
  const Handle element(H5Tget_super(type));
  return element.valid() ? Text(element.id(), depth) : "something";
}

std::string ArrayText(hid_t type, int depth) {
  std::vector<hsize_t> dims(static_cast<size_t>(std::max(H5Tget_array_ndims(type), 0)));
  H5Tget_array_dims2(type, dims.data());
  return StrCat(ElementText(type, depth), "[", Join(dims, ","), "]");
}

std::string TableText(hid_t type, int depth) {
  const int fields = H5Tget_nmembers(type);
  std::vector<std::string> texts;
  for (int i = 0; i < fields && texts.size() < kMaxFields; ++i) {
    char* const name = H5Tget_member_name(type, static_cast<unsigned>(i));
    const Handle member(H5Tget_member_type(type, static_cast<unsigned>(i)));
    texts.push_back(StrCat(name == nullptr ? "?" : name, " (", Text(member.id(), depth), ")"));
    if (name != nullptr) H5free_memory(name);
  }
  return StrCat("a table of the fields ", Join(texts), fields > static_cast<int>(texts.size()) ? ", ..." : "");
}

std::string Text(hid_t type, int depth) {
  if (++depth > kMaxDepth) return "...";
  const size_t bits = H5Tget_size(type) * 8;
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return IntegerText(type);
    case H5T_FLOAT:
      return FloatText(type);
    case H5T_STRING:
      return H5Tis_variable_str(type) > 0 ? "string" : StrCat("string of ", bits / 8, " bytes");
    case H5T_ENUM:
      return "an enum of " + ElementText(type, depth);
    case H5T_ARRAY:
      return ArrayText(type, depth);
    case H5T_VLEN:
      return StrCat("lists of ", ElementText(type, depth), " of any length");
    case H5T_COMPOUND:
      return TableText(type, depth);
    case H5T_OPAQUE:
      return StrCat("opaque values of ", bits / 8, " bytes");
    case H5T_BITFIELD:
      return StrCat("bit fields of ", bits, " bits");
    case H5T_REFERENCE:
      return "references";
    case H5T_TIME:
      return "times";
    default:
      return "of an unknown HDF5 type";
  }
}

}  // namespace

std::string TypeText(const Handle& type) {
  return Text(type.id(), 0);
}

}  // namespace dfrun::h5
