// Ops on one element of a TensorList, and on its length.
#include <utility>

#include "kernels/control/kept_values.h"
#include "kernels/control/tensor_list.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

class EmptyKernel final : public Kernel {
 public:
  explicit EmptyKernel(KernelSetup& setup) : dtype_(setup.attr<DType>("element_dtype")) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const int64_t max_elements, ScalarInput(ctx, 1, "max_num_elements"));
    DF_ASSIGN(PartialShape element_shape, ElementShapeInput(ctx, 0));
    DF_ASSIGN(TensorList* const list, GiveList(ctx, 0, dtype_, std::move(element_shape)));
    list->max_elements = max_elements;
    return Status();
  }

 private:
  const DType dtype_;
};

class ReserveKernel final : public Kernel {
 public:
  explicit ReserveKernel(KernelSetup& setup) : dtype_(setup.attr<DType>("element_dtype")) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(PartialShape element_shape, ElementShapeInput(ctx, 0));
    DF_ASSIGN(const int64_t size, ScalarInput(ctx, 1, "num_elements"));
    DF_ASSIGN(TensorList* const list, GiveList(ctx, 0, dtype_, std::move(element_shape)));
    return list->Resize(size);
  }

 private:
  const DType dtype_;
};

class SetItemKernel final : public Kernel {
 public:
  explicit SetItemKernel(KernelSetup& setup)
      : dtype_(setup.attr<DType>("element_dtype")), resizes_(setup.attr<bool>("resize_if_index_out_of_bounds")) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const TensorList* const old, ListInput(ctx, 0, dtype_));
    DF_ASSIGN(const int64_t index, ScalarInput(ctx, 1, "index"));
    if (!resizes_ || index < 0) DF_TRY(old->CheckIndex(index));
    DF_TRY(old->CheckFits(ctx.input(2).shape(), index));
    DF_ASSIGN(Tensor item, ctx.input(2).Owned(ctx.allocator()));
    DF_ASSIGN(TensorList* const list, ChangeList(ctx));
    if (index >= list->size()) DF_TRY(list->Resize(index + 1));
    list->elements[static_cast<size_t>(index)] = std::move(item);
    return Status();
  }

 private:
  const DType dtype_;
  const bool resizes_;
};

// The element of a list; zeros where it has no value. Input `shape_input` gives the shape.
Result<Tensor> ReadElement(OpContext& ctx, const TensorList& list, int64_t index, int shape_input) {
  const Tensor& element = list.elements[static_cast<size_t>(index)];
  if (element.initialized()) return element;
  DF_ASSIGN(PartialShape shape, ElementShapeInput(ctx, shape_input));
  DF_ASSIGN(shape, CommonElementShape(list, shape));
  if (!shape.IsFullyDefined()) {
    return InvalidArgument("element ", index, " has no value, and the shape of its zeros is not known: ", shape);
  }
  DF_ASSIGN(const Shape zero_shape, shape.ToShape());
  return ZeroElement(ctx, list.dtype, zero_shape);
}

class GetItemKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit GetItemKernel(KernelSetup& setup)
      : dtype_(setup.attr<DType>("element_dtype")), promised_(setup.output_shape(0)) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const TensorList* const list, ListInput(ctx, 0, dtype_));
    DF_ASSIGN(const int64_t index, ScalarInput(ctx, 1, "index"));
    DF_TRY(list->CheckIndex(index));
    DF_ASSIGN(Tensor item, ReadElement(ctx, *list, index, 2));
    return GiveTensor(ctx, 0, promised_, std::move(item));
  }

 private:
  const DType dtype_;
  const PartialShape promised_;
};

class PushBackKernel final : public Kernel {
 public:
  explicit PushBackKernel(KernelSetup& setup) : dtype_(setup.attr<DType>("element_dtype")) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const TensorList* const old, ListInput(ctx, 0, dtype_));
    const int64_t index = old->size();
    DF_TRY(old->CheckFits(ctx.input(1).shape(), index));
    if (old->max_elements >= 0 && index >= old->max_elements) {
      return InvalidArgument("the list is full: it has ", index, " elements and may have ", old->max_elements);
    }
    DF_ASSIGN(Tensor item, ctx.input(1).Owned(ctx.allocator()));
    DF_TRY(memory_.Add(static_cast<int64_t>(item.num_bytes()), "a list grows"));
    DF_ASSIGN(TensorList* const list, ChangeList(ctx));
    if (index >= TensorList::kMaxSize) return list->Resize(index + 1);
    list->elements.push_back(std::move(item));
    return Status();
  }

 private:
  const DType dtype_;
  MemoryWatch memory_;
};

class PopBackKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit PopBackKernel(KernelSetup& setup)
      : dtype_(setup.attr<DType>("element_dtype")), promised_(setup.output_shape(1)) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const TensorList* const old, ListInput(ctx, 0, dtype_));
    if (old->elements.empty()) return InvalidArgument("an empty list has no element that could be taken off");
    DF_ASSIGN(Tensor item, ReadElement(ctx, *old, old->size() - 1, 1));
    DF_TRY(GiveTensor(ctx, 1, promised_, std::move(item)));
    DF_ASSIGN(TensorList* const list, ChangeList(ctx));
    list->elements.pop_back();
    return Status();
  }

 private:
  const DType dtype_;
  const PartialShape promised_;
};

template <class T>
void PutShape(const PartialShape& shape, Tensor& sizes) {
  if (!shape.known_rank()) {
    *sizes.data<T>() = -1;
    return;
  }
  for (int i = 0; i < shape.rank(); ++i) sizes.data<T>()[i] = static_cast<T>(shape.dim(i));
}

class ElementShapeKernel final : public Kernel {
 public:
  explicit ElementShapeKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const TensorList* const list, ListInput(ctx, 0));
    const PartialShape& shape = list->element_shape;
    Tensor* sizes = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape.known_rank() ? Shape({shape.rank()}) : Shape(), &sizes));
    if (sizes->dtype() == DType::kInt32) {
      PutShape<int32_t>(shape, *sizes);
    } else {
      PutShape<int64_t>(shape, *sizes);
    }
    return Status();
  }
};

class LengthKernel final : public Kernel {
 public:
  explicit LengthKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const TensorList* const list, ListInput(ctx, 0));
    Tensor* length = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &length));
    *length->data<int32_t>() = static_cast<int32_t>(list->size());
    return Status();
  }
};

class ResizeKernel final : public Kernel {
 public:
  explicit ResizeKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_TRY(ListInput(ctx, 0).status());
    DF_ASSIGN(const int64_t size, ScalarInput(ctx, 1, "size"));
    DF_ASSIGN(TensorList* const list, ChangeList(ctx));
    return list->Resize(size);
  }
};

CPU_KERNEL_ANY("EmptyTensorList", EmptyKernel);
CPU_KERNEL_ANY("TensorListReserve", ReserveKernel);
CPU_KERNEL_ANY("TensorListSetItem", SetItemKernel);
CPU_KERNEL_ANY("TensorListGetItem", GetItemKernel);
CPU_KERNEL_ANY("TensorListPushBack", PushBackKernel);
CPU_KERNEL_ANY("TensorListPopBack", PopBackKernel);
CPU_KERNEL_ANY("TensorListElementShape", ElementShapeKernel);
CPU_KERNEL_ANY("TensorListLength", LengthKernel);
CPU_KERNEL_ANY("TensorListResize", ResizeKernel);

}  // namespace
}  // namespace dfrun
