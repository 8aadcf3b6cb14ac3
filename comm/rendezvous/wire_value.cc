#include "comm/rendezvous/wire_value.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "src/base/number_bytes.h"

namespace dfrun::comm {
namespace {

bool FitsHeader(const Shape& shape) {
  return shape.rank() <= kHeaderDims &&
         std::all_of(shape.dims().begin(), shape.dims().end(), [](int64_t dim) { return dim <= UINT32_MAX; });
}

std::string Pack(const Tensor& value) {
  std::string packed;
  for (int64_t dim : value.shape().dims()) AppendNumber(static_cast<uint64_t>(dim), packed);
  if (value.dtype() != DType::kString) {
    return packed.append(static_cast<const char*>(value.raw()), value.num_bytes());
  }
  for (const std::string& text : value.values<std::string>()) {
    AppendNumber(uint64_t{text.size()}, packed);
    packed += text;
  }
  return packed;
}

Status Damaged(const char* what) {
  return Error(Code::kDataLoss, "a received value is damaged: ", what);
}

// Removes the next `bytes` bytes from the rest of a payload and returns them.
Result<std::string_view> Take(std::string_view* rest, uint64_t bytes) {
  if (bytes > rest->size()) return Damaged("its payload is too short");
  const std::string_view taken = rest->substr(0, bytes);
  rest->remove_prefix(bytes);
  return taken;
}

Result<uint64_t> TakeNumber(std::string_view* rest) {
  DF_ASSIGN(std::string_view bytes, Take(rest, sizeof(uint64_t)));
  uint64_t number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

Status TakeElements(std::string_view* rest, Tensor& value) {
  if (value.dtype() != DType::kString) {
    DF_ASSIGN(std::string_view bytes, Take(rest, value.num_bytes()));
    if (!bytes.empty()) std::memcpy(value.raw(), bytes.data(), bytes.size());
    return Status();
  }
  for (int64_t i = 0; i < value.num_elements(); ++i) {
    DF_ASSIGN(uint64_t length, TakeNumber(rest));
    DF_ASSIGN(std::string_view text, Take(rest, length));
    value.data<std::string>()[i] = text;
  }
  return Status();
}

Result<Shape> ShapeOf(std::span<const int64_t> dims) {
  Result<Shape> shape = Shape::Create(dims);
  return shape.ok() ? shape : Damaged("its sizes are no shape");
}

Result<Shape> ReadShape(const WireHeader& header, std::string_view* rest) {
  if (header.is_packed()) {
    std::vector<int64_t> dims(header.rank);
    for (int64_t& dim : dims) {
      DF_ASSIGN(uint64_t size, TakeNumber(rest));
      dim = static_cast<int64_t>(size);
    }
    return ShapeOf(dims);
  }
  if (header.rank > kHeaderDims) return Damaged("its sizes are missing");
  std::array<int64_t, kHeaderDims> dims = {};
  std::copy_n(header.dims.begin(), header.rank, dims.begin());
  return ShapeOf({dims.data(), header.rank});
}

// Returns the number of bytes that the header has behind the sizes.
size_t EnclosedRoom(int rank) {
  return sizeof(uint32_t) * static_cast<size_t>(kHeaderDims - rank);
}

}  // namespace

Status EncodeValue(const Tensor& value, bool is_dead, WireHeader* header, std::string* packed) {
  *header = WireHeader();
  if (is_dead) {
    header->flags = WireHeader::kDead;
    return Status();
  }
  if (IsHandle(value.dtype())) {
    return Unimplemented("a ", value.dtype(), " cannot be sent to another rank; use it on the device that holds it");
  }
  const Shape& shape = value.shape();
  header->dtype = static_cast<uint8_t>(value.dtype());
  header->rank = static_cast<uint8_t>(shape.rank());
  if (value.dtype() == DType::kString || !FitsHeader(shape)) {
    *packed = Pack(value);
    header->flags = WireHeader::kPacked;
    header->dims[0] = static_cast<uint32_t>(packed->size());
    header->dims[1] = static_cast<uint32_t>(packed->size() >> 32);
    return Status();
  }
  std::copy(shape.dims().begin(), shape.dims().end(), header->dims.begin());
  if (const size_t bytes = value.num_bytes(); bytes <= EnclosedRoom(shape.rank())) {
    header->flags = WireHeader::kEnclosed;
    if (bytes > 0) std::memcpy(&header->dims[shape.rank()], value.raw(), bytes);
  }
  return Status();
}

Status DecodeValue(const WireHeader& header, std::string_view packed, Allocator& allocator, Tensor* value) {
  const auto dtype = static_cast<DType>(header.dtype);
  if (!IsValidDType(header.dtype) || IsHandle(dtype)) return Damaged("its dtype is unknown");
  if (dtype == DType::kString && !header.is_packed()) return Damaged("its strings are not packed");
  DF_ASSIGN(Shape shape, ReadShape(header, &packed));
  const size_t enclosed_bytes = header.is_enclosed() ? DTypeSize(dtype) * static_cast<size_t>(shape.num_elements()) : 0;
  if (enclosed_bytes > EnclosedRoom(header.rank)) return Damaged("its payload does not fit its header");
  DF_ASSIGN(*value, Tensor::Allocate(allocator, dtype, shape));
  if (header.is_packed()) {
    DF_TRY(TakeElements(&packed, *value));
    if (!packed.empty()) return Damaged("its payload is too long");
  } else if (enclosed_bytes > 0) {
    std::memcpy(value->raw(), &header.dims[header.rank], enclosed_bytes);
  }
  return Status();
}

}  // namespace dfrun::comm
