#include "kernels/queues/element_batch.h"

#include <algorithm>

#include "kernels/array/copy/strided_copy.h"
#include "kernels/control/tensor_list.h"

namespace dfrun {
namespace {

// The shape of one element in a batch of component c.
Shape CommonShape(const QueueType& type, size_t c, const std::vector<QueueElement>& elements) {
  std::vector<int64_t> sizes;
  if (elements.empty()) {
    for (int64_t dim : type.shapes[c].dims()) sizes.push_back(std::max<int64_t>(dim, 0));
  }
  for (const QueueElement& element : elements) {
    const Shape& shape = element[c].shape();
    sizes.resize(static_cast<size_t>(shape.rank()));
    for (size_t d = 0; d < sizes.size(); ++d) sizes[d] = std::max(sizes[d], shape.dim(static_cast<int>(d)));
  }
  return Shape(sizes);
}

void CopyElementInto(OpContext& ctx, const Tensor& element, const Shape& common, int64_t first, Tensor& batch) {
  const std::vector<int64_t> from = RowMajorStrides(element.shape());
  const std::vector<int64_t> to = RowMajorStrides(common);
  std::vector<CopyDim> dims;
  for (size_t d = 0; d < from.size(); ++d) dims.push_back({element.shape().dim(static_cast<int>(d)), from[d], to[d]});
  StridedCopy(ctx.pool(), batch.dtype(), element.raw(), ElementAt(batch.raw(), batch.dtype(), first), std::move(dims));
}

Status GiveComponent(OpContext& ctx, const QueueType& type, size_t c, const std::vector<QueueElement>& elements) {
  const Shape common = CommonShape(type, c, elements);
  std::vector<int64_t> sizes(common.dims().begin(), common.dims().end());
  sizes.insert(sizes.begin(), static_cast<int64_t>(elements.size()));
  DF_ASSIGN(const Shape shape, Shape::Create(sizes));
  DF_ASSIGN(Tensor batch, type.pads ? ZeroElement(ctx, type.dtypes[c], shape)
                                    : Tensor::Allocate(ctx.allocator(), type.dtypes[c], shape));
  int64_t first = 0;
  for (const QueueElement& element : elements) {
    CopyElementInto(ctx, element[c], common, first, batch);
    first += common.num_elements();
  }
  ctx.SetOutput(static_cast<int>(c), std::move(batch));
  return Status();
}

}  // namespace

Result<QueueElement> ElementOfInputs(OpContext& ctx, int first) {
  QueueElement element;
  for (int i = first; i < ctx.num_inputs(); ++i) {
    DF_ASSIGN(Tensor component, ctx.input(i).Owned(ctx.allocator()));
    element.push_back(std::move(component));
  }
  return element;
}

Result<std::vector<QueueElement>> ElementsOfInputs(OpContext& ctx, int first) {
  int64_t rows = 0;
  for (int i = first; i < ctx.num_inputs(); ++i) {
    const Shape& shape = ctx.input(i).shape();
    if (shape.rank() == 0) {
      return InvalidArgument("component ", i - first, " is a scalar; many elements are rows of tensors");
    }
    if (i == first) rows = shape.dim(0);
    if (shape.dim(0) == rows) continue;
    return InvalidArgument("component ", i - first, " has ", shape.dim(0), " elements, but component 0 has ", rows);
  }
  std::vector<QueueElement> elements(static_cast<size_t>(rows));
  for (int64_t row = 0; row < rows; ++row) {
    for (int i = first; i < ctx.num_inputs(); ++i) {
      DF_ASSIGN(Tensor component, CopyRows(ctx, ctx.input(i), row, row + 1, RowShape(ctx.input(i).shape())));
      elements[static_cast<size_t>(row)].push_back(std::move(component));
    }
  }
  return elements;
}

Status GiveBatch(OpContext& ctx, const QueueType& type, const std::vector<QueueElement>& elements) {
  for (size_t c = 0; c < type.dtypes.size(); ++c) DF_TRY(GiveComponent(ctx, type, c, elements));
  return Status();
}

}  // namespace dfrun
