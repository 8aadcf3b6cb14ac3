#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

OP("Cast")
    .Input("x: SrcT")
    .Output("y: DstT")
    .Attr("SrcT: type")
    .Attr("DstT: type")
    .Attr("Truncate: bool = false")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) {
      const DType from = g.dtype(g.x(0));
      const DType to = g.dtype(g.y(0));
      const bool flows = (IsFloating(from) || IsComplex(from)) && (IsFloating(to) || IsComplex(to));
      if (flows) g.dx(0) = g.Op("Cast", AttrMap{{"DstT", from}}, g.dy(0));
    })
    .ConstantValue(&SameConstant)
    .Total()
    .Rows(RowsOfElements())
    .Doc("The elements converted to another dtype; with Truncate, to fewer bits of mantissa towards zero.");

}  // namespace
}  // namespace dfrun
