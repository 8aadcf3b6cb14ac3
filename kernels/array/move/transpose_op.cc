#include <vector>

#include "kernels/array/int_values.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

// The inverse of a permutation of which every element is known.
MaybeConstant InvertPermutationConstant(const ConstantContext& c) {
  const MaybeConstant value = c.vector(0);
  if (!value) return std::nullopt;
  const auto length = static_cast<int64_t>(value->elements.size());
  std::vector<ConstantInts::Element> inverse(value->elements.size());
  for (int64_t i = 0; i < length; ++i) {
    const ConstantInts::Element to = value->elements[static_cast<size_t>(i)];
    if (!to || *to < 0 || *to >= length || inverse[static_cast<size_t>(*to)]) return std::nullopt;
    inverse[static_cast<size_t>(*to)] = i;
  }
  return ConstantInts::Vector(std::move(inverse));
}

void Permutation(OpBuilder& op) {
  op.Input("x: T")
      .Input("perm: Tperm")
      .Output("y: T")
      .Attr("T: type")
      .Attr("Tperm: {int32, int64} = DT_INT32")
      .Shape([](InferenceContext& c) -> Status {
        DF_ASSIGN(const auto perm, KnownIntVector(c, 1, "the permutation"));
        const Result<PartialShape> merged = c.input(0).Merge(UnknownOfLength(c, 1));
        if (!merged.ok())
          return InvalidArgument("the permutation has shape ", c.input(1), ", but x has shape ", c.input(0));
        const PartialShape& x = *merged;
        if (!x.known_rank()) return Status();
        const int rank = x.rank();
        PartialShape y = PartialShape::UnknownOfRank(rank);
        if (!perm) {
          if (rank < 2) y = x;
          c.set_output(0, std::move(y));
          return Status();
        }
        std::vector<bool> seen(perm->size());
        for (int d = 0; d < rank; ++d) {
          DF_ASSIGN(const int64_t from, CanonicalAxis((*perm)[d], rank));
          if (seen[from]) return InvalidArgument("the permutation names dimension ", from, " twice");
          seen[from] = true;
          y.set_dim(d, x.dim(static_cast<int>(from)));
        }
        c.set_output(0, std::move(y));
        return Status();
      });
}

SampleRows PermutedRows(const RowContext& c, int output) {
  const MaybeConstant perm = c.value(1);
  const bool keeps = perm && !perm->elements.empty() && perm->elements[0] == 0;
  return keeps ? RowsOfInputs({0})(c, output) : SampleRows::Mixed();
}

OP("Transpose")
    .As(Permutation)
    .Alias("Shuffle")
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Transpose", g.dy(0), g.Op("InvertPermutation", g.x(1))); })
    .Cost(CopyCost())
    .Total()
    .Rows(&PermutedRows)
    .Doc("Dimension d of y is dimension perm[d] of x.");

OP("ConjugateTranspose")
    .As(Permutation)
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("ConjugateTranspose", g.dy(0), g.Op("InvertPermutation", g.x(1)));
    })
    .Cost(CopyCost())
    .Doc("The complex conjugates of x with dimension perm[d] of x as dimension d of y.");

OP("InvertPermutation")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: {int32, int64} = DT_INT32")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(PartialShape x, c.WithRank(0, 1));
      c.set_output(0, std::move(x));
      return Status();
    })
    .NotDifferentiable()
    .ConstantValue(&InvertPermutationConstant)
    .Cost(CopyCost())
    .Doc("y[x[i]] = i.");

}  // namespace
}  // namespace dfrun
