// The shape of a tensor as a value, and the same elements under another shape.
#include <algorithm>

#include "kernels/array/int_values.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

MaybeConstant ShapeConstant(const ConstantContext& c) {
  return ConstantSizes(c.input_shape(0));
}

std::vector<MaybeConstant> ShapeConstants(const ConstantContext& c) {
  std::vector<MaybeConstant> out;
  out.reserve(c.num_inputs());
  for (int i = 0; i < c.num_inputs(); ++i) out.push_back(ConstantSizes(c.input_shape(i)));
  return out;
}

MaybeConstant SizeConstant(const ConstantContext& c) {
  const int64_t n = c.input_shape(0).num_elements();
  return n < 0 ? std::nullopt : MaybeConstant(ConstantInts::Scalar(n));
}

MaybeConstant RankConstant(const ConstantContext& c) {
  const int rank = c.input_shape(0).rank();
  return rank < 0 ? std::nullopt : MaybeConstant(ConstantInts::Scalar(rank));
}

MaybeConstant ReshapeConstant(const ConstantContext& c) {
  const MaybeConstant value = c.input(0);
  const int rank = c.output_shape(0).rank();
  if (!value || rank < 0 || rank > 1) return std::nullopt;
  return ConstantInts{rank == 0, value->elements};
}

MaybeConstant ExpandDimsConstant(const ConstantContext& c) {
  const MaybeConstant value = c.input(0);
  return value && value->is_scalar ? MaybeConstant(ConstantInts::Vector(value->elements)) : std::nullopt;
}

MaybeConstant SqueezeConstant(const ConstantContext& c) {
  const MaybeConstant value = c.vector(0);
  if (!value || value->elements.size() != 1) return std::nullopt;
  return ConstantInts::Scalar(value->elements[0]);
}

Status ShapeVector(InferenceContext& c) {
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, PartialShape({c.input(i).known_rank() ? c.input(i).rank() : PartialShape::kUnknown}));
  }
  return Status();
}

OP("Rank")
    .Input("input: T")
    .Output("output: int32")
    .Attr("T: type")
    .Shape(ScalarOutputs())
    .NotDifferentiable()
    .FollowsFirstInput()
    .ConstantValue(&RankConstant)
    .Cost(NoCost())
    .Total()
    .Rows(RowsOfShape())
    .Doc("The number of dimensions.");

OP("Shape")
    .Input("input: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .Shape(ShapeVector)
    .NotDifferentiable()
    .FollowsFirstInput()
    .ConstantValue(&ShapeConstant)
    .Cost(NoCost())
    .Total()
    .Rows(RowsOfShape())
    .Doc("The sizes of the dimensions.");

OP("ShapeN")
    .Input("input: N * T")
    .Output("output: N * out_type")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .Shape(ShapeVector)
    .NotDifferentiable()
    .ConstantValues(&ShapeConstants)
    .Cost(NoCost())
    .Total()
    .Doc("The sizes of the dimensions of each input.");

OP("Size")
    .Input("input: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .Shape(ScalarOutputs())
    .NotDifferentiable()
    .FollowsFirstInput()
    .ConstantValue(&SizeConstant)
    .Cost(NoCost())
    .Total()
    .Rows(RowsOfShape())
    .Doc("The number of elements.");

// Fills in the one unknown size where the input's number of elements is known and the other sizes divide it.
Status InferMissingSize(const PartialShape& input, PartialShape& output) {
  int missing = -1;
  int64_t known = 1;
  for (int d = 0; d < output.rank(); ++d) {
    if (output.dim(d) != PartialShape::kUnknown) {
      if (__builtin_mul_overflow(known, output.dim(d), &known))
        return InvalidArgument("the shape ", output, " has more than 2^63 elements");
    } else if (missing >= 0) {
      return Status();
    } else {
      missing = d;
    }
  }
  const bool is_empty = input.known_rank() && std::count(input.dims().begin(), input.dims().end(), 0) > 0;
  const int64_t elements = is_empty ? 0 : input.num_elements();
  if (elements < 0) return Status();
  if (missing >= 0 && known != 0 && elements % known == 0) {
    output.set_dim(missing, elements / known);
  } else if (missing >= 0 ? known != 0 || elements != 0 : elements != known) {
    return InvalidArgument("cannot reshape ", input, " (", elements, " elements) to ", output);
  }
  return Status();
}

OP("Reshape")
    .Input("tensor: T")
    .Input("shape: Tshape")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const auto dims, KnownIntVector(c, 1, "the new shape"));
      PartialShape output = dims ? PartialShape(*dims) : c.input_as_shape(1);
      if (!output.known_rank()) return Status();
      if (dims) {
        int missing = 0;
        for (int64_t d : *dims) {
          missing += d == -1 ? 1 : 0;
          if (d < -1) return InvalidArgument("the new shape ", output, " has a negative size");
        }
        if (missing > 1) return InvalidArgument("the new shape ", output, " has more than one size -1");
      }
      DF_TRY(InferMissingSize(c.input(0), output));
      c.set_output(0, std::move(output));
      return Status();
    })
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Reshape", g.dy(0), g.Op("Shape", g.x(0))); })
    .FollowsFirstInput()
    .ConstantValue(&ReshapeConstant)
    .Cost(NoCost())
    .Total()
    .Rows(RowsOfSameElements())
    .Doc("The same elements under another shape; one size may be -1, to be computed.");

