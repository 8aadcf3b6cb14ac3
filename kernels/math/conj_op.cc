#include "src/framework/op.h"

namespace dfrun {
namespace {

OP("Conj")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {complex64, complex128} = DT_COMPLEX64")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Conj", g.dy(0)); })
    .Doc("The complex conjugate, element by element.");

}  // namespace
}  // namespace dfrun
