// A tensor read backwards along some dimensions.
#include "kernels/array/int_values.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

void Reversal(OpBuilder& op) {
  op.Output("output: T")
      .Attr(
          "T: {uint8, int8, uint16, int16, uint32, int32, uint64, int64, bool, bfloat16, half, float, double, "
          "complex64, "
          "complex128, string}");
}

OP("Reverse")
    .Input("tensor: T")
    .Input("dims: bool")
    .As(Reversal)
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(c.WithRank(1, 1).status());
      Result<PartialShape> x = c.input(0).Merge(UnknownOfLength(c, 1));
      if (!x.ok())
        return InvalidArgument("dims has shape ", c.input(1), ", but must have an entry for each dimension of ",
                               c.input(0));
      c.set_output(0, *std::move(x));
      return Status();
    })
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Reverse", g.dy(0), g.x(1)); })
    .Cost(CopyCost())
    .Doc("The tensor read backwards along each dimension d for which dims[d] is true.");

OP("ReverseV2")
    .Input("tensor: T")
    .Input("axis: Tidx")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .As(Reversal)
    .Shape([](InferenceContext& c) -> Status {
      const PartialShape& x = c.input(0);
      DF_ASSIGN(const auto axes, KnownIntVector(c, 1, "the axes"));
      if (axes && x.known_rank() && x.rank() > 0) DF_TRY(NamedAxes(*axes, x.rank()).status());
      c.set_output(0, x);
      return Status();
    })
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("ReverseV2", g.dy(0), g.x(1)); })
    .Cost(CopyCost())
    .Rows(RowsUnlessAxis(1))
    .Doc("The tensor read backwards along the given axes.");

OP("ReverseSequence")
    .Input("input: T")
    .Input("seq_lengths: Tlen")
    .Output("output: T")
    .Attr("seq_dim: int")
    .Attr("batch_dim: int = 0")
    .Attr("T: type")
    .Attr("Tlen: {int32, int64} = DT_INT64")
    .Shape([](InferenceContext& c) -> Status {
      PartialShape x = c.input(0);
      DF_ASSIGN(const PartialShape lengths, c.WithRank(1, 1));
      DF_ASSIGN(const int64_t batch_dim, c.attr<int64_t>("batch_dim"));
      DF_ASSIGN(const int64_t seq_dim, c.attr<int64_t>("seq_dim"));
      if (!x.known_rank()) return Status();
      if (batch_dim < 0 || batch_dim >= x.rank() || seq_dim < 0 || seq_dim >= x.rank())
        return InvalidArgument("batch_dim ", batch_dim, " and seq_dim ", seq_dim, " must be dimensions of ", x);
      DF_ASSIGN(const PartialShape batch, PartialShape({x.dim(static_cast<int>(batch_dim))}).Merge(lengths));
      x.set_dim(static_cast<int>(batch_dim), batch.dim(0));
      c.set_output(0, std::move(x));
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      const AttrMap dims = {{"seq_dim", g.attr<int64_t>("seq_dim")}, {"batch_dim", g.attr<int64_t>("batch_dim")}};
      g.dx(0) = g.Op("ReverseSequence", dims, g.dy(0), g.x(1));
    })
    .Cost(CopyCost())
    .Doc("For each index i of batch_dim, the first seq_lengths[i] slices along seq_dim in reverse order.");

}  // namespace
}  // namespace dfrun
