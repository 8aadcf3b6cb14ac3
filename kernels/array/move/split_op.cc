// A tensor cut along a dimension.
#include "kernels/array/int_values.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

// Equal parts of a vector, whose axis can only be 0.
std::vector<MaybeConstant> SplitConstants(const ConstantContext& c) {
  std::vector<MaybeConstant> out;
  const MaybeConstant value = c.vector(1);
  const auto parts = static_cast<size_t>(c.num_outputs());
  if (!value || value->elements.size() % parts != 0) return out;
  const auto length = static_cast<int64_t>(value->elements.size() / parts);
  for (auto at = value->elements.begin(); out.size() < parts; at += length) {
    out.emplace_back(ConstantInts::Vector({at, at + length}));
  }
  return out;
}

void SplitGradient(GradientBuilder& g, int axis, int value) {
  std::vector<Output> inputs(static_cast<size_t>(g.num_outputs()));
  for (int i = 0; i < g.num_outputs(); ++i) inputs[i] = g.dy(i);
  inputs.push_back(g.x(axis));
  if (g.num_outputs() == 1) {
    g.dx(value) = inputs[0];
  } else {
    g.dx(value) = g.AddNode("ConcatV2", inputs, {{"N", g.num_outputs()}});
  }
}

OP("Split")
    .Input("split_dim: int32")
    .Input("value: T")
    .Output("output: num_split * T")
    .Attr("num_split: int >= 1")
    .Attr("T: type")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const auto dim, KnownIntScalar(c, 0, "the axis"));
      PartialShape part = c.input(1);
      if (!part.known_rank()) return Status();
      if (!dim) {
        part = PartialShape::UnknownOfRank(part.rank());
      } else {
        DF_ASSIGN(const int64_t axis, CanonicalAxis(*dim, part.rank()));
        const int64_t size = part.dim(static_cast<int>(axis));
        if (size >= 0 && size % c.num_outputs() != 0)
          return InvalidArgument("dimension ", axis, " of ", c.input(1), " cannot be split into ", c.num_outputs(),
                                 " equal parts");
        if (size >= 0) part.set_dim(static_cast<int>(axis), size / c.num_outputs());
      }
      for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, part);
      return Status();
    })
    .Gradient([](GradientBuilder& g) { SplitGradient(g, 0, 1); })
    .ConstantValues(&SplitConstants)
    .Cost(CopyCost())
    .Total()
    .Rows(RowsUnlessAxis(0))
    .Doc("The value cut into equal parts along a dimension.");

// The given sizes of the parts of a dimension of size `whole`; a size of -1 becomes the rest. An unknown `whole` is not
// checked.
Result<std::vector<int64_t>> PartSizes(std::vector<int64_t> sizes, int64_t whole, size_t parts) {
  const auto misfit = [&] {
    return InvalidArgument("a dimension of ", whole, " cannot be split into ", parts, " parts of the sizes ",
                           PartialShape(sizes));
  };
  if (sizes.size() != parts) return misfit();
  int64_t sum = 0;
  int64_t* rest = nullptr;
  for (int64_t& size : sizes) {
    if (size < -1 || (size == -1 && rest != nullptr)) return misfit();
    if (size == -1) {
      rest = &size;
    } else if (__builtin_add_overflow(sum, size, &sum)) {
      return misfit();
    }
  }
  if (whole < 0) return sizes;
  if (rest == nullptr ? sum != whole : sum > whole) return misfit();
  if (rest != nullptr) *rest = whole - sum;
  return sizes;
}

OP("SplitV")
    .Input("value: T")
    .Input("size_splits: Tlen")
    .Input("split_dim: int32")
    .Output("output: num_split * T")
    .Attr("num_split: int >= 1")
    .Attr("T: type")
    .Attr("Tlen: {int8, int32, int64} = DT_INT64")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const auto sizes, KnownIntVector(c, 1, "the sizes"));
      DF_ASSIGN(const auto dim, KnownIntScalar(c, 2, "the axis"));
      const PartialShape& x = c.input(0);
      if (!x.known_rank()) return Status();
      if (x.rank() == 0) return InvalidArgument("SplitV of a scalar");
      std::vector<int64_t> parts(static_cast<size_t>(c.num_outputs()), PartialShape::kUnknown);
      if (!dim) {
        for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, PartialShape::UnknownOfRank(x.rank()));
        return Status();
      }
      DF_ASSIGN(const int64_t axis, CanonicalAxis(*dim, x.rank()));
      const int64_t whole = x.dim(static_cast<int>(axis));
      if (sizes) {
        DF_ASSIGN(parts, PartSizes(*sizes, whole, parts.size()));
      } else if (parts.size() == 1) {
        parts[0] = whole;
      }
      for (int i = 0; i < c.num_outputs(); ++i) {
        PartialShape part = x;
        part.set_dim(static_cast<int>(axis), parts[i]);
        c.set_output(i, std::move(part));
      }
      return Status();
    })
    .Gradient([](GradientBuilder& g) { SplitGradient(g, 2, 0); })
    .Cost(CopyCost())
    .Total()
    .Rows(RowsUnlessAxis(2, {1}))
    .Doc("The value cut along a dimension into parts of the given sizes, of which one may be -1: what is left.");

}  // namespace
}  // namespace dfrun
