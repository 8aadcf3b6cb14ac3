// TensorList: a value that is a list of tensors of one dtype, the element of a variant.
//
// Source: TensorFlow's list_ops. An op that changes a list gives a new one; where it is the last reader of the old one,
// it changes that in place, so that a loop which sets or pushes one element an iteration takes constant time for each.
#ifndef DFRUN_KERNELS_CONTROL_TENSOR_LIST_H_
#define DFRUN_KERNELS_CONTROL_TENSOR_LIST_H_

#include <memory>
#include <string>
#include <vector>

#include "kernels/control/deferred_release.h"
#include "src/framework/kernel/kernel.h"
#include "src/framework/values/variant.h"

namespace dfrun {

struct TensorList final : VariantValue {
  // The most elements, so that a wrong index does not take all memory.
  static constexpr int64_t kMaxSize = int64_t{1} << 24;

  TensorList() = default;
  TensorList(const TensorList&) = default;
  ~TensorList() override { ReleaseWithoutRecursion(elements); }
  std::string DebugString() const override;
  int64_t size() const { return static_cast<int64_t>(elements.size()); }

  // InvalidArgument unless the list's elements are of this dtype.
  Status CheckDType(DType asked) const;
  // InvalidArgument unless an element may have this shape. `index`: where it is to be, for the message.
  Status CheckFits(const Shape& shape, int64_t index) const;
  // InvalidArgument unless there is an element of this index.
  Status CheckIndex(int64_t index) const;
  // New elements have no value. InvalidArgument for a negative size and one beyond kMaxSize.
  Status Resize(int64_t size);

  DType dtype = DType::kInvalid;
  PartialShape element_shape;    // every element's shape is compatible with it
  int64_t max_elements = -1;     // for pushing; -1: no bound but kMaxSize
  std::vector<Tensor> elements;  // owned tensors; uninitialised ones are read as zeros
};

// The list that scalar input i holds. InvalidArgument where it is none, or none of `dtype` (kInvalid: any).
Result<const TensorList*> ListInput(OpContext& ctx, int i, DType dtype = DType::kInvalid);

// Output 0 as the list of input 0, which ListInput() has accepted, for the kernel to change: the input's own where this
// node is the last reader, else a copy that shares the elements.
Result<TensorList*> ChangeList(OpContext& ctx);

// Makes output i `value`, which must have the shape that was promised for the output: the list may be another one than
// the graph let expect.
Status GiveTensor(OpContext& ctx, int i, const PartialShape& promised, Tensor value);

// Makes output i a new, empty list.
Result<TensorList*> GiveList(OpContext& ctx, int i, DType dtype, PartialShape element_shape);

// The shape in input i: a vector of sizes, where -1 is not known, or the scalar -1 for an unknown rank.
Result<PartialShape> ElementShapeInput(const OpContext& ctx, int i);

// The value of input i, which must be one int32.
Result<int64_t> ScalarInput(const OpContext& ctx, int i, std::string_view what);

// The shape that every element of the list must have to be read as one of `asked`: `asked` merged with the list's
// element shape and the shapes of the elements that have a value. InvalidArgument where they contradict each other.
Result<PartialShape> CommonElementShape(const TensorList& list, const PartialShape& asked);

// A new tensor of zeros, empty strings or empty handles.
Result<Tensor> ZeroElement(OpContext& ctx, DType dtype, const Shape& shape);

// Fills the elements of `rows`, a part of a tensor, with those of `element`, or with zeros where it has no value.
void CopyElement(const Tensor& element, Tensor& rows);

// A tensor of its own with the rows [begin, end) of `tensor`, of this shape.
Result<Tensor> CopyRows(OpContext& ctx, const Tensor& tensor, int64_t begin, int64_t end, const Shape& shape);

// The sizes behind the first dimension.
Shape RowShape(const Shape& shape);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_CONTROL_TENSOR_LIST_H_
