#include "comm/rendezvous/wire_value.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace dfrun::comm {
namespace {

void AppendNumber(std::string* out, uint64_t number) {
  out->append(reinterpret_cast<const char*>(&number), sizeof number);
}

std::string Pack(const Tensor& value) {
  std::string packed;
  if (value.shape().rank() > kHeaderDims) {
    for (int64_t dim : value.shape().dims()) AppendNumber(&packed, static_cast<uint64_t>(dim));
  }
  if (value.dtype() != DType::kString) {
    return packed.append(static_cast<const char*>(value.raw()), value.num_bytes());
  }
  for (const std::string& text : value.values<std::string>()) {
    AppendNumber(&packed, text.size());
    packed += text;
  }
  return packed;
}

Status Damaged(const char* what) {
  return Error(Code::kDataLoss, "a received value is damaged: ", what);
}

// The next `bytes` bytes of the rest of a payload.
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
  if (header.rank <= kHeaderDims) return ShapeOf({header.dims.data(), header.rank});
  if (!header.is_packed()) return Damaged("its sizes are missing");
  std::vector<int64_t> dims(header.rank);
  for (int64_t& dim : dims) {
    DF_ASSIGN(uint64_t size, TakeNumber(rest));
    dim = static_cast<int64_t>(size);
  }
  return ShapeOf(dims);
}

// Bytes of the header behind the sizes.
size_t EnclosedRoom(int rank) {
  return rank > kHeaderDims ? 0 : sizeof(int64_t) * static_cast<size_t>(kHeaderDims - rank);
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
  std::copy_n(shape.dims().begin(), std::min(shape.rank(), kHeaderDims), header->dims.begin());
  header->payload_bytes = value.num_bytes();
  if (value.dtype() == DType::kString || shape.rank() > kHeaderDims) {
    *packed = Pack(value);
    header->flags = WireHeader::kPacked;
    header->payload_bytes = packed->size();
  } else if (header->payload_bytes <= EnclosedRoom(shape.rank())) {
    header->flags = WireHeader::kEnclosed;
    if (header->payload_bytes > 0) std::memcpy(&header->dims[shape.rank()], value.raw(), header->payload_bytes);
  }
  return Status();
}

Result<Tensor> DecodeValue(const WireHeader& header, std::string_view packed, Allocator& allocator) {
  if (!IsValidDType(header.dtype) || IsHandle(static_cast<DType>(header.dtype))) {
    return Damaged("its dtype is unknown");
  }
  DF_ASSIGN(Shape shape, ReadShape(header, &packed));
  DF_ASSIGN(Tensor value, Tensor::Allocate(allocator, static_cast<DType>(header.dtype), shape));
  if (header.is_packed()) {
    DF_TRY(TakeElements(&packed, value));
    if (!packed.empty()) return Damaged("its payload is too long");
  } else if (value.dtype() == DType::kString || value.num_bytes() != header.payload_bytes) {
    return Damaged("its payload does not fit its shape");
  } else if (header.is_enclosed()) {
    if (header.payload_bytes > EnclosedRoom(header.rank)) return Damaged("its payload does not fit its header");
    if (header.payload_bytes > 0) std::memcpy(value.raw(), &header.dims[header.rank], header.payload_bytes);
  }
  return value;
}

}  // namespace dfrun::comm
