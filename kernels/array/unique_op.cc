// Ops whose output's size depends on the values.
#include "kernels/array/int_values.h"
#include "src/framework/op.h"

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
    .Doc("The coordinates of the elements that are not zero or false, in row-major order.");

OP("Unique")
    .Input("x: T")
    .Output("y: T")
    .Output("idx: out_idx")
    .Attr("T: type")
    .Attr("out_idx: {int32, int64} = DT_INT32")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(PartialShape x, c.WithRank(0, 1));
      c.set_output(0, PartialShape::UnknownOfRank(1));
      c.set_output(1, std::move(x));
      return Status();
    })
    .NotDifferentiable()
    .Doc("The values of x without repeats, in the order of their first appearance, and for each x its place in y.");

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
    .NotDifferentiable()
    .Doc("The values of x that are not in y, in order, and their places in x.");

}  // namespace
}  // namespace dfrun
