// Ops whose output's size depends on the values.
#include "kernels/array/int_values.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

OP("Where")
    .Input("input: T")
    .Output("index: int64")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
        "quint16, uint16, complex128, half, uint32, uint64, bool} = DT_BOOL")
    .Shape([](InferenceContext& c) {
      const int64_t rank = c.input(0).known_rank() ? c.input(0).rank() : PartialShape::kUnknown;
      c.set_output(0, PartialShape({PartialShape::kUnknown, rank}));
      return Status();
    })
    .NotDifferentiable()
    .Cost(ScanCost())
    .Doc("The coordinates of the elements that are not zero or false, in row-major order.");

// y is like x but for the size of the axis, which idx has; an empty axis is that of a vector.
Status SetSlices(InferenceContext& c) {
  DF_ASSIGN(const auto axis, KnownIntVector(c, 1, "the axis"));
  PartialShape y = c.input(0);
  PartialShape idx = PartialShape::UnknownOfRank(1);
  if (y.known_rank() && axis && axis->size() <= 1) {
    if (axis->empty()) {
      DF_ASSIGN(y, y.Merge(idx));
    }
    DF_ASSIGN(const int64_t d, CanonicalAxis(axis->empty() ? 0 : (*axis)[0], y.rank()));
    idx.set_dim(0, y.dim(static_cast<int>(d)));
    y.set_dim(static_cast<int>(d), PartialShape::kUnknown);
  } else if (y.known_rank()) {
    y = PartialShape::UnknownOfRank(y.rank());
  }
  c.set_output(0, std::move(y));
  c.set_output(1, std::move(idx));
  return Status();
}

// The values of a vector, or the slices of a tensor along an axis, and the index of each among those.
void Uniques(OpBuilder& op) {
  op.Output("y: T")
      .Output("idx: out_idx")
      .Attr("T: type")
      .Attr("out_idx: {int32, int64} = DT_INT32")
      .Shape([](InferenceContext& c) -> Status {
        if (c.num_inputs() > 1) {  // an axis
          DF_TRY(SetSlices(c));
        } else {
          DF_ASSIGN(PartialShape x, c.WithRank(0, 1));
          c.set_output(0, PartialShape::UnknownOfRank(1));
          c.set_output(1, std::move(x));
        }
        if (c.num_outputs() > 2) c.set_output(2, PartialShape::UnknownOfRank(1));
        return Status();
      })
      .GradientEnds(GradientFlow::kZero, {}, "idx");
}
void AlongAxis(OpBuilder& op) {
  op.Input("axis: Taxis").Attr("Taxis: {int32, int64} = DT_INT64");
}

OP("Unique")
    .Input("x: T")
    .As(Uniques)
    .Cost(ScanCost())
    .Doc("The values of x without repeats, in the order of their first appearance, and for each x its index in y.");
OP("UniqueV2")
    .Input("x: T")
    .As(AlongAxis)
    .As(Uniques)
    .Cost(ScanCost())
    .Doc("The slices of x along an axis without repeats, and for each slice its index in y.");
OP("UniqueWithCounts")
    .Input("x: T")
    .As(Uniques)
    .Output("count: out_idx")
    .GradientEnds(GradientFlow::kZero, {}, "count")
    .Cost(ScanCost())
    .Doc("Unique, and how often each value of y is in x.");
OP("UniqueWithCountsV2")
    .Input("x: T")
    .As(AlongAxis)
    .As(Uniques)
    .Output("count: out_idx")
    .GradientEnds(GradientFlow::kZero, {}, "count")
    .Cost(ScanCost())
    .Doc("UniqueV2, and how often each slice of y is in x.");

OP("ListDiff")
    .Input("x: T")
    .Input("y: T")
    .Output("out: T")
    .Output("idx: out_idx")
    .Attr("T: type")
    .Attr("out_idx: {int32, int64} = DT_INT32")
    .Shape([](InferenceContext& c) -> Status {
      for (int i = 0; i < 2; ++i) {
        DF_TRY(c.WithRank(i, 1).status());
        c.set_output(i, PartialShape::UnknownOfRank(1));
      }
      return Status();
    })
    .GradientEnds(GradientFlow::kZero, {"y"})
    .GradientEnds(GradientFlow::kZero, {}, "idx")
    .Cost([](const CostContext& c) { return WholeCost(c, c.input_elements(0) + c.input_elements(1)); })
    .Doc("The values of x that are not in y, in order, and their indices in x.");

}  // namespace
}  // namespace dfrun
