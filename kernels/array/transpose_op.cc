#include <vector>

#include "kernels/array/int_values.h"
#include "src/framework/op.h"

namespace dfrun {
namespace {

void Permutation(OpBuilder& op) {
  op.Input("x: T")
      .Input("perm: Tperm")
      .Output("y: T")
      .Attr("T: type")
      .Attr("Tperm: {int32, int64} = DT_INT32")
      .Shape([](InferenceContext& c) -> Status {
        DF_ASSIGN(const auto perm, KnownIntVector(c, 1, "the permutation"));
        const PartialShape& x = c.input(0);
        if (!perm) {
          const int64_t length = c.input(1).known_rank() ? c.input(1).dim(0) : PartialShape::kUnknown;
          if (x.known_rank() && length >= 0 && length != x.rank())
            return InvalidArgument("the permutation has ", length, " entries, but x has shape ", x);
          if (x.known_rank()) c.set_output(0, PartialShape::UnknownOfRank(x.rank()));
          return Status();
        }
        const int rank = static_cast<int>(perm->size());
        if (x.known_rank() && x.rank() != rank)
          return InvalidArgument("the permutation has ", rank, " entries, but x has shape ", x);
        PartialShape y = PartialShape::UnknownOfRank(rank);
        std::vector<bool> seen(perm->size());
        for (int d = 0; d < rank; ++d) {
          DF_ASSIGN(const int64_t from, CanonicalAxis((*perm)[d], rank));
          if (seen[from]) return InvalidArgument("the permutation names dimension ", from, " twice");
          seen[from] = true;
          if (x.known_rank()) y.set_dim(d, x.dim(static_cast<int>(from)));
        }
        c.set_output(0, std::move(y));
        return Status();
      });
}

OP("Transpose")
    .As(Permutation)
    .Alias("Shuffle")
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Transpose", g.dy(0), g.Op("InvertPermutation", g.x(1))); })
    .Doc("Dimension d of y is dimension perm[d] of x.");

OP("ConjugateTranspose")
    .As(Permutation)
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("ConjugateTranspose", g.dy(0), g.Op("InvertPermutation", g.x(1)));
    })
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
    .Doc("y[x[i]] = i.");

}  // namespace
}  // namespace dfrun
