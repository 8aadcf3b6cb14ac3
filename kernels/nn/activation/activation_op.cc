// Activation functions: signatures and gradients. The gradient ops take what TensorFlow's take: Relu's and Elu's kin
// the result, Softplus, Softsign and LeakyRelu the argument.
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

constexpr const char* kRealT =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";
constexpr const char* kReluT =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8}";
constexpr const char* kFloatT = "T: {half, bfloat16, float, double}";

Status GradientShape(InferenceContext& c) {
  DF_ASSIGN(PartialShape shape, c.input(0).Merge(c.input(1)));
  c.set_output(0, std::move(shape));
  return Status();
}

template <const char* const* kTypes>
void Activation(OpBuilder& op) {
  op.Input("features: T").Output("activations: T").Attr(*kTypes).Shape(SameAsInput(0)).Rows(RowsOfElements()).Total();
}
// The gradient ops of an activation: by dy and the op's result, or by dy and its argument.
template <const char* const* kTypes>
void GradientByResult(OpBuilder& op) {
  op.Input("gradients: T").Input("outputs: T").Output("backprops: T").Attr(*kTypes).Shape(&GradientShape);
  op.Rows(RowsOfElements()).Total();
}
template <const char* const* kTypes>
void GradientByArgument(OpBuilder& op) {
  op.Input("gradients: T").Input("features: T").Output("backprops: T").Attr(*kTypes).Shape(&GradientShape);
  op.Rows(RowsOfElements()).Total();
}
void LeakyAttrs(OpBuilder& op) {
  op.Attr("alpha: float = 0.2").Attr("T: {half, bfloat16, float, double} = float").Total();
}

// The gradient of a gradient op that is linear in dy and piecewise linear in its second input: dy alone has one.
GradientFn OfDyAlone(const char* op) {
  return [op](GradientBuilder& g) { g.dx(0) = g.Op(op, g.dy(0), g.x(1)); };
}

// EluGrad and SeluGrad are bilinear where y < 0, and do not depend on y elsewhere.
GradientFn OfEluKind(const char* op) {
  return [op](GradientBuilder& g) {
    g.dx(0) = g.Op(op, g.dy(0), g.x(1));
    const Output zeros = g.Op("ZerosLike", g.x(1));
    g.dx(1) = g.Op("Select", g.Op("Less", g.x(1), zeros), g.Op("Mul", g.dy(0), g.x(0)), zeros);
  };
}

// d/dx of dy / (exp(-x) + 1).
void SoftplusGradGradient(GradientBuilder& g) {
  const Output dy = g.x(0);
  const Output x = g.x(1);
  g.dx(0) = g.Op("SoftplusGrad", g.dy(0), x);
  const Output exps = g.Op("AddV2", g.Op("Exp", x), g.Op("Exp", g.Op("Neg", x)));
  const Output denominator = g.Op("AddV2", exps, g.ScalarLike(x, 2));
  g.dx(1) = g.Op("RealDiv", g.Op("Mul", g.dy(0), dy), denominator);
}

}  // namespace

OP("Relu")
    .As(&Activation<&kReluT>)
    .Alias("ReLU")
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("ReluGrad", g.dy(0), g.y(0)); })
    .ComputesEach(UnaryLoopOf(ElementwiseLoop::kRelu))
    .Doc("max(x, 0), element by element.");
OP("Relu6")
    .As(&Activation<&kRealT>)
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Relu6Grad", g.dy(0), g.y(0)); })
    .Doc("min(max(x, 0), 6), element by element.");
OP("Elu")
    .As(&Activation<&kFloatT>)
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("EluGrad", g.dy(0), g.y(0)); })
    .Doc("exp(x) - 1 where x < 0, else x.");
OP("Selu")
    .As(&Activation<&kFloatT>)
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("SeluGrad", g.dy(0), g.y(0)); })
    .Doc("scale * (alpha * (exp(x) - 1) where x < 0, else x), with the constants that keep mean 0 and variance 1.");
OP("Softplus")
    .As(&Activation<&kFloatT>)
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("SoftplusGrad", g.dy(0), g.x(0)); })
    .Doc("log(1 + exp(x)), element by element.");
OP("Softsign")
    .As(&Activation<&kFloatT>)
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("SoftsignGrad", g.dy(0), g.x(0)); })
    .Doc("x / (1 + |x|), element by element.");

OP("ReluGrad")
    .As(&GradientByArgument<&kRealT>)
    .Gradient(OfDyAlone("ReluGrad"))
    .GradientEnds(GradientFlow::kZero, {"features"})
    .ComputesEach(GradientLoopOf(ElementwiseLoop::kReluGrad))
    .Doc("gradients where features > 0, else 0.");
OP("Relu6Grad")
    .As(&GradientByArgument<&kRealT>)
    .Gradient(OfDyAlone("Relu6Grad"))
    .GradientEnds(GradientFlow::kZero, {"features"})
    .Doc("gradients where 0 < features < 6, else 0.");
OP("EluGrad")
    .As(&GradientByResult<&kFloatT>)
    .Gradient(OfEluKind("EluGrad"))
    .Doc("gradients * (outputs + 1) where outputs < 0, else gradients.");
OP("SeluGrad")
    .As(&GradientByResult<&kFloatT>)
    .Gradient(OfEluKind("SeluGrad"))
    .Doc("gradients * (outputs + scale * alpha) where outputs < 0, else gradients * scale.");
OP("SoftplusGrad")
    .As(&GradientByArgument<&kFloatT>)
    .Gradient(&SoftplusGradGradient)
    .Doc("gradients / (exp(-features) + 1).");
OP("SoftsignGrad").As(&GradientByArgument<&kFloatT>).Doc("gradients / (1 + |features|)^2.");

OP("LeakyRelu")
    .Input("features: T")
    .Output("activations: T")
    .As(&LeakyAttrs)
    .Shape(SameAsInput(0))
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("LeakyReluGrad", {{"alpha", g.attr<float>("alpha")}}, g.dy(0), g.x(0));
    })
    .Rows(RowsOfElements())
    .Doc("x where x > 0, else alpha * x.");

OP("LeakyReluGrad")
    .Input("gradients: T")
    .Input("features: T")
    .Output("backprops: T")
    .As(&LeakyAttrs)
    .Shape(&GradientShape)
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("LeakyReluGrad", {{"alpha", g.attr<float>("alpha")}}, g.dy(0), g.x(1));
    })
    .GradientEnds(GradientFlow::kZero, {"features"})
    .Doc("gradients where features > 0, else alpha * gradients.");

}  // namespace dfrun
