#include "src/framework/values/tensor.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <sstream>

#include "src/base/host/host_limits.h"
#include "src/base/printable.h"
#include "src/framework/values/resource.h"
#include "src/framework/values/variant.h"

namespace dfrun {
namespace {

template <class T>
void PrintElement(std::ostream& out, const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    out << '"' << PrintableLine(value) << '"';
  } else if constexpr (std::is_same_v<T, ResourceHandle>) {
    out << value.name();
  } else if constexpr (std::is_same_v<T, Variant>) {
    out << value.DebugString();
  } else if constexpr (requires { value.value; }) {
    out << static_cast<int64_t>(value.value);
  } else if constexpr (sizeof(T) == 1 && std::is_integral_v<T>) {
    out << static_cast<int>(value);
  } else if constexpr (sizeof(T) == 2 && !std::is_integral_v<T>) {
    out << static_cast<float>(value);
  } else {
    out << value;
  }
}

}  // namespace

Tensor::Buffer* Tensor::NewBuffer(Allocator& allocator, DType dtype, size_t bytes, int64_t elements) {
  const bool in_host = IsHostMemory(allocator.kind());
  if (in_host) bytes += sizeof(Buffer);
  void* const memory = allocator.Allocate(bytes);
  if (memory == nullptr) return nullptr;
  if (!in_host) return new Buffer{{1}, dtype, bytes, elements, &allocator, memory};
  return new (memory) Buffer{{1}, dtype, bytes, elements, &allocator, static_cast<Buffer*>(memory) + 1};
}

Result<Tensor> Tensor::Allocate(Allocator& allocator, DType dtype, const Shape& shape) {
  DF_CHECK(IsPlain(dtype) || IsHostMemory(allocator.kind()));
  const int64_t elements = shape.num_elements();
  size_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<size_t>(elements), DTypeSize(dtype), &bytes) ||
      bytes > static_cast<size_t>(INT64_MAX) - sizeof(Buffer)) {
    return Error(Code::kResourceExhausted, "a tensor ", dtype, shape, " is larger than any memory");
  }
  Tensor t;
  t.buffer_ = NewBuffer(allocator, dtype, bytes, elements);
  if (t.buffer_ == nullptr) {
    return Error(Code::kResourceExhausted, "no memory for a tensor ", dtype, shape, " of ", bytes + sizeof(Buffer),
                 " bytes; ", allocator.Stats().bytes_in_use, " bytes are in use in allocator '", allocator.name(), "'",
                 IsHostMemory(allocator.kind()) ? AboutMemoryLimit() : "");
  }
  t.data_ = t.buffer_->data;
  t.dtype_ = dtype;
  t.shape_ = shape;
  t.kind_ = Kind::kOwned;
  t.memory_ = allocator.kind();
  VisitObjectDType(dtype, [&](auto tag) {
    std::uninitialized_default_construct_n(t.data<typename decltype(tag)::type>(), elements);
  });
  return t;
}

Tensor::Tensor(DType dtype, const Shape& shape) {
  Result<Tensor> made = Allocate(SystemAllocator(), dtype, shape);
  DF_CHECK(made.ok());
  *this = *std::move(made);
}

Tensor Tensor::Borrowed(DType dtype, const Shape& shape, void* data, MemoryKind memory) {
  Tensor t;
  t.dtype_ = dtype;
  t.shape_ = shape;
  t.data_ = data;
  t.kind_ = Kind::kBorrowed;
  t.memory_ = memory;
  return t;
}

Tensor Tensor::Reference(DType dtype, Variable* variable) {
  Tensor t;
  t.dtype_ = dtype;
  t.data_ = variable;
  t.kind_ = Kind::kReference;
  return t;
}

void Tensor::Destroy() {
  Allocator& allocator = *buffer_->allocator;
  if (!IsHostMemory(allocator.kind())) {
    allocator.Free(buffer_->data, buffer_->bytes);
    delete buffer_;
    return;
  }
  VisitObjectDType(buffer_->dtype, [&](auto tag) {
    std::destroy_n(static_cast<typename decltype(tag)::type*>(buffer_->data), buffer_->elements);
  });
  allocator.Free(buffer_, buffer_->bytes);
}

Tensor Tensor::SliceRows(int64_t begin, int64_t end) const {
  Shape shape = shape_;
  const int64_t row_bytes =
      shape_.dim(0) == 0 ? 0 : num_elements() / shape_.dim(0) * static_cast<int64_t>(DTypeSize(dtype_));
  shape.set_dim(0, end - begin);
  Tensor rows = Reshaped(shape);
  rows.data_ = static_cast<char*>(data_) + begin * row_bytes;
  return rows;
}

Result<Tensor> Tensor::Owned(Allocator& allocator) const {
  if (borrowed()) return Copy(allocator);
  return *this;
}

Result<Tensor> Tensor::Copy(Allocator& allocator) const {
  DF_ASSIGN(Tensor copy, Allocate(allocator, dtype_, shape_));
  CopyElements(*this, copy);
  return copy;
}

void CopyElements(const Tensor& from, Tensor& to) {
  const int64_t n = from.num_elements();
  const bool copied = VisitObjectDType(from.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::copy_n(from.data<T>(), n, to.data<T>());
  });
  if (!copied && n > 0) std::memcpy(to.raw(), from.raw(), from.num_bytes());
}

bool Tensor::Identical(const Tensor& other) const {
  if (dtype_ != other.dtype_ || !(shape_ == other.shape_) || initialized() != other.initialized()) return false;
  if (!initialized()) return true;
  if (dtype_ == DType::kString)
    return std::equal(data<std::string>(), data<std::string>() + num_elements(), other.data<std::string>());
  if (dtype_ == DType::kResource)
    return num_elements() == 0 || data<ResourceHandle>()->get() == other.data<ResourceHandle>()->get();
  if (dtype_ == DType::kVariant) return data_ == other.data_;
  return num_elements() == 0 || std::memcmp(raw(), other.raw(), num_bytes()) == 0;
}

std::string Tensor::ToString(int max_elements) const {
  std::ostringstream out;
  out << dtype_ << shape_;
  if (!initialized()) return out.str() + " (no value)";
  if (!IsHostMemory(memory_)) return out.str() + " (in a device's memory)";
  const int64_t shown = std::min<int64_t>(num_elements(), max_elements);
  switch (dtype_) {
#define DF_CASE(name, number, type, text, dt)                                      \
  case DType::name:                                                                \
    for (int64_t i = 0; i < shown; ++i) PrintElement(out << ' ', data<type>()[i]); \
    break;
    DF_FOR_EACH_DTYPE(DF_CASE)
#undef DF_CASE
    case DType::kInvalid:
      break;
  }
  if (shown < num_elements()) out << " ...";
  return out.str();
}

}  // namespace dfrun
