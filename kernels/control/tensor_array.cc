#include "kernels/control/tensor_array.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <utility>

#include "kernels/array/index/add_element.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// out = a + b, element by element, integers wrapping around; false for dtypes that do not add.
bool Sum(const Tensor& a, const Tensor& b, Tensor& out) {
  return VisitDType<DF_NUMBERS>(a.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = a.data<T>();
    const T* y = b.data<T>();
    T* z = out.data<T>();
    const int64_t n = out.num_elements();
    for (int64_t i = 0; i < n; ++i) z[i] = AddElement(x[i], y[i]);
  });
}

}  // namespace

Status TensorArray::CheckOpen() const {
  return is_closed_ ? InvalidArgument("the TensorArray has been closed") : Status();
}

Status TensorArray::CheckIndex(int64_t index) const {
  if (index >= 0 && index < static_cast<int64_t>(elements_.size())) return Status();
  return InvalidArgument("index ", index, " is not in the TensorArray, which has ", elements_.size(), " elements");
}

Result<int64_t> TensorArray::Size() {
  MutexLock lock(mu_);
  DF_TRY(CheckOpen());
  return static_cast<int64_t>(elements_.size());
}

Result<int64_t> TensorArray::ConcatSize() {
  MutexLock lock(mu_);
  DF_TRY(CheckOpen());
  const auto size = static_cast<int64_t>(elements_.size());
  return options_.adds_up && split_size_ >= 0 ? std::min(split_size_, size) : size;
}

void TensorArray::MarkSplit(int64_t size) {
  MutexLock lock(mu_);
  if (!options_.adds_up) split_size_ = size;
}

Status TensorArray::Write(OpContext& ctx, int64_t index, Tensor value) {
  MutexLock lock(mu_);
  DF_TRY(CheckOpen());
  if (value.dtype() != options_.dtype) {
    return InvalidArgument("a TensorArray of ", options_.dtype, " cannot take a value of ", value.dtype());
  }
  if (options_.dynamic_size && index >= static_cast<int64_t>(elements_.size())) {
    if (index >= kMaxSize) return InvalidArgument("index ", index, " is beyond the ", kMaxSize, " of any TensorArray");
    elements_.resize(static_cast<size_t>(index) + 1);
  }
  DF_TRY(CheckIndex(index));
  if (!options_.element_shape.IsCompatibleWith(value.shape())) {
    return InvalidArgument("the TensorArray's elements have shape ", options_.element_shape, ", but the one for index ",
                           index, " has ", value.shape());
  }
  if (options_.identical_shapes) options_.element_shape = value.shape();
  Element& element = elements_[static_cast<size_t>(index)];
  if (element.was_read) return InvalidArgument("index ", index, " was read; it cannot be written again");
  if (element.was_written) {
    if (!options_.adds_up) return InvalidArgument("index ", index, " has been written already");
    return AddTo(ctx, element, value);
  }
  element.shape = value.shape();
  element.value = std::move(value);
  element.was_written = true;
  return Status();
}

Status TensorArray::AddTo(OpContext& ctx, Element& element, const Tensor& value) {
  if (!(element.shape == value.shape())) {
    return InvalidArgument("gradients of shapes ", element.shape, " and ", value.shape(), " cannot be added");
  }
  DF_ASSIGN(Tensor sum, ctx.AllocateTemp(value.dtype(), value.shape()));
  if (!Sum(element.value, value, sum)) return Unimplemented("a sum of gradients of ", value.dtype());
  element.value = std::move(sum);
  return Status();
}

Result<Tensor> TensorArray::Read(OpContext& ctx, int64_t index, DType dtype) {
  MutexLock lock(mu_);
  DF_TRY(CheckOpen());
  if (dtype != options_.dtype) {
    return InvalidArgument("a TensorArray of ", options_.dtype, " cannot be read as ", dtype);
  }
  DF_TRY(CheckIndex(index));
  Element& element = elements_[static_cast<size_t>(index)];
  if (element.was_read && options_.clear_after_read) {
    return InvalidArgument("index ", index, " was read before; clear_after_read=false would keep it");
  }
  if (!element.was_written) {
    if (!options_.adds_up && !options_.element_shape.IsFullyDefined()) {
      return InvalidArgument("index ", index,
                             " is read, but was never written, and the shape of its zeros is not known (",
                             options_.element_shape, ")");
    }
    DF_ASSIGN(element.value, Zeros(ctx, index));
  }
  element.was_read = true;
  if (!options_.clear_after_read) return element.value;
  return std::move(element.value);
}

Result<Tensor> TensorArray::Zeros(OpContext& ctx, int64_t index) {
  const Element& element = elements_[static_cast<size_t>(index)];
  Shape shape = element.shape;
  if (options_.element_shape.IsFullyDefined()) {
    DF_ASSIGN(shape, options_.element_shape.ToShape());
  } else if (options_.element_shape.known_rank() && options_.element_shape.rank() != shape.rank()) {
    return InvalidArgument("index ", index, " has no gradient, and the shape of its zeros is not known (",
                           options_.element_shape, ")");
  }
  DF_ASSIGN(Tensor zeros, ctx.AllocateTemp(options_.dtype, shape));
  if (!IsPlain(options_.dtype)) return Unimplemented("zeros of ", options_.dtype);
  std::memset(zeros.raw(), 0, zeros.num_bytes());
  return zeros;
}

Result<PartialShape> TensorArray::MergeElementShape(const PartialShape& shape) {
  MutexLock lock(mu_);
  return options_.element_shape.Merge(shape);
}

void TensorArray::Close() {
  MutexLock lock(mu_);
  elements_.clear();
  is_closed_ = true;
}

Result<RefPtr<TensorArray>> TensorArray::Gradient(const std::string& source,
                                                  const std::vector<int64_t>& shape_to_prepend) {
  MutexLock lock(mu_);
  DF_TRY(CheckOpen());
  RefPtr<TensorArray>& gradient = gradients_[source];
  if (gradient) return gradient;
  TensorArrayOptions options = {.dtype = options_.dtype,
                                .dynamic_size = false,
                                .clear_after_read = true,
                                .identical_shapes = options_.identical_shapes,
                                .adds_up = true};
  if (options_.element_shape.known_rank()) {
    std::vector<int64_t> dims = shape_to_prepend;
    dims.insert(dims.end(), options_.element_shape.dims().begin(), options_.element_shape.dims().end());
    options.element_shape = PartialShape(std::move(dims));
  }
  gradient = RefPtr<TensorArray>(new TensorArray(options, static_cast<int64_t>(elements_.size())));
  MutexLock inner(gradient->mu_);
  gradient->split_size_ = split_size_;
  for (size_t i = 0; i < elements_.size(); ++i) {
    std::vector<int64_t> dims = shape_to_prepend;
    dims.insert(dims.end(), elements_[i].shape.dims().begin(), elements_[i].shape.dims().end());
    DF_ASSIGN(gradient->elements_[i].shape, Shape::Create(dims));
  }
  return gradient;
}

}  // namespace dfrun
