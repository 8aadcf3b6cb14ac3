#include "kernels/io/batch_builder.h"

#include <algorithm>
#include <cstring>

#include "kernels/io/parse_element.h"

namespace dfrun {
namespace {

// Copies `from` to the corner of `to`, of the same rank, from dimension `axis` on.
template <class T>
void CopyToCorner(const T* from, const Shape& from_shape, T* to, const Shape& to_shape, int axis) {
  if (axis == from_shape.rank()) {
    *to = *from;
    return;
  }
  if (axis + 1 == from_shape.rank()) {
    std::copy_n(from, from_shape[axis], to);
    return;
  }
  int64_t from_stride = 1;
  int64_t to_stride = 1;
  for (int i = axis + 1; i < from_shape.rank(); ++i) {
    from_stride *= from_shape[i];
    to_stride *= to_shape[i];
  }
  for (int64_t i = 0; i < from_shape[axis]; ++i) {
    CopyToCorner(from + i * from_stride, from_shape, to + i * to_stride, to_shape, axis + 1);
  }
}

template <size_t kBytes>
struct Element {
  char bytes[kBytes];
};

// Elements are moved as bytes: one instance a size.
void CopySample(const Tensor& from, Tensor& to, int64_t at, const Shape& room) {
  const auto copy = [&](auto tag) {
    using T = decltype(tag);
    CopyToCorner(static_cast<const T*>(from.raw()), from.shape(), static_cast<T*>(to.raw()) + at, room, 0);
  };
  if (from.dtype() == DType::kString) return copy(std::string());
  switch (DTypeSize(from.dtype())) {
    case 1:
      return copy(Element<1>());
    case 2:
      return copy(Element<2>());
    case 4:
      return copy(Element<4>());
    case 8:
      return copy(Element<8>());
    default:
      return copy(Element<16>());
  }
}

// True if `text`, a number that is not 0, became 0.
bool IsLost(std::string_view text, const Tensor& tensor, int64_t at) {
  bool is_lost = false;
  VisitDType<float, double, bfloat16, float16>(tensor.dtype(), [&](auto tag) {
    const auto value = static_cast<double>(tensor.data<typename decltype(tag)::type>()[at]);
    const std::string_view digits = text.substr(0, text.find_first_of("eE"));
    is_lost = value == 0 && digits.find_first_of("123456789") != std::string_view::npos;
  });
  return is_lost;
}

}  // namespace

Status FillWithFallback(const SampleField& field, Tensor& tensor, int64_t at, int64_t count) {
  if (!field.fallback) {
    if (tensor.dtype() == DType::kString) {
      std::fill_n(tensor.data<std::string>() + at, count, std::string());
    } else {
      const size_t size = DTypeSize(tensor.dtype());
      std::memset(static_cast<char*>(tensor.raw()) + static_cast<size_t>(at) * size, 0,
                  static_cast<size_t>(count) * size);
    }
    return Status();
  }
  if (count == 0) return Status();
  const Status parsed = ParseElement(*field.fallback, field.is_exact, tensor, at);
  if (!parsed.ok()) return InvalidArgument("the default of '", field.from, "': ", parsed.message());
  if (IsLost(*field.fallback, tensor, at)) {
    return InvalidArgument("the default of '", field.from, "': '", *field.fallback, "' would be 0 in ", tensor.dtype(),
                           ": write 0, or give the tensor another dtype");
  }
  if (tensor.dtype() == DType::kString) {
    std::fill_n(tensor.data<std::string>() + at + 1, count - 1, *field.fallback);
    return Status();
  }
  const size_t size = DTypeSize(tensor.dtype());
  char* const first = static_cast<char*>(tensor.raw()) + static_cast<size_t>(at) * size;
  for (int64_t i = 1; i < count; ++i) std::memcpy(first + static_cast<size_t>(i) * size, first, size);
  return Status();
}

void BatchBuilder::Room::Fill(std::string_view elements) const {
  if (tensor->dtype() == DType::kBool) {
    std::transform(elements.begin(), elements.end(), bytes(), [](char c) { return static_cast<char>(c != 0 ? 1 : 0); });
  } else {
    std::memcpy(bytes(), elements.data(), elements.size());
  }
}

Result<BatchBuilder> BatchBuilder::Create(std::span<const SampleField> fields, int64_t samples, Allocator& allocator) {
  BatchBuilder builder(fields, samples, allocator);
  for (const SampleField& field : fields) {
    Column& column = builder.columns_.emplace_back();
    column.is_fixed = field.shape.IsFullyDefined();
    if (!column.is_fixed) {
      column.values.resize(static_cast<size_t>(samples));
      continue;
    }
    DF_ASSIGN(column.sample, field.shape.ToShape());
    column.elements = column.sample.num_elements();
    std::vector<int64_t> dims = {samples};
    dims.insert(dims.end(), column.sample.dims().begin(), column.sample.dims().end());
    DF_ASSIGN(const Shape shape, Shape::Create(dims));
    DF_ASSIGN(column.batch, Tensor::Allocate(allocator, field.dtype, shape));
  }
  return builder;
}

Result<BatchBuilder::Room> BatchBuilder::Reserve(size_t field, int64_t sample, const Shape& shape) {
  Column& column = columns_[field];
  if (column.is_fixed) {
    if (shape == column.sample) return Row(field, sample);
  } else if (fields_[field].shape.IsCompatibleWith(shape)) {
    Tensor& value = column.values[static_cast<size_t>(sample)];
    DF_ASSIGN(value, Tensor::Allocate(*allocator_, fields_[field].dtype, shape));
    return Room{&value, 0};
  }
  return InvalidArgument("'", fields_[field].from, "' has shape ", shape, ", but ", fields_[field].shape,
                         " is declared");
}

Result<Tensor> BatchBuilder::Padded(size_t field) {
  const std::vector<Tensor>& values = columns_[field].values;
  std::vector<int64_t> dims = fields_[field].shape.dims();
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (dims[axis] >= 0) continue;
    for (const Tensor& value : values) dims[axis] = std::max(dims[axis], value.shape()[static_cast<int>(axis)]);
    dims[axis] = std::max<int64_t>(dims[axis], 0);
  }
  DF_ASSIGN(const Shape room, Shape::Create(dims));
  dims.insert(dims.begin(), samples_);
  DF_ASSIGN(const Shape shape, Shape::Create(dims));
  DF_ASSIGN(Tensor batch, Tensor::Allocate(*allocator_, fields_[field].dtype, shape));
  DF_TRY(FillWithFallback(fields_[field], batch, 0, batch.num_elements()));
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].num_elements() == 0) continue;
    CopySample(values[i], batch, static_cast<int64_t>(i) * room.num_elements(), room);
  }
  return batch;
}

Result<std::vector<Tensor>> BatchBuilder::Finish() {
  std::vector<Tensor> batch;
  for (size_t f = 0; f < columns_.size(); ++f) {
    if (columns_[f].is_fixed) {
      batch.push_back(std::move(columns_[f].batch));
    } else {
      DF_ASSIGN(Tensor padded, Padded(f));
      batch.push_back(std::move(padded));
    }
  }
  return batch;
}

}  // namespace dfrun