OP("ExpandDims")
    .Input("input: T")
    .Input("dim: Tdim")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tdim: {int32, int64} = DT_INT32")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const auto dim, KnownIntScalar(c, 1, "the axis"));
      const PartialShape& x = c.input(0);
      if (!x.known_rank()) return Status();
      if (!dim) {
        c.set_output(0, PartialShape::UnknownOfRank(x.rank() + 1));
        return Status();
      }
      DF_ASSIGN(const int64_t axis, CanonicalAxis(*dim, x.rank() + 1));
      std::vector<int64_t> dims = x.dims();
      dims.insert(dims.begin() + axis, 1);
      c.set_output(0, PartialShape(std::move(dims)));
      return Status();
    })
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Reshape", g.dy(0), g.Op("Shape", g.x(0))); })
    .FollowsFirstInput()
    .ConstantValue(&ExpandDimsConstant)
    .Cost(NoCost())
    .Total()
    .Rows(RowsOfSameElements())
    .Doc("The same elements with a dimension of size 1 put in.");

OP("Squeeze")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("squeeze_dims: list(int) >= 0 = []")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const std::vector<int64_t> axes, c.attr<std::vector<int64_t>>("squeeze_dims"));
      const PartialShape& x = c.input(0);
      if (!x.known_rank()) return Status();
      std::vector<bool> dropped(static_cast<size_t>(x.rank()));
      for (int64_t a : axes) {
        DF_ASSIGN(const int64_t axis, CanonicalAxis(a, x.rank()));
        if (x.dim(static_cast<int>(axis)) > 1 || x.dim(static_cast<int>(axis)) == 0)
          return InvalidArgument("cannot squeeze dimension ", axis, " of ", x, ": its size is not 1");
        dropped[axis] = true;
      }
      PartialShape y = PartialShape::Scalar();
      for (int d = 0; d < x.rank(); ++d) {
        if (axes.empty() && x.dim(d) == PartialShape::kUnknown) return Status();
        if (axes.empty() ? x.dim(d) != 1 : !dropped[d]) y.Append(x.dim(d));
      }
      c.set_output(0, std::move(y));
      return Status();
    })
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Reshape", g.dy(0), g.Op("Shape", g.x(0))); })
    .FollowsFirstInput()
    .ConstantValue(&SqueezeConstant)
    .Cost(NoCost())
    .Total()
    .Rows(RowsOfSameElements())
    .Doc("The same elements without dimensions of size 1: the given ones, or all.");

}  // namespace
}  // namespace dfrun
