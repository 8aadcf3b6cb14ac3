// Tensors with given diagonals, and the diagonals of tensors.
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

OP("Diag")
    .Input("diagonal: T")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const PartialShape x, c.WithRankAtLeast(0, 1));
      if (!x.known_rank()) return Status();
      std::vector<int64_t> dims = x.dims();
      dims.insert(dims.end(), x.dims().begin(), x.dims().end());
      c.set_output(0, PartialShape(std::move(dims)));
      return Status();
    })
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("DiagPart", g.dy(0)); })
    .Cost(CopyCost())
    .Doc("output[i..., i...] = diagonal[i...]; zeros elsewhere.");

OP("DiagPart")
    .Input("input: T")
    .Output("diagonal: T")
    .Attr("T: {bfloat16, half, float, double, int32, int64, complex64, complex128}")
    .Shape([](InferenceContext& c) -> Status {
      const PartialShape& x = c.input(0);
      if (!x.known_rank()) return Status();
      if (x.rank() % 2 != 0 || x.rank() == 0)
        return InvalidArgument("DiagPart of ", x, ": the rank must be even and not 0");
      PartialShape y = PartialShape::Scalar();
      const int half = x.rank() / 2;
      for (int d = 0; d < half; ++d) {
        DF_ASSIGN(const PartialShape both, PartialShape({x.dim(d)}).Merge(PartialShape({x.dim(half + d)})));
        y.Append(both.dim(0));
      }
      c.set_output(0, std::move(y));
      return Status();
    })
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Diag", g.dy(0)); })
    .Cost(PartCost())
    .Doc("diagonal[i...] = input[i..., i...].");

}  // namespace
}  // namespace dfrun
