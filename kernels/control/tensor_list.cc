#include "kernels/control/tensor_list.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace dfrun {
namespace {

void SetZero(Tensor& tensor) {
  const bool is_object = VisitObjectDType(tensor.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::fill_n(tensor.data<T>(), tensor.num_elements(), T());
  });
  if (!is_object && tensor.num_elements() > 0) std::memset(tensor.raw(), 0, tensor.num_bytes());
}

}  // namespace

std::string TensorList::DebugString() const {
  return StrCat("a TensorList of ", size(), " ", dtype, element_shape);
}

Status TensorList::CheckDType(DType asked) const {
  if (dtype == asked) return Status();
  return InvalidArgument("the op is for elements of ", asked, ", but the list's are ", dtype);
}

Status TensorList::CheckFits(const Shape& shape, int64_t index) const {
  if (element_shape.IsCompatibleWith(shape)) return Status();
  return InvalidArgument("a tensor of shape ", shape, " cannot be element ", index, " of a list of ", element_shape);
}

Status TensorList::CheckIndex(int64_t index) const {
  if (index >= 0 && index < size()) return Status();
  return InvalidArgument("there is no element ", index, " in a list of ", size(), " elements");
}

Status TensorList::Resize(int64_t size) {
  if (size < 0 || size > kMaxSize) {
    return InvalidArgument("a list cannot have ", size, " elements: that is not in [0, ", kMaxSize, "]");
  }
  elements.resize(static_cast<size_t>(size));
  return Status();
}

Result<const TensorList*> ListInput(OpContext& ctx, int i, DType dtype) {
  const Tensor& handle = ctx.input(i);
  if (handle.shape().rank() != 0) return InvalidArgument("a list is a scalar, but input ", i, " has ", handle.shape());
  DF_ASSIGN(const TensorList* const list, handle.scalar<Variant>().As<TensorList>("TensorList"));
  if (dtype != DType::kInvalid) DF_TRY(list->CheckDType(dtype));
  return list;
}

Result<TensorList*> ChangeList(OpContext& ctx) {
  Tensor* output = nullptr;
  DF_TRY(ctx.ForwardOrAllocate(0, 0, Shape(), &output));
  auto& list = *output->data<Variant>();
  if (!output->SharesBufferWith(ctx.input(0))) list = ctx.input(0).scalar<Variant>();
  return list.AsOwned<TensorList>("TensorList");
}

Result<TensorList*> GiveList(OpContext& ctx, int i, DType dtype, PartialShape element_shape) {
  auto list = std::make_shared<TensorList>();
  list->dtype = dtype;
  list->element_shape = std::move(element_shape);
  TensorList* const made = list.get();
  Tensor* output = nullptr;
  DF_TRY(ctx.AllocateOutput(i, Shape(), &output));
  *output->data<Variant>() = Variant(std::move(list));
  return made;
}

Status GiveTensor(OpContext& ctx, int i, const PartialShape& promised, Tensor value) {
  if (!promised.IsCompatibleWith(value.shape())) {
    return InvalidArgument("the list gives a tensor of shape ", value.shape(), ", but the graph's ops lead to ",
                           promised);
  }
  ctx.SetOutput(i, std::move(value));
  return Status();
}

Result<PartialShape> ElementShapeInput(const OpContext& ctx, int i) {
  const Tensor& sizes = ctx.input(i);
  if (sizes.shape().rank() > 1) {
    return InvalidArgument("an element shape is a vector of sizes or the scalar -1, but input ", i, " has shape ",
                           sizes.shape());
  }
  std::vector<int64_t> dims;
  VisitDType<int32_t, int64_t>(sizes.dtype(), [&](auto tag) {
    const auto values = sizes.values<typename decltype(tag)::type>();
    dims.assign(values.begin(), values.end());
  });
  if (sizes.shape().rank() == 0) {
    if (dims[0] == -1) return PartialShape();
    return InvalidArgument("the scalar ", dims[0], " is no shape; only -1 is, the unknown one");
  }
  if (std::any_of(dims.begin(), dims.end(), [](int64_t size) { return size < -1; }) || dims.size() > Shape::kMaxRank) {
    return InvalidArgument("there is no element shape ", sizes.ToString());
  }
  return PartialShape(std::move(dims));
}

Result<int64_t> ScalarInput(const OpContext& ctx, int i, std::string_view what) {
  if (ctx.input(i).shape().rank() == 0) return int64_t{ctx.input(i).scalar<int32_t>()};
  return InvalidArgument(what, " must be a scalar, but has shape ", ctx.input(i).shape());
}

Result<PartialShape> CommonElementShape(const TensorList& list, const PartialShape& asked) {
  DF_ASSIGN(PartialShape common, asked.Merge(list.element_shape));
  if (list.element_shape.IsFullyDefined()) return common;
  for (const Tensor& element : list.elements) {
    if (!element.initialized()) continue;
    DF_ASSIGN(common, common.Merge(element.shape()));
  }
  return common;
}

Result<Tensor> ZeroElement(OpContext& ctx, DType dtype, const Shape& shape) {
  DF_ASSIGN(Tensor zeros, ctx.AllocateTemp(dtype, shape));
  SetZero(zeros);
  return zeros;
}

void CopyElement(const Tensor& element, Tensor& rows) {
  if (element.initialized()) {
    CopyElements(element, rows);
  } else {
    SetZero(rows);
  }
}

Result<Tensor> CopyRows(OpContext& ctx, const Tensor& tensor, int64_t begin, int64_t end, const Shape& shape) {
  DF_ASSIGN(Tensor copy, ctx.AllocateTemp(tensor.dtype(), shape));
  CopyElements(tensor.SliceRows(begin, end), copy);
  return copy;
}

Shape RowShape(const Shape& shape) {
  return Shape(shape.dims().subspan(1));
}

}  // namespace dfrun
