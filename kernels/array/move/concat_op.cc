// Tensors put together along a dimension.
#include "kernels/array/int_values.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

MaybeConstant PackConstant(const ConstantContext& c) {
  ConstantInts out;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const MaybeConstant value = c.input(i);
    if (!value || !value->is_scalar) return std::nullopt;
    out.elements.push_back(value->elements[0]);
  }
  return out;
}

std::vector<MaybeConstant> UnpackConstants(const ConstantContext& c) {
  std::vector<MaybeConstant> out;
  if (const MaybeConstant value = c.vector(0)) {
    for (ConstantInts::Element e : value->elements) out.emplace_back(ConstantInts::Scalar(e));
  }
  return out;
}

// The last input is the axis, which names the only dimension of vectors. Gives nothing where an input is not known.
MaybeConstant ConcatConstant(const ConstantContext& c) {
  ConstantInts out;
  for (int i = 0; i + 1 < c.num_inputs(); ++i) {
    const MaybeConstant value = c.vector(i);
    if (!value) return std::nullopt;
    out.elements.insert(out.elements.end(), value->elements.begin(), value->elements.end());
  }
  return out;
}

// The shape of values [first, first + n) joined along `axis`; nothing is known of the axis where it has no value.
Status JoinShapes(InferenceContext& c, int first, int n, const std::optional<int64_t>& axis) {
  int rank = -1;
  for (int i = first; i < first + n; ++i) {
    const PartialShape& s = c.input(i);
    if (!s.known_rank()) continue;
    if (rank >= 0 && s.rank() != rank)
      return InvalidArgument("Concat of different ranks: ", c.input(first), " and ", s);
    rank = s.rank();
  }
  if (rank < 0) return Status();
  if (rank == 0) return InvalidArgument("scalars cannot be joined: Pack makes a vector of them");
  if (!axis) {
    c.set_output(0, PartialShape::UnknownOfRank(rank));
    return Status();
  }
  DF_ASSIGN(const int64_t at, CanonicalAxis(*axis, rank));
  PartialShape joined;
  int64_t size = 0;
  for (int i = first; i < first + n; ++i) {
    PartialShape s = c.input(i).known_rank() ? c.input(i) : PartialShape::UnknownOfRank(rank);
    const int64_t here = s.dim(static_cast<int>(at));
    size = size < 0 || here < 0 ? PartialShape::kUnknown : size + here;
    s.set_dim(static_cast<int>(at), PartialShape::kUnknown);
    DF_ASSIGN(joined, joined.Merge(s));
  }
  joined.set_dim(static_cast<int>(at), size);
  c.set_output(0, std::move(joined));
  return Status();
}

// Input `axis` names the dimension along which inputs [first, first + n) were joined: each gets its part of dy.
void ConcatGradient(GradientBuilder& g, int axis, int first, int n) {
  std::vector<Output> inputs(static_cast<size_t>(n) + 1);
  for (int i = 0; i < n; ++i) inputs[i + 1] = g.Op("Shape", g.x(first + i));
  const Output rank = g.Op("Rank", g.dy(0));
  inputs[0] = g.Op("FloorMod", g.Op("AddV2", g.Op("Cast", AttrMap{{"DstT", DType::kInt32}}, g.x(axis)), rank), rank);
  const AddedNode offsets = g.AddNode("ConcatOffset", inputs, {{"N", n}});
  for (int i = 0; i < n; ++i) g.dx(first + i) = g.Op("Slice", g.dy(0), offsets[i], inputs[i + 1]);
}

OP("Concat")
    .Input("concat_dim: int32")
    .Input("values: N * T")
    .Output("output: T")
    .Attr("N: int >= 2")
    .Attr("T: type")
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(c.WithRank(0, 0).status());
      DF_ASSIGN(const auto axis, KnownIntScalar(c, 0, "the axis"));
      return JoinShapes(c, 1, c.num_inputs() - 1, axis);
    })
    .Gradient([](GradientBuilder& g) { ConcatGradient(g, 0, 1, g.num_inputs() - 1); })
    .Cost(CopyCost())
    .Rows(RowsUnlessAxis(0))
    .Doc("The values put together along a dimension.");

