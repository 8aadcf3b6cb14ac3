// Parts of a tensor.
#include <algorithm>

#include "kernels/array/int_values.h"
#include "kernels/array/move/strided_slice_plan.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

using Element = ConstantInts::Element;

MaybeConstant SliceConstant(const ConstantContext& c) {
  const MaybeConstant value = c.vector(0);
  const Element begin = c.single(1);
  const Element size = c.single(2);
  if (!value || !begin || !size) return std::nullopt;
  const auto length = static_cast<int64_t>(value->elements.size());
  if (*begin < 0 || *begin > length || *size < -1 || *size > length - *begin) return std::nullopt;
  const auto first = value->elements.begin() + *begin;
  return ConstantInts::Vector({first, *size == -1 ? value->elements.end() : first + *size});
}

// A bound of a strided slice as TensorFlow clamps it: [0, length] going up, [-1, length - 1] going down.
int64_t ClampBound(int64_t bound, int64_t length, int64_t stride) {
  if (bound < 0) bound = std::max<int64_t>(bound, -length - 1) + length;
  return stride > 0 ? std::clamp<int64_t>(bound, 0, length) : std::clamp<int64_t>(bound, -1, length - 1);
}

int64_t MaskOf(const ConstantContext& c, std::string_view attr) {
  const AttrValue* value = c.attrs().Find(attr);
  const int64_t* mask = value == nullptr ? nullptr : value->get<int64_t>();
  return mask == nullptr ? 0 : *mask;
}

MaybeConstant ElementAt(const ConstantInts& vector, int64_t at) {
  const auto length = static_cast<int64_t>(vector.elements.size());
  if (at < 0) at += length;
  if (at < 0 || at >= length) return std::nullopt;
  return ConstantInts::Scalar(vector.elements[static_cast<size_t>(at)]);
}

MaybeConstant StridedSliceConstant(const ConstantContext& c) {
  const MaybeConstant value = c.vector(0);
  const Element begin = c.single(1);
  const Element end = c.single(2);
  const Element stride = c.single(3);
  if (!value || !begin || !end || !stride || *stride == 0) return std::nullopt;
  if ((MaskOf(c, "ellipsis_mask") | MaskOf(c, "new_axis_mask")) != 0) return std::nullopt;
  if ((MaskOf(c, "shrink_axis_mask") & 1) != 0) return ElementAt(*value, *begin);
  const auto length = static_cast<int64_t>(value->elements.size());
  const bool up = *stride > 0;
  const int64_t lowest = up ? 0 : -1;
  const int64_t highest = up ? length : length - 1;
  const bool from_end = (MaskOf(c, "begin_mask") & 1) != 0;
  const bool to_end = (MaskOf(c, "end_mask") & 1) != 0;
  const int64_t from = from_end ? (up ? lowest : highest) : ClampBound(*begin, length, *stride);
  const int64_t to = to_end ? (up ? highest : lowest) : ClampBound(*end, length, *stride);
  const int64_t step = std::clamp<int64_t>(*stride, -length - 1, length + 1);
  ConstantInts out;
  for (int64_t i = from; up ? i < to : i > to; i += step) {
    out.elements.push_back(value->elements[static_cast<size_t>(i)]);
  }
  return out;
}

// Begin and size have an entry for each dimension of x, whichever of them says how many that are; -1: none does.
Result<int> SliceRank(const PartialShape& x, const PartialShape& begin, const PartialShape& size) {
  int rank = -1;
  for (const PartialShape* s : {&x, &begin, &size}) {
    if (!s->known_rank()) continue;
    if (rank >= 0 && s->rank() != rank)
      return InvalidArgument("Slice of ", x, " got begins ", begin, " and sizes ", size);
    rank = s->rank();
  }
  return rank;
}

// One size of a Slice; -1 where an argument is not known. A size of -1 takes the rest, where `rest`.
Result<int64_t> SlicedSize(int64_t whole, int64_t begin, int64_t size, bool rest) {
  const bool overruns = whole >= 0 && begin >= 0 && (begin > whole || size > whole - begin);
  if (size < -1 || overruns || (whole >= 0 && size > whole))
    return InvalidArgument("begin ", begin, " and size ", size, " leave a dimension of ", whole);
  if (size >= 0 || !rest || whole < 0 || begin < 0) return std::max(size, PartialShape::kUnknown);
  return whole - begin;
}

Status SliceShape(InferenceContext& c) {
  DF_ASSIGN(const auto begin, KnownIntVector(c, 1, "begin"));
  DF_ASSIGN(const auto size, KnownIntVector(c, 2, "size"));
  const PartialShape begins = begin ? PartialShape(*begin) : c.input_as_shape(1);
  const PartialShape sizes = size ? PartialShape(*size) : c.input_as_shape(2);
  const PartialShape& x = c.input(0);
  DF_ASSIGN(const int rank, SliceRank(x, begins, sizes));
  if (rank < 0) return Status();
  PartialShape y = PartialShape::UnknownOfRank(rank);
  for (int d = 0; d < rank; ++d) {
    const auto at = [d](const PartialShape& s) { return s.known_rank() ? s.dim(d) : PartialShape::kUnknown; };
    if (begin && at(begins) < 0) return InvalidArgument("Slice of ", x, " begins at ", at(begins), " of dimension ", d);
    const Result<int64_t> taken = SlicedSize(at(x), at(begins), at(sizes), size.has_value());
    if (!taken.ok()) return taken.status().Annotate(StrCat("Slice of ", x, ", dimension ", d));
    y.set_dim(d, *taken);
  }
  c.set_output(0, std::move(y));
  return Status();
}

