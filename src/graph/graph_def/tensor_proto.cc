#include "src/graph/graph_def/tensor_proto.h"

#include <algorithm>
#include <cstring>

namespace dfrun {
namespace {

constexpr int64_t kMaxTensorBytes = int64_t{1} << 31;

// Fills the tensor, whose first `given` elements have values, with the last of these; without any value it is zeros.
template <class T>
void RepeatLast(Tensor& out, int64_t given) {
  const int64_t n = out.num_elements();
  if (given == n) return;
  std::fill(out.data<T>() + given, out.data<T>() + n, given == 0 ? T{} : T(out.data<T>()[given - 1]));
}

template <class T, class Field, class Convert>
Status FromValues(const Field& field, Tensor& out, Convert convert) {
  const int given = static_cast<int>(std::min<int64_t>(field.size(), out.num_elements()));
  std::transform(field.begin(), field.begin() + given, out.data<T>(), convert);
  RepeatLast<T>(out, given);
  return Status();
}

template <class T, class Field>
Status FromNumbers(const Field& field, Tensor& out) {
  return FromValues<T>(field, out, [](auto v) { return static_cast<T>(v); });
}

// Single-member types: quantised integers and 16-bit floats hold the number or the bits.
template <class T, class Raw>
Status FromWrapped(const proto::TensorProto& proto, Tensor& out) {
  const auto wrap = [](int32_t v) {
    const Raw raw = static_cast<Raw>(v);
    T wrapped;
    std::memcpy(&wrapped, &raw, sizeof wrapped);
    return wrapped;
  };
  const bool is_float = IsFloating(out.dtype());
  return is_float ? FromValues<T>(proto.half_val(), out, wrap) : FromValues<T>(proto.int_val(), out, wrap);
}

template <class T, class Field>
Status FromPairs(const Field& field, Tensor& out) {
  if (field.size() % 2 != 0) return InvalidArgument("the tensor holds half a complex value");
  const int64_t given = std::min<int64_t>(field.size() / 2, out.num_elements());
  for (int i = 0; i < given; ++i) out.data<T>()[i] = T(field[2 * i], field[2 * i + 1]);
  RepeatLast<T>(out, given);
  return Status();
}

Status FromTypedValues(const proto::TensorProto& p, Tensor& out) {
  switch (out.dtype()) {
    case DType::kFloat:
      return FromNumbers<float>(p.float_val(), out);
    case DType::kDouble:
      return FromNumbers<double>(p.double_val(), out);
    case DType::kInt32:
      return FromNumbers<int32_t>(p.int_val(), out);
    case DType::kInt16:
      return FromNumbers<int16_t>(p.int_val(), out);
    case DType::kInt8:
      return FromNumbers<int8_t>(p.int_val(), out);
    case DType::kUint8:
      return FromNumbers<uint8_t>(p.int_val(), out);
    case DType::kUint16:
      return FromNumbers<uint16_t>(p.int_val(), out);
    case DType::kQint8:
      return FromWrapped<qint8, int8_t>(p, out);
    case DType::kQuint8:
      return FromWrapped<quint8, uint8_t>(p, out);
    case DType::kQint16:
      return FromWrapped<qint16, int16_t>(p, out);
    case DType::kQuint16:
      return FromWrapped<quint16, uint16_t>(p, out);
    case DType::kQint32:
      return FromWrapped<qint32, int32_t>(p, out);
    case DType::kHalf:
      return FromWrapped<float16, uint16_t>(p, out);
    case DType::kBfloat16:
      return FromWrapped<bfloat16, uint16_t>(p, out);
    case DType::kInt64:
      return FromNumbers<int64_t>(p.int64_val(), out);
    case DType::kUint32:
      return FromNumbers<uint32_t>(p.uint32_val(), out);
    case DType::kUint64:
      return FromNumbers<uint64_t>(p.uint64_val(), out);
    case DType::kBool:
      return FromNumbers<bool>(p.bool_val(), out);
    case DType::kComplex64:
      return FromPairs<std::complex<float>>(p.scomplex_val(), out);
    case DType::kComplex128:
      return FromPairs<std::complex<double>>(p.dcomplex_val(), out);
    case DType::kString:
      return FromValues<std::string>(p.string_val(), out, [](const std::string& s) { return s; });
    case DType::kResource:
    case DType::kVariant:
    case DType::kInvalid:
      break;
  }
  return Unimplemented("a tensor of dtype ", out.dtype(), " cannot be read from its message");
}

// Reads the next number of at most 32 bits, seven bits in a byte, the lowest first.
bool TakeVarint(std::string_view& bytes, uint32_t& value) {
  constexpr int kBitsPerByte = 7;
  constexpr size_t kMaxBytes = 5;
  value = 0;
  for (size_t i = 0; i < kMaxBytes && i < bytes.size(); ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    value |= static_cast<uint32_t>(byte & 0x7f) << (kBitsPerByte * i);
    if (byte < 0x80) {
      bytes.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

// All lengths, then the bytes of all strings.
Status FromStringContent(std::string_view content, Tensor& out) {
  std::vector<uint32_t> sizes(static_cast<size_t>(out.num_elements()));
  uint64_t total = 0;
  bool ok = true;
  for (uint32_t& size : sizes) {
    ok = ok && TakeVarint(content, size);
    total += size;
  }
  if (!ok || total != content.size()) {
    return InvalidArgument("tensor_content does not hold the ", sizes.size(), " strings of ", out.dtype(), out.shape());
  }
  auto* string = out.data<std::string>();
  for (uint32_t size : sizes) {
    *string++ = content.substr(0, size);
    content.remove_prefix(size);
  }
  return Status();
}

Status FromContent(const std::string& content, Tensor& out) {
  if (out.dtype() == DType::kString) return FromStringContent(content, out);
  if (!IsPlain(out.dtype())) return Unimplemented("tensor_content of dtype ", out.dtype(), " cannot be read");
  if (content.size() != out.num_bytes()) {
    return InvalidArgument("tensor_content has ", content.size(), " bytes, but ", out.dtype(), out.shape(), " needs ",
                           out.num_bytes());
  }
  if (out.dtype() == DType::kBool) {  // another byte than 0 and 1 is no bool
    std::transform(content.begin(), content.end(), out.data<bool>(), [](char c) { return c != 0; });
  } else {
    std::memcpy(out.raw(), content.data(), content.size());
  }
  return Status();
}

// Checks the number of bytes that the shape declares against the budget.
Status CheckSize(const proto::TensorProto& proto, DType dtype, const Shape& shape, ExpansionBudget& budget) {
  const auto size = static_cast<int64_t>(DTypeSize(dtype));
  const int64_t n = shape.num_elements();
  if (n > kMaxTensorBytes / size) {
    return InvalidArgument("a tensor of ", dtype, shape, " is larger than ", kMaxTensorBytes, " bytes");
  }
  const int64_t beyond = n * size - static_cast<int64_t>(proto.ByteSizeLong());
  if (beyond <= 0) return Status();
  if (beyond > budget.bytes) {
    return Error(Code::kResourceExhausted, "more than 1 GiB is declared beyond the values that are given");
  }
  budget.bytes -= beyond;
  return Status();
}

}  // namespace

void ShapeToProto(const PartialShape& shape, proto::TensorShapeProto& out) {
  if (!shape.known_rank()) {
    out.set_unknown_rank(true);
    return;
  }
  for (int64_t size : shape.dims()) out.add_dim()->set_size(size);
}

Result<PartialShape> ShapeFromProto(const proto::TensorShapeProto& proto) {
  if (proto.unknown_rank()) {
    if (proto.dim_size() > 0) return InvalidArgument("a shape of unknown rank has ", proto.dim_size(), " dimensions");
    return PartialShape();
  }
  if (proto.dim_size() > Shape::kMaxRank) return InvalidArgument("a shape has rank ", proto.dim_size());
  std::vector<int64_t> dims;
  for (const auto& dim : proto.dim()) {
    if (dim.size() < -1) return InvalidArgument("a shape has a dimension of size ", dim.size());
    dims.push_back(dim.size());
  }
  return PartialShape(std::move(dims));
}

void TensorToProto(const Tensor& tensor, proto::TensorProto& out) {
  out.set_dtype(static_cast<proto::DataType>(tensor.dtype()));
  ShapeToProto(tensor.shape(), *out.mutable_tensor_shape());
  if (!tensor.initialized()) return;
  if (tensor.dtype() == DType::kString) {
    for (const std::string& s : tensor.values<std::string>()) out.add_string_val(s);
  } else if (IsPlain(tensor.dtype())) {
    out.set_tensor_content(tensor.raw(), tensor.num_bytes());
  }
}

Result<Tensor> TensorFromProto(const proto::TensorProto& proto, ExpansionBudget& budget) {
  DF_ASSIGN(const DType dtype, DTypeFromProto(proto.dtype()));
  DF_ASSIGN(const PartialShape declared, ShapeFromProto(proto.tensor_shape()));
  if (!declared.IsFullyDefined()) return InvalidArgument("a tensor has the shape ", declared);
  DF_ASSIGN(const Shape shape, declared.ToShape());
  DF_TRY(CheckSize(proto, dtype, shape, budget));
  DF_ASSIGN(Tensor out, Tensor::Allocate(SystemAllocator(), dtype, shape));
  DF_TRY(proto.tensor_content().empty() ? FromTypedValues(proto, out) : FromContent(proto.tensor_content(), out));
  return out;
}

Result<DType> DTypeFromProto(int number) {
  constexpr int kRef = 100;
  const int plain = number > kRef ? number - kRef : number;
  if (IsValidDType(plain)) return static_cast<DType>(plain);
  const std::string name = proto::DataType_Name(static_cast<proto::DataType>(number));
  return Unimplemented("dtype ", name.empty() ? std::to_string(number) : name, " is not supported");
}

}  // namespace dfrun
