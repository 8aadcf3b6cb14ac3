// Repeating a tensor along dimensions.
#include <algorithm>

#include "kernels/array/int_values.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

// A size of the input that is not 1 is that of the output.
Status FitBroadcast(const PartialShape& input, PartialShape& output) {
  if (!input.known_rank() || !output.known_rank()) return Status();
  const int added = output.rank() - input.rank();
  bool fits = added >= 0;
  for (int d = 0; fits && d < input.rank(); ++d) {
    const int64_t size = input.dim(d);
    if (size == 1 || size == PartialShape::kUnknown) continue;
    if (output.dim(added + d) == PartialShape::kUnknown) output.set_dim(added + d, size);
    fits = output.dim(added + d) == size;
  }
  return fits ? Status() : InvalidArgument("cannot broadcast ", input, " to ", output);
}

OP("BroadcastTo")
    .Input("input: T")
    .Input("shape: Tidx")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(c.WithRank(1, 1).status());
      if (const Tensor* shape = c.input_value(1)) DF_TRY(ShapeValue(*shape, "the shape to broadcast to").status());
      PartialShape output = c.input_as_shape(1);
      DF_TRY(FitBroadcast(c.input(0), output));
      c.set_output(0, std::move(output));
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      const Output shape = g.Op("Shape", g.x(0));
      const AddedNode args = g.Op("BroadcastGradientArgs", g.Op("Shape", g.dy(0)), shape);
      g.dx(0) = g.Op("Reshape", g.Op("Sum", g.dy(0), args[1]), shape);
    })
    .Cost(CopyCost())
    .Total()
    .Doc("The input repeated to the given shape by numpy's rules.");

OP("BroadcastGradientArgs")
    .Input("s0: T")
    .Input("s1: T")
    .Output("r0: T")
    .Output("r1: T")
    .Attr("T: {int32, int64} = DT_INT32")
    .Shape([](InferenceContext& c) -> Status {
      for (int i = 0; i < 2; ++i) {
        DF_TRY(c.WithRank(i, 1).status());
        c.set_output(i, PartialShape::UnknownOfRank(1));
      }
      return Status();
    })
    .NotDifferentiable()
    .Doc("The axes over which gradients must be summed for inputs of shapes s0 and s1 that were broadcast together.");

OP("BroadcastArgs")
    .Input("s0: T")
    .Input("s1: T")
    .Output("r0: T")
    .Attr("T: {int32, int64} = DT_INT32")
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(c.WithRank(0, 1).status());
      DF_TRY(c.WithRank(1, 1).status());
      const int64_t a = c.input(0).known_rank() ? c.input(0).dim(0) : PartialShape::kUnknown;
      const int64_t b = c.input(1).known_rank() ? c.input(1).dim(0) : PartialShape::kUnknown;
      c.set_output(0, PartialShape({a < 0 || b < 0 ? PartialShape::kUnknown : std::max(a, b)}));
      return Status();
    })
    .NotDifferentiable()
    .Doc("The shape to which tensors of shapes s0 and s1 broadcast together.");

OP("Tile")
    .Input("input: T")
    .Input("multiples: Tmultiples")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tmultiples: {int32, int64} = DT_INT32")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const PartialShape length, c.WithRank(1, 1));
      DF_ASSIGN(const auto known, KnownIntVector(c, 1, "the multiples"));
      for (int64_t times : known.value_or(std::vector<int64_t>())) {
        if (times < 0) return InvalidArgument("Tile by the negative multiple ", times);
      }
      const Result<PartialShape> merged = c.input(0).Merge(UnknownOfLength(c, 1));
      if (!merged.ok()) return InvalidArgument("Tile of ", c.input(0), " got multiples of shape ", length);
      PartialShape y = *merged;
      const PartialShape multiples = c.input_as_shape(1);
      for (int d = 0; d < y.rank(); ++d) {
        const int64_t times = multiples.known_rank() ? multiples.dim(d) : PartialShape::kUnknown;
        int64_t size = y.dim(d);
        if (times < 0 || size < 0) {
          size = times == 0 || size == 0 ? 0 : PartialShape::kUnknown;
        } else if (__builtin_mul_overflow(size, times, &size)) {
          return InvalidArgument("Tile of ", *merged, " by ", times, " along dimension ", d, " makes no shape");
        }
        y.set_dim(d, size);
      }
      c.set_output(0, std::move(y));
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      // The gradient in the shape [multiples[0], size[0], multiples[1], size[1], ...] is summed over the repeats.
      const Output shape = g.Op("Shape", g.x(0));
      const Output multiples = g.Op("Cast", AttrMap{{"DstT", DType::kInt32}}, g.x(1));
      const Output pairs = g.AddNode("Pack", {multiples, shape}, {{"axis", 1}});
      const Output split_shape = g.Op("Reshape", pairs, g.Const<int32_t>({-1}));
      const Output zero = g.Const(Tensor::Scalar<int32_t>(0));
      const Output two = g.Const(Tensor::Scalar<int32_t>(2));
      const Output axes = g.Op("Range", zero, g.Op("Size", split_shape), two);
      g.dx(0) = g.Op("Reshape", g.Op("Sum", g.Op("Reshape", g.dy(0), split_shape), axes), shape);
    })
    .Cost(CopyCost())
    .Total()
    .Rows(RowsIfSameLength())
    .Doc("The input repeated multiples[d] times along each dimension d.");

}  // namespace
}  // namespace dfrun