OP("Slice")
    .Input("input: T")
    .Input("begin: Index")
    .Input("size: Index")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .Shape(SliceShape)
    .Gradient([](GradientBuilder& g) {
      // dy padded with zeros: [begin, shape(x) - begin - shape(y)] a dimension.
      const AttrMap type = {{"out_type", g.dtype(g.x(1))}};
      const Output x_shape = g.Op("Shape", type, g.x(0));
      const Output after = g.Op("Sub", g.Op("Sub", x_shape, g.Op("Shape", type, g.y(0))), g.x(1));
      const Output paddings = g.AddNode("Pack", {g.x(1), after}, {{"axis", 1}});
      g.dx(0) = g.Op("Pad", g.dy(0), paddings);
    })
    .ConstantValue(&SliceConstant)
    .Cost(PartCost())
    .Total()
    .Rows(RowsIfSameLength())
    .Doc("`size` elements from `begin` in each dimension; a size of -1 takes the rest.");

// The slice of `shape`, as far as it is known: nothing where the strides have no value, so that their number may be
// any.
Status StridedSliceShape(InferenceContext& c, const PartialShape& shape, int first) {
  DF_ASSIGN(const auto begin, KnownIntVector(c, first, "begin"));
  DF_ASSIGN(const auto end, KnownIntVector(c, first + 1, "end"));
  DF_ASSIGN(const auto strides, KnownIntVector(c, first + 2, "strides"));
  DF_ASSIGN(const StridedSliceMasks masks, StridedSliceMasks::Read(c.attrs()));
  DF_TRY(c.input(first).Merge(c.input(first + 2)).status().Annotate("begin and strides"));
  DF_TRY(c.input(first + 1).Merge(c.input(first + 2)).status().Annotate("end and strides"));
  if (!strides || !shape.known_rank()) return Status();
  DF_ASSIGN(StridedSlicePlan plan,
            PlanStridedSlice(shape, begin ? &*begin : nullptr, end ? &*end : nullptr, *strides, masks));
  c.set_output(0, std::move(plan.output));
  return Status();
}

AttrMap Masks(GradientBuilder& g) {
  AttrMap masks;
  for (const char* name : {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"})
    masks.Set(name, g.attr<int64_t>(name));
  return masks;
}

// The whole first dimension, in its own order. Ends that are numbers may cut larger batches.
SampleRows StridedSliceRows(const RowContext& c, int output) {
  const auto mask = [&](const char* name) {
    const Result<int64_t> bits = c.attrs().Get<int64_t>(name);
    return bits.ok() ? *bits & 1 : 0;
  };
  const auto first = [&](int input) {
    const MaybeConstant value = c.value(input);
    return value && !value->elements.empty() ? value->elements[0] : std::nullopt;
  };
  const bool is_whole = (mask("begin_mask") != 0 || first(1) == 0) && mask("end_mask") != 0 && first(3) == 1;
  return mask("ellipsis_mask") != 0 || is_whole ? RowsIfSameLength()(c, output) : SampleRows::Mixed();
}

OP("StridedSlice")
    .Input("input: T")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int16, int32, int64}")
    .Attr("begin_mask: int = 0")
    .Attr("end_mask: int = 0")
    .Attr("ellipsis_mask: int = 0")
    .Attr("new_axis_mask: int = 0")
    .Attr("shrink_axis_mask: int = 0")
    .Shape([](InferenceContext& c) { return StridedSliceShape(c, c.input(0), 1); })
    .Gradient([](GradientBuilder& g) {
      const Output shape = g.Op("Shape", AttrMap{{"out_type", g.dtype(g.x(1))}}, g.x(0));
      g.dx(0) = g.Op("StridedSliceGrad", Masks(g), shape, g.x(1), g.x(2), g.x(3), g.dy(0));
    })
    .ConstantValue(&StridedSliceConstant)
    .Cost(PartCost())
    .Total()
    .Rows(&StridedSliceRows)
    .Doc("x[begin:end:stride, ...] as in Python; the masks say which entries are open, new, dropped or an ellipsis.");

OP("StridedSliceGrad")
    .Input("shape: Index")
    .Input("begin: Index")
    .Input("end: Index")
    .Input("strides: Index")
    .Input("dy: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .Attr("begin_mask: int = 0")
    .Attr("end_mask: int = 0")
    .Attr("ellipsis_mask: int = 0")
    .Attr("new_axis_mask: int = 0")
    .Attr("shrink_axis_mask: int = 0")
    .Shape([](InferenceContext& c) -> Status {
      PartialShape entries;
      for (int i = 1; i < 4; ++i) {
        DF_ASSIGN(const PartialShape bounds, c.WithRank(i, 1));
        DF_ASSIGN(entries, entries.Merge(bounds));
      }
      DF_TRY(c.WithRank(0, 1).status());
      c.set_output(0, c.input_as_shape(0));
      return Status();
    })
    .Gradient([](GradientBuilder& g) { g.dx(4) = g.Op("StridedSlice", Masks(g), g.dy(0), g.x(1), g.x(2), g.x(3)); })
    .Cost(CopyCost())
    .Doc("Zeros of the given shape with dy at the elements that StridedSlice would read.");

}  // namespace
}  // namespace dfrun
