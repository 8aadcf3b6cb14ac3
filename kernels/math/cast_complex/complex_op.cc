// Complex numbers, their parts and their polar form.
#include "kernels/math/functions/gradients.h"
#include "kernels/math/functions/signatures.h"

namespace dfrun {
namespace {

constexpr char kParts[] = "Tout: {float, double} = DT_FLOAT";

// Each input number to one of its parts.
void PartOf(OpBuilder& op) {
  op.Input("input: T").Output("output: Tout").Attr(kComplex).Attr(kParts).Shape(SameAsInput(0));
}

// real + i imag, of the complex dtype that has such parts.
Output ComplexOf(GradientBuilder& g, Output real, Output imag) {
  const DType dtype = g.dtype(real) == DType::kDouble ? DType::kComplex128 : DType::kComplex64;
  return g.Op("Complex", AttrMap{{"Tout", dtype}}, real, imag);
}

Output Part(GradientBuilder& g, const char* op, Output value) {
  const DType dtype = g.dtype(value) == DType::kComplex128 ? DType::kDouble : DType::kFloat;
  return g.Op(op, AttrMap{{"Tout", dtype}}, value);
}

OP("Complex")
    .Input("real: T")
    .Input("imag: T")
    .Output("out: Tout")
    .Attr("T: {float, double} = DT_FLOAT")
    .Attr("Tout: {complex64, complex128} = DT_COMPLEX64")
    .Shape(BroadcastOfInputs())
    .Gradient([](GradientBuilder& g) { SetBroadcastGradients(g, Part(g, "Real", g.dy(0)), Part(g, "Imag", g.dy(0))); })
    .Cost(CopyCost())
    .Rows(RowsOfElements())
    .Doc("real + i * imag, element by element with broadcasting.");

OP("Real")
    .As(PartOf)
    .Gradient([](GradientBuilder& g) { g.dx(0) = ComplexOf(g, g.dy(0), g.ScalarLike(g.dy(0), 0)); })
    .Cost(CopyCost())
    .Rows(RowsOfElements())
    .Doc("The real parts.");

OP("Imag")
    .As(PartOf)
    .Gradient([](GradientBuilder& g) { g.dx(0) = ComplexOf(g, g.ScalarLike(g.dy(0), 0), g.dy(0)); })
    .Cost(CopyCost())
    .Rows(RowsOfElements())
    .Doc("The imaginary parts.");

OP("Angle")
    .As(PartOf)
    .Gradient([](GradientBuilder& g) {
      const Output swapped = ComplexOf(g, Part(g, "Imag", g.x(0)), Part(g, "Real", g.x(0)));
      const Output dy = ComplexOf(g, g.dy(0), g.ScalarLike(g.dy(0), 0));
      g.dx(0) = g.Op("Mul", g.Op("Neg", dy), g.Op("Reciprocal", swapped));
    })
    .Rows(RowsOfElements())
    .Doc("The angles between the numbers and the positive real axis, in [-pi, pi].");

OP("ComplexAbs")
    .Input("x: T")
    .Output("y: Tout")
    .Attr(kComplex)
    .Attr(kParts)
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) {
      const Output zero = g.ScalarLike(g.dy(0), 0);
      g.dx(0) = g.Op("DivNoNan", g.Op("Mul", ComplexOf(g, g.dy(0), zero), g.x(0)), ComplexOf(g, g.y(0), zero));
    })
    .Rows(RowsOfElements())
    .Doc("The distances of the numbers from 0.");

OP("Conj")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: {complex64, complex128, variant} = DT_COMPLEX64")
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Conj", g.dy(0)); })
    .Rows(RowsOfElements())
    .Doc("The complex conjugate, element by element.");

}  // namespace
}  // namespace dfrun
