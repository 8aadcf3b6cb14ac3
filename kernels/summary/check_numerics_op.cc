#include "src/framework/op/op.h"

namespace dfrun {
namespace {

void ChecksNumerics(OpBuilder& op) {
  op.Input("tensor: T").Output("output: T").Attr("T: {bfloat16, half, float, double}").Attr("message: string");
  op.Stateful().Shape(SameAsInput(0)).Gradient([](GradientBuilder& g) {
    const std::string message = "NaN or infinity in the gradient. " + g.attr<std::string>("message");
    g.dx(0) = g.Op("CheckNumerics", AttrMap{{"message", message}}, g.dy(0));
  });
}

OP("CheckNumerics").As(ChecksNumerics).Doc("The input; InvalidArgument where it has NaN or infinity.");
OP("CheckNumericsV2").As(ChecksNumerics).Doc("The input; InvalidArgument that tells NaN, -Inf and +Inf apart.");

}  // namespace
}  // namespace dfrun
