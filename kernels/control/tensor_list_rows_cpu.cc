// Ops between a TensorList and a tensor whose rows are the elements.
#include <algorithm>
#include <utility>

#include "kernels/control/tensor_list.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

Status CheckRows(const Tensor& tensor) {
  if (tensor.shape().rank() > 0) return Status();
  return InvalidArgument("the tensor must be at least a vector: its rows are the list's elements");
}

Status CheckRowShape(const PartialShape& element_shape, const Tensor& tensor) {
  if (element_shape.IsCompatibleWith(RowShape(tensor.shape()))) return Status();
  return InvalidArgument("a tensor of shape ", tensor.shape(), " has no rows of the element shape ", element_shape);
}

// Rows of zeros or of elements, for `shape` as an element's.
Result<Tensor> AllocateRows(OpContext& ctx, DType dtype, int64_t rows, const PartialShape& shape) {
  if (!shape.IsFullyDefined()) {
    return InvalidArgument(
        "the shape of the elements is not known: the list's, the elements that have a value and "
        "element_shape together say ",
        shape);
  }
  std::vector<int64_t> dims = shape.dims();
  dims.insert(dims.begin(), rows);
  DF_ASSIGN(const Shape all, Shape::Create(dims));
  return ctx.AllocateTemp(dtype, all);
}

class FromTensorKernel final : public Kernel {
 public:
  explicit FromTensorKernel(KernelSetup& setup) : dtype_(setup.attr<DType>("element_dtype")) {}
  Status Compute(OpContext& ctx) {
    const Tensor& tensor = ctx.input(0);
    DF_TRY(CheckRows(tensor));
    DF_ASSIGN(PartialShape element_shape, ElementShapeInput(ctx, 1));
    DF_TRY(CheckRowShape(element_shape, tensor));
    DF_ASSIGN(TensorList* const list, GiveList(ctx, 0, dtype_, std::move(element_shape)));
    DF_TRY(list->Resize(tensor.shape().dim(0)));
    const Shape row_shape = RowShape(tensor.shape());
    for (int64_t i = 0; i < list->size(); ++i) {
      DF_ASSIGN(list->elements[static_cast<size_t>(i)], CopyRows(ctx, tensor, i, i + 1, row_shape));
    }
    return Status();
  }

 private:
  const DType dtype_;
};

class StackKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit StackKernel(KernelSetup& setup)
      : dtype_(setup.attr<DType>("element_dtype")),
        size_(setup.attr<int64_t>("num_elements")),
        promised_(setup.output_shape(0)) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const TensorList* const list, ListInput(ctx, 0, dtype_));
    if (size_ != -1 && list->size() != size_) {
      return InvalidArgument("a list of ", size_, " elements is expected, but it has ", list->size());
    }
    DF_ASSIGN(PartialShape shape, ElementShapeInput(ctx, 1));
    DF_ASSIGN(shape, CommonElementShape(*list, shape));
    DF_ASSIGN(Tensor all, AllocateRows(ctx, dtype_, list->size(), shape));
    for (int64_t i = 0; i < list->size(); ++i) {
      Tensor row = all.SliceRows(i, i + 1);
      CopyElement(list->elements[static_cast<size_t>(i)], row);
    }
    return GiveTensor(ctx, 0, promised_, std::move(all));
  }

 private:
  const DType dtype_;
  const int64_t size_;
  const PartialShape promised_;
};

class GatherKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit GatherKernel(KernelSetup& setup)
      : dtype_(setup.attr<DType>("element_dtype")), promised_(setup.output_shape(0)) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const TensorList* const list, ListInput(ctx, 0, dtype_));
    const std::span<const int32_t> indices = ctx.input(1).values<int32_t>();
    DF_ASSIGN(PartialShape shape, ElementShapeInput(ctx, 2));
    DF_ASSIGN(shape, shape.Merge(list->element_shape));
    for (const int32_t index : indices) {
      DF_TRY(list->CheckIndex(index));
      const Tensor& element = list->elements[static_cast<size_t>(index)];
      if (!element.initialized()) continue;
      DF_ASSIGN(shape, shape.Merge(element.shape()));
    }
    DF_ASSIGN(Tensor all, AllocateRows(ctx, dtype_, static_cast<int64_t>(indices.size()), shape));
    for (size_t i = 0; i < indices.size(); ++i) {
      Tensor row = all.SliceRows(static_cast<int64_t>(i), static_cast<int64_t>(i) + 1);
      CopyElement(list->elements[static_cast<size_t>(indices[i])], row);
    }
    return GiveTensor(ctx, 0, promised_, std::move(all));
  }

 private:
  const DType dtype_;
  const PartialShape promised_;
};

// The number of elements that a list needs to have all the indices: a vector of int32 with one for each row of the
// tensor.
Result<int64_t> SizeForIndices(const Tensor& indices, const Tensor& tensor) {
  if (indices.shape().rank() != 1 || indices.num_elements() != tensor.shape().dim(0)) {
    return InvalidArgument("indices of shape ", indices.shape(), " are not one for each row of a tensor of shape ",
                           tensor.shape());
  }
  int64_t size = 0;
  for (const int32_t index : indices.values<int32_t>()) {
    if (index < 0) return InvalidArgument("index ", index, " is negative");
    size = std::max<int64_t>(size, int64_t{index} + 1);
  }
  return size;
}

