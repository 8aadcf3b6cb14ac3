// Parts of a tensor.
#include "kernels/array/int_values.h"
#include "kernels/array/strided_slice_plan.h"
#include "src/framework/op.h"

namespace dfrun {
namespace {

// The sizes of a Slice whose begin and size are known, as far as the input's are.
Result<PartialShape> SliceShape(const PartialShape& x, const std::vector<int64_t>& begin,
                                const std::vector<int64_t>& size) {
  if (begin.size() != size.size() || static_cast<int>(begin.size()) != x.rank())
    return InvalidArgument("Slice of ", x, " got ", begin.size(), " begins and ", size.size(), " sizes");
  PartialShape y = PartialShape::UnknownOfRank(x.rank());
  for (int d = 0; d < x.rank(); ++d) {
    const int64_t whole = x.dim(d);
    if (begin[d] < 0 || size[d] < -1 || (whole >= 0 && (begin[d] > whole || size[d] > whole - begin[d])))
      return InvalidArgument("Slice of ", x, ": begin ", begin[d], " and size ", size[d], " leave dimension ", d);
    if (size[d] >= 0) {
      y.set_dim(d, size[d]);
    } else if (whole >= 0) {
      y.set_dim(d, whole - begin[d]);
    }
  }
  return y;
}

OP("Slice")
    .Input("input: T")
    .Input("begin: Index")
    .Input("size: Index")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Index: {int32, int64}")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const auto begin, KnownIntVector(c, 1, "begin"));
      DF_ASSIGN(const auto size, KnownIntVector(c, 2, "size"));
      const PartialShape& x = c.input(0);
      if (begin && size && x.known_rank()) {
        DF_ASSIGN(PartialShape y, SliceShape(x, *begin, *size));
        c.set_output(0, std::move(y));
      } else if (x.known_rank()) {
        c.set_output(0, PartialShape::UnknownOfRank(x.rank()));
      } else if (c.input(1).known_rank() && c.input(1).dim(0) >= 0) {
        c.set_output(0, PartialShape::UnknownOfRank(static_cast<int>(c.input(1).dim(0))));
      }
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      // dy padded with zeros: [begin, shape(x) - begin - shape(y)] a dimension.
      const AttrMap type = {{"out_type", g.dtype(g.x(1))}};
      const Output x_shape = g.Op("Shape", type, g.x(0));
      const Output after = g.Op("Sub", g.Op("Sub", x_shape, g.Op("Shape", type, g.y(0))), g.x(1));
      const Output paddings = g.AddNode("Pack", {g.x(1), after}, {{"axis", 1}});
      g.dx(0) = g.Op("Pad", g.dy(0), paddings);
    })
    .Doc("`size` elements from `begin` in each dimension; a size of -1 takes the rest.");

// The slice of `shape`; nothing is known but the rank of neither where a bound has no value.
Status StridedSliceShape(InferenceContext& c, const PartialShape& shape, int first) {
  DF_ASSIGN(const auto begin, KnownIntVector(c, first, "begin"));
  DF_ASSIGN(const auto end, KnownIntVector(c, first + 1, "end"));
  DF_ASSIGN(const auto strides, KnownIntVector(c, first + 2, "strides"));
  DF_ASSIGN(const StridedSliceMasks masks, StridedSliceMasks::Read(c.attrs()));
  if (!begin || !end || !strides || !shape.known_rank()) return Status();
  DF_ASSIGN(StridedSlicePlan plan, PlanStridedSlice(shape, *begin, *end, *strides, masks));
  c.set_output(0, std::move(plan.output));
  return Status();
}

AttrMap Masks(GradientBuilder& g) {
  AttrMap masks;
  for (const char* name : {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"})
    masks.Set(name, g.attr<int64_t>(name));
  return masks;
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
    .Shape([](InferenceContext& c) {
      c.set_output(0, c.input_as_shape(0));
      return Status();
    })
    .Gradient([](GradientBuilder& g) { g.dx(4) = g.Op("StridedSlice", Masks(g), g.dy(0), g.x(1), g.x(2), g.x(3)); })
    .Doc("Zeros of the given shape with dy in the place that StridedSlice would read.");

}  // namespace
}  // namespace dfrun
