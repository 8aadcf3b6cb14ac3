// The gamma function and its kin.
#include "kernels/math/functions/gradients.h"
#include "kernels/math/functions/signatures.h"

namespace dfrun {
namespace {

OP("Lgamma")
    .As(UnaryOp<kFloats>)
    .Gradient(TimesDerivative([](GradientBuilder& g, Output x) -> Output { return g.Op("Digamma", x); }))
    .Doc("The logarithm of the absolute value of the gamma function.");

OP("Digamma")
    .As(UnaryOp<kFloats>)
    .Gradient(TimesDerivative([](GradientBuilder& g, Output x) -> Output {
      return g.Op("Polygamma", g.ScalarLike(x, 1), x);
    }))
    .Doc("The derivative of Lgamma.");

OP("Polygamma")
    .Input("a: T")
    .Input("x: T")
    .Output("z: T")
    .Attr(kWideFloats)
    .Shape(BroadcastOfInputs())
    .Gradient([](GradientBuilder& g) {
      const Output next = g.Op("AddV2", g.x(0), g.ScalarLike(g.x(0), 1));
      SetBroadcastGradient(g, 1, g.Op("Mul", g.dy(0), g.Op("Polygamma", next, g.x(1))));
    })
    .GradientEnds(GradientFlow::kNone, {"a"})
    .Doc("The derivative of order a of Digamma at x; NaN where a is no integer from 0 on.");

OP("Zeta")
    .Input("x: T")
    .Input("q: T")
    .Output("z: T")
    .Attr(kWideFloats)
    .Shape(BroadcastOfInputs())
    .Gradient([](GradientBuilder& g) {
      const Output next = g.Op("AddV2", g.x(0), g.ScalarLike(g.x(0), 1));
      const Output derivative = g.Op("Mul", g.Op("Neg", g.x(0)), g.Op("Zeta", next, g.x(1)));
      SetBroadcastGradient(g, 1, g.Op("Mul", g.dy(0), derivative));
    })
    .GradientEnds(GradientFlow::kNone, {"x"})
    .Doc("The Hurwitz zeta function: the sum of 1 / (q + n)^x over n = 0, 1, 2, ...");

// All operands of one shape, but for scalars.
Status BetaincShape(InferenceContext& c) {
  PartialShape output;  // shape of the operands that are no scalars
  int scalars = 0;
  for (int i = 0; i < 3; ++i) {
    if (c.input(i).rank() == 0) {
      ++scalars;
    } else {
      DF_ASSIGN(output, output.Merge(c.input(i)));
    }
  }
  c.set_output(0, scalars == 3 ? PartialShape::Scalar() : std::move(output));
  return Status();
}

OP("Betainc")
    .Input("a: T")
    .Input("b: T")
    .Input("x: T")
    .Output("z: T")
    .Attr(kWideFloats)
    .Shape(BetaincShape)
    .Gradient([](GradientBuilder& g) {
      const Output one = g.ScalarLike(g.x(0), 1);
      const Output a = g.x(0);
      const Output b = g.x(1);
      const Output x = g.x(2);
      const Output log_beta =
          g.Op("Sub", g.Op("AddV2", g.Op("Lgamma", a), g.Op("Lgamma", b)), g.Op("Lgamma", g.Op("AddV2", a, b)));
      const Output log_power =
          g.Op("AddV2", g.Op("Xlog1py", g.Op("Sub", b, one), g.Op("Neg", x)), g.Op("Xlogy", g.Op("Sub", a, one), x));
      const Output derivative = g.Op("Exp", g.Op("Sub", log_power, log_beta));
      SetSummedGradient(g, 2, g.Op("Mul", derivative, g.dy(0)), g.y(0));
    })
    .GradientEnds(GradientFlow::kNone, {"a", "b"})
    .Rows(RowsOfElements())
    .Doc("The regularised incomplete beta function of x in [0, 1].");

}  // namespace
}  // namespace dfrun