Status ScatterRows(OpContext& ctx, const Tensor& tensor, const Tensor& indices, TensorList& list) {
  const Shape row_shape = RowShape(tensor.shape());
  for (int64_t i = 0; i < indices.num_elements(); ++i) {
    const auto at = static_cast<size_t>(indices.data<int32_t>()[i]);
    DF_ASSIGN(list.elements[at], CopyRows(ctx, tensor, i, i + 1, row_shape));
  }
  return Status();
}

// TensorListScatter, and TensorListScatterV2, which has a fourth input, num_elements.
class ScatterKernel final : public Kernel {
 public:
  explicit ScatterKernel(KernelSetup& setup) : dtype_(setup.attr<DType>("element_dtype")) {}
  Status Compute(OpContext& ctx) {
    const Tensor& tensor = ctx.input(0);
    DF_TRY(CheckRows(tensor));
    DF_ASSIGN(PartialShape element_shape, ElementShapeInput(ctx, 2));
    DF_TRY(CheckRowShape(element_shape, tensor));
    DF_ASSIGN(const int64_t needed, SizeForIndices(ctx.input(1), tensor));
    int64_t size = -1;
    if (ctx.num_inputs() > 3) {
      DF_ASSIGN(size, ScalarInput(ctx, 3, "num_elements"));
    }
    if (size != -1 && size < needed) {
      return InvalidArgument("index ", needed - 1, " is beyond the ", size, " elements of num_elements");
    }
    DF_ASSIGN(TensorList* const list, GiveList(ctx, 0, dtype_, std::move(element_shape)));
    DF_TRY(list->Resize(size == -1 ? needed : size));
    return ScatterRows(ctx, tensor, ctx.input(1), *list);
  }

 private:
  const DType dtype_;
};

class ScatterIntoListKernel final : public Kernel {
 public:
  explicit ScatterIntoListKernel(KernelSetup& setup) : dtype_(setup.attr<DType>("element_dtype")) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const TensorList* const old, ListInput(ctx, 0, dtype_));
    const Tensor& tensor = ctx.input(1);
    DF_TRY(CheckRows(tensor));
    DF_TRY(CheckRowShape(old->element_shape, tensor));
    DF_ASSIGN(const int64_t needed, SizeForIndices(ctx.input(2), tensor));
    DF_ASSIGN(TensorList* const list, ChangeList(ctx));
    if (needed > list->size()) DF_TRY(list->Resize(needed));
    return ScatterRows(ctx, tensor, ctx.input(2), *list);
  }

 private:
  const DType dtype_;
};

// Pushes part i of a tensor to list i of a tensor of lists.
class PushBackBatchKernel final : public Kernel {
 public:
  explicit PushBackBatchKernel(KernelSetup& setup) : dtype_(setup.attr<DType>("element_dtype")) {}
  Status Compute(OpContext& ctx) {
    const Tensor& lists = ctx.input(0);
    const Tensor& tensor = ctx.input(1);
    const int rank = lists.shape().rank();
    const bool begins_alike =
        tensor.shape().rank() >= rank && Shape(tensor.shape().dims().first(rank)) == lists.shape();
    if (!begins_alike) {
      return InvalidArgument("a tensor of shape ", tensor.shape(), " has no part for each list of ", lists.shape());
    }
    const Shape part_shape(tensor.shape().dims().subspan(rank));
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, lists.shape(), &output));
    std::vector<int64_t> dims = {lists.num_elements()};
    dims.insert(dims.end(), part_shape.dims().begin(), part_shape.dims().end());
    const Tensor parts = tensor.Reshaped(Shape(dims));
    for (int64_t i = 0; i < lists.num_elements(); ++i) {
      DF_ASSIGN(const TensorList* const old, lists.data<Variant>()[i].As<TensorList>("TensorList"));
      DF_TRY(old->CheckDType(dtype_));
      DF_TRY(old->CheckFits(part_shape, old->size()));
      DF_ASSIGN(Tensor part, CopyRows(ctx, parts, i, i + 1, part_shape));
      auto list = std::make_shared<TensorList>(*old);
      list->elements.push_back(std::move(part));
      output->data<Variant>()[i] = Variant(std::move(list));
    }
    return Status();
  }

 private:
  const DType dtype_;
};

CPU_KERNEL_ANY("TensorListFromTensor", FromTensorKernel);
CPU_KERNEL_ANY("TensorListStack", StackKernel);
CPU_KERNEL_ANY("TensorListGather", GatherKernel);
CPU_KERNEL_ANY("TensorListScatter", ScatterKernel);
CPU_KERNEL_ANY("TensorListScatterV2", ScatterKernel);
CPU_KERNEL_ANY("TensorListScatterIntoExistingList", ScatterIntoListKernel);
CPU_KERNEL_ANY("TensorListPushBackBatch", PushBackBatchKernel);

}  // namespace
}  // namespace dfrun