OP("ConcatV2")
    .Input("values: N * T")
    .Input("axis: Tidx")
    .Output("output: T")
    .Attr("N: int >= 2")
    .Attr("T: type")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(c.WithRank(c.num_inputs() - 1, 0).status());
      DF_ASSIGN(const auto axis, KnownIntScalar(c, c.num_inputs() - 1, "the axis"));
      return JoinShapes(c, 0, c.num_inputs() - 1, axis);
    })
    .Gradient([](GradientBuilder& g) { ConcatGradient(g, g.num_inputs() - 1, 0, g.num_inputs() - 1); })
    .ConstantValue(&ConcatConstant)
    .Cost(CopyCost())
    .Total()
    .Rows(RowsUnlessAxis(-1))
    .Doc("The values put together along a dimension.");

OP("ConcatOffset")
    .Input("concat_dim: int32")
    .Input("shape: N * shape_type")
    .Output("offset: N * shape_type")
    .Attr("N: int >= 2")
    .Attr("shape_type: {int32, int64} = DT_INT32")
    .Shape([](InferenceContext& c) {
      for (int i = 1; i < c.num_inputs(); ++i) c.set_output(i - 1, c.input(i));
      return Status();
    })
    .NotDifferentiable()
    .Doc("Where each input of a Concat begins in its output.");

OP("Pack")
    .Input("values: N * T")
    .Output("output: T")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Attr("axis: int = 0")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const int64_t axis, c.attr<int64_t>("axis"));
      PartialShape shape = c.input(0);
      for (int i = 1; i < c.num_inputs(); ++i) {
        DF_ASSIGN(shape, shape.Merge(c.input(i)));
      }
      if (!shape.known_rank()) return Status();
      DF_ASSIGN(const int64_t at, CanonicalAxis(axis, shape.rank() + 1));
      std::vector<int64_t> dims = shape.dims();
      dims.insert(dims.begin() + at, c.num_inputs());
      c.set_output(0, PartialShape(std::move(dims)));
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      const int n = g.num_inputs();
      const AddedNode parts = g.Op("Unpack", AttrMap{{"num", n}, {"axis", g.attr<int64_t>("axis")}}, g.dy(0));
      for (int i = 0; i < n; ++i) g.dx(i) = parts[i];
    })
    .ConstantValue(&PackConstant)
    .Cost(CopyCost())
    .Total()
    .Rows(RowsUnlessAxisOfAttr("axis", /*of_output=*/true))
    .Doc("The values as the slices of a new dimension.");

OP("Unpack")
    .Input("value: T")
    .Output("output: num * T")
    .Attr("num: int >= 0")
    .Attr("T: type")
    .Attr("axis: int = 0")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const int64_t axis, c.attr<int64_t>("axis"));
      const PartialShape& x = c.input(0);
      if (!x.known_rank()) return Status();
      DF_ASSIGN(const int64_t at, CanonicalAxis(axis, x.rank()));
      std::vector<int64_t> dims = x.dims();
      if (dims[at] >= 0 && dims[at] != c.num_outputs())
        return InvalidArgument("Unpack into ", c.num_outputs(), " outputs, but dimension ", at, " of ", x, " is ",
                               dims[at]);
      dims.erase(dims.begin() + at);
      for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, PartialShape(dims));
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      std::vector<Output> parts(static_cast<size_t>(g.num_outputs()));
      for (int i = 0; i < g.num_outputs(); ++i) parts[i] = g.dy(i);
      g.dx(0) = g.AddNode("Pack", parts, {{"axis", g.attr<int64_t>("axis")}});
    })
    .ConstantValues(&UnpackConstants)
    .Cost(CopyCost())
    .Total()
    .Rows(RowsUnlessAxisOfAttr("axis"))
    .Doc("The slices of a dimension as outputs of their own.");

}  // namespace
}  // namespace dfrun
