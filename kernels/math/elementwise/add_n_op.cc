#include "kernels/math/functions/signatures.h"

namespace dfrun {
namespace {

OP("AddN")
    .Input("inputs: N * T")
    .Output("sum: T")
    .Attr("N: int >= 1")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
        "quint16, uint16, complex128, half, uint32, uint64, variant}")
    .Commutative()
    .Aggregate()
    .Shape(SameAsAllInputs)
    .Gradient([](GradientBuilder& g) {
      for (int i = 0; i < g.num_inputs(); ++i) g.dx(i) = g.dy(0);
    })
    .ComputesEach({ElementwiseLoop::kAdd, 0, false})
    .Cost([](const CostContext& c) { return WholeCost(c, (c.num_inputs() - 1) * c.output_elements(0)); })
    .Total()
    .Rows(RowsOfElements())
    .Doc("The sum of tensors of one shape, added from the first to the last.");

}  // namespace
}  // namespace dfrun
