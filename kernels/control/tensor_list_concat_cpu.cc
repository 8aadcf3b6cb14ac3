// Ops that put elements of different lengths behind each other, and take them apart.
#include <algorithm>
#include <utility>

#include "kernels/control/tensor_list.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

// A shape whose first size may differ between elements, in two parts.
struct PartShape {
  int64_t first = PartialShape::kUnknown;
  PartialShape rest;
};

Result<PartShape> SplitShape(const PartialShape& shape) {
  if (!shape.known_rank()) return PartShape();
  if (shape.rank() == 0) return InvalidArgument("only elements that are at least vectors can be concatenated");
  return PartShape{shape.dim(0), PartialShape(std::vector<int64_t>(shape.dims().begin() + 1, shape.dims().end()))};
}

// Merges the shapes of the elements that have a value: all but the first size, and the first size too if it is the same
// for all of them.
Status MergeElements(const TensorList& list, PartShape& shape) {
  const bool first_is_given = shape.first != PartialShape::kUnknown;
  bool is_any = false;
  for (int64_t i = 0; i < list.size(); ++i) {
    const Tensor& element = list.elements[static_cast<size_t>(i)];
    if (!element.initialized()) continue;
    if (element.shape().rank() == 0)
      return InvalidArgument("element ", i, " is a scalar; it must be at least a vector");
    DF_ASSIGN(shape.rest, shape.rest.Merge(RowShape(element.shape())));
    const int64_t length = element.shape().dim(0);
    if (first_is_given) {
      if (length == shape.first) continue;
      return InvalidArgument("element ", i, " has shape ", element.shape(), ", but its first size should be ",
                             shape.first);
    }
    shape.first = !is_any || shape.first == length ? length : PartialShape::kUnknown;
    is_any = true;
  }
  return Status();
}

// The length of an element along its first dimension. `given`: one for each element that has no value, -1 where it is
// the same as that of the others; there may be fewer. `common`: the length of the others, if it is one.
Result<int64_t> LengthOf(const TensorList& list, int64_t i, std::span<const int64_t> given, int64_t common) {
  const auto at = static_cast<size_t>(i);
  if (list.elements[at].initialized()) return list.elements[at].shape().dim(0);
  const int64_t length = at < given.size() && given[at] != -1 ? given[at] : common;
  if (length >= 0) return length;
  return InvalidArgument("element ", i,
                         " has no value, and neither leading_dims nor element_shape says how long it is");
}

// TensorListConcatV2 has the shape and the lengths of elements without a value as inputs 1 and 2.
class ConcatKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit ConcatKernel(KernelSetup& setup)
      : dtype_(setup.attr<DType>("element_dtype")), promised_(setup.output_shape(0)) {
    if (setup.node().inputs.size() == 1) shape_ = setup.attr<PartialShape>("element_shape");
  }
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const TensorList* const list, ListInput(ctx, 0, dtype_));
    PartialShape asked = shape_;
    std::span<const int64_t> given;
    if (ctx.num_inputs() > 1) {
      DF_ASSIGN(asked, ElementShapeInput(ctx, 1));
      given = ctx.input(2).values<int64_t>();
    }
    DF_ASSIGN(asked, asked.Merge(list->element_shape));
    DF_ASSIGN(PartShape shape, SplitShape(asked));
    DF_TRY(MergeElements(*list, shape));
    if (!shape.rest.IsFullyDefined()) {
      return InvalidArgument("no element has a value, and their shape but for its first size is not known: ",
                             shape.rest);
    }
    Tensor* lengths = nullptr;
    DF_TRY(ctx.AllocateOutput(1, Shape({list->size()}), &lengths));
    int64_t total = 0;
    for (int64_t i = 0; i < list->size(); ++i) {
      DF_ASSIGN(const int64_t length, LengthOf(*list, i, given, shape.first));
      lengths->data<int64_t>()[i] = length;
      if (__builtin_add_overflow(total, length, &total)) return InvalidArgument("the elements are too long together");
    }
    return Join(ctx, *list, shape.rest, total, *lengths);
  }

 private:
  Status Join(OpContext& ctx, const TensorList& list, const PartialShape& rest, int64_t total,
              const Tensor& lengths) const {
    std::vector<int64_t> dims = rest.dims();
    dims.insert(dims.begin(), total);
    DF_ASSIGN(const Shape shape, Shape::Create(dims));
    DF_ASSIGN(Tensor joined, ctx.AllocateTemp(list.dtype, shape));
    int64_t begin = 0;
    for (size_t i = 0; i < list.elements.size(); ++i) {
      const int64_t end = begin + lengths.data<int64_t>()[i];
      Tensor rows = joined.SliceRows(begin, end);
      CopyElement(list.elements[i], rows);
      begin = end;
    }
    return GiveTensor(ctx, 0, promised_, std::move(joined));
  }

  const DType dtype_;
  const PartialShape promised_;
  PartialShape shape_;
};

