#include "kernels/state/packed_tensors.h"

#include <utility>

namespace dfrun {
namespace {

Status DoNotFit() {
  return Error(Code::kDataLoss, "the shapes of the saved tensors are not those of their elements");
}

// Reads the rank and the sizes at the begin of `left`, and moves behind them.
Result<Shape> TakeShape(std::span<const int64_t>& left) {
  const int64_t rank = left[0];
  if (rank < 0 || rank >= static_cast<int64_t>(left.size())) return DoNotFit();
  const std::vector<int64_t> sizes(left.begin() + 1, left.begin() + 1 + rank);
  left = left.subspan(static_cast<size_t>(rank) + 1);
  Result<Shape> shape = Shape::Create(sizes);
  return shape.ok() ? std::move(shape) : DoNotFit();
}

}  // namespace

void AddPackedParts(const std::string& prefix, DType dtype, std::vector<StatePart>& parts) {
  const PartialShape vector({PartialShape::kUnknown});
  parts.push_back({prefix + "values", dtype, vector});
  parts.push_back({prefix + "shapes", DType::kInt64, vector});
}

Status PackTensors(std::span<const Tensor* const> tensors, DType dtype, Allocator& allocator,
                   std::vector<Tensor>& parts) {
  int64_t elements = 0;
  std::vector<int64_t> sizes;
  for (const Tensor* tensor : tensors) {
    elements += tensor->num_elements();
    sizes.push_back(tensor->shape().rank());
    sizes.insert(sizes.end(), tensor->shape().dims().begin(), tensor->shape().dims().end());
  }
  DF_ASSIGN(Tensor values, Tensor::Allocate(allocator, dtype, Shape({elements})));
  int64_t at = 0;
  for (const Tensor* tensor : tensors) {
    const int64_t end = at + tensor->num_elements();
    Tensor place = values.SliceRows(at, end);
    CopyElements(*tensor, place);
    at = end;
  }
  parts.push_back(std::move(values));
  parts.push_back(Tensor::Vector<int64_t>(sizes));
  return Status();
}

Result<std::vector<Tensor>> UnpackTensors(const Tensor& values, const Tensor& shapes, Allocator& allocator) {
  std::vector<Tensor> tensors;
  int64_t at = 0;
  for (std::span<const int64_t> left = shapes.values<int64_t>(); !left.empty();) {
    DF_ASSIGN(const Shape shape, TakeShape(left));
    if (shape.num_elements() > values.num_elements() - at) return DoNotFit();
    const Tensor elements = values.SliceRows(at, at + shape.num_elements()).Reshaped(shape);
    at += shape.num_elements();
    DF_ASSIGN(Tensor tensor, elements.Copy(allocator));
    tensors.push_back(std::move(tensor));
  }
  return at == values.num_elements() ? Result<std::vector<Tensor>>(std::move(tensors)) : DoNotFit();
}

}  // namespace dfrun