class SplitKernel final : public Kernel {
 public:
  explicit SplitKernel(KernelSetup& setup) : dtype_(setup.attr<DType>("element_dtype")) {}
  Status Compute(OpContext& ctx) {
    const Tensor& tensor = ctx.input(0);
    const Tensor& lengths = ctx.input(2);
    if (tensor.shape().rank() < 1 || lengths.shape().rank() != 1) {
      return InvalidArgument("a tensor of shape ", tensor.shape(), " cannot be split into the lengths in a tensor of ",
                             lengths.shape(), ": both must have rows");
    }
    DF_ASSIGN(PartialShape element_shape, ElementShapeInput(ctx, 1));
    DF_ASSIGN(const PartShape parts, SplitShape(element_shape));
    if (!parts.rest.IsCompatibleWith(RowShape(tensor.shape()))) {
      return InvalidArgument("parts of a tensor of shape ", tensor.shape(), " are no elements of shape ",
                             element_shape);
    }
    DF_ASSIGN(TensorList* const list, GiveList(ctx, 0, dtype_, std::move(element_shape)));
    return Split(ctx, tensor, lengths.values<int64_t>(), *list);
  }

 private:
  static Status Split(OpContext& ctx, const Tensor& tensor, std::span<const int64_t> lengths, TensorList& list) {
    DF_TRY(list.Resize(static_cast<int64_t>(lengths.size())));
    const int64_t rows = tensor.shape().dim(0);
    int64_t begin = 0;
    for (size_t i = 0; i < lengths.size(); ++i) {
      if (lengths[i] < 0 || lengths[i] > rows - begin) {
        return InvalidArgument("length ", i, " is ", lengths[i], ", but ", rows - begin, " of ", rows,
                               " rows are left");
      }
      Shape shape = tensor.shape();
      shape.set_dim(0, lengths[i]);
      DF_TRY(list.CheckFits(shape, static_cast<int64_t>(i)));
      DF_ASSIGN(list.elements[i], CopyRows(ctx, tensor, begin, begin + lengths[i], shape));
      begin += lengths[i];
    }
    if (begin == rows) return Status();
    return InvalidArgument("the lengths add up to ", begin, ", but the tensor has ", rows, " rows");
  }

  const DType dtype_;
};

// List i of input 0 with the elements of list i of input 1 behind its own.
class ConcatListsKernel final : public Kernel {
 public:
  explicit ConcatListsKernel(KernelSetup& setup) : dtype_(setup.attr<DType>("element_dtype")) {}
  Status Compute(OpContext& ctx) {
    const Tensor& a = ctx.input(0);
    const Tensor& b = ctx.input(1);
    if (!(a.shape() == b.shape())) return InvalidArgument("lists of shapes ", a.shape(), " and ", b.shape());
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, a.shape(), &output));
    for (int64_t i = 0; i < a.num_elements(); ++i) {
      DF_ASSIGN(output->data<Variant>()[i], Concat(a.data<Variant>()[i], b.data<Variant>()[i]));
    }
    return Status();
  }

 private:
  Result<Variant> Concat(const Variant& a, const Variant& b) const {
    DF_ASSIGN(const TensorList* const front, a.As<TensorList>("TensorList"));
    DF_ASSIGN(const TensorList* const back, b.As<TensorList>("TensorList"));
    DF_TRY(front->CheckDType(dtype_));
    DF_TRY(back->CheckDType(dtype_));
    if (!(front->element_shape == back->element_shape)) {
      return InvalidArgument("the element shapes ", front->element_shape, " and ", back->element_shape, " differ");
    }
    auto list = std::make_shared<TensorList>(*front);
    DF_TRY(list->Resize(front->size() + back->size()));
    std::copy(back->elements.begin(), back->elements.end(),
              list->elements.begin() + static_cast<std::ptrdiff_t>(front->size()));
    return Variant(std::move(list));
  }

  const DType dtype_;
};

CPU_KERNEL_ANY("TensorListConcat", ConcatKernel);
CPU_KERNEL_ANY("TensorListConcatV2", ConcatKernel);
CPU_KERNEL_ANY("TensorListSplit", SplitKernel);
CPU_KERNEL_ANY("TensorListConcatLists", ConcatListsKernel);

}  // namespace
}  // namespace dfrun
