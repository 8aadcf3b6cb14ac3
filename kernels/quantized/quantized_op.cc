// Arithmetic on quantised integers. Each tensor comes with the ends of its range, and so does each result.
#include <string>

#include "kernels/matrix/product_cost.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

std::string QuantizedAttr(const char* name, const char* otherwise = "") {
  return std::string(name) + ": {qint8, quint8, qint32, qint16, quint16}" + otherwise;
}

// Inputs from `first` on, and outputs 1 and 2, are scalars.
Status Ends(InferenceContext& c, int first) {
  for (int i = first; i < c.num_inputs(); ++i) DF_TRY(c.WithRank(i, 0).status());
  for (int i = 1; i < c.num_outputs(); ++i) c.set_output(i, PartialShape::Scalar());
  return Status();
}

Status SameWithEnds(InferenceContext& c) {
  c.set_output(0, c.input(0));
  return Ends(c, 1);
}

Status MatMulShape(InferenceContext& c) {
  DF_ASSIGN(const PartialShape a, c.WithRank(0, 2));
  DF_ASSIGN(const PartialShape b, c.WithRank(1, 2));
  DF_ASSIGN(const bool transpose_a, c.attr<bool>("transpose_a"));
  DF_ASSIGN(const bool transpose_b, c.attr<bool>("transpose_b"));
  DF_TRY(PartialShape({a.dim(transpose_a ? 0 : 1)}).Merge(PartialShape({b.dim(transpose_b ? 1 : 0)})).status());
  c.set_output(0, PartialShape({a.dim(transpose_a ? 1 : 0), b.dim(transpose_b ? 0 : 1)}));
  return Ends(c, 2);
}

Status BiasShape(InferenceContext& c) {
  DF_ASSIGN(PartialShape x, c.WithRankAtLeast(0, 2));
  DF_ASSIGN(const PartialShape bias, c.WithRank(1, 1));
  if (x.known_rank()) {
    DF_ASSIGN(const PartialShape last, bias.Merge(PartialShape({x.dim(x.rank() - 1)})));
    x.set_dim(x.rank() - 1, last.dim(0));
  }
  c.set_output(0, std::move(x));
  return Ends(c, 2);
}

void Activation(OpBuilder& op) {
  op.Input("features: Tinput").Input("min_features: float").Input("max_features: float");
  op.Output("activations: out_type").Output("min_activations: float").Output("max_activations: float");
  op.Attr(QuantizedAttr("Tinput")).Attr(QuantizedAttr("out_type", " = quint8")).Shape(SameWithEnds);
}

void OfRange(OpBuilder& op) {
  op.Input("input: Tinput").Input("input_min: float").Input("input_max: float").Attr(QuantizedAttr("Tinput"));
}

void ToOtherType(OpBuilder& op) {
  op.Output("output: out_type").Output("output_min: float").Output("output_max: float");
  op.Attr(QuantizedAttr("out_type")).Shape(SameWithEnds);
}

}  // namespace

OP("QuantizedMatMul")
    .Input("a: T1")
    .Input("b: T2")
    .Input("min_a: float")
    .Input("max_a: float")
    .Input("min_b: float")
    .Input("max_b: float")
    .Output("out: Toutput")
    .Output("min_out: float")
    .Output("max_out: float")
    .Attr(QuantizedAttr("T1"))
    .Attr(QuantizedAttr("T2"))
    .Attr(QuantizedAttr("Toutput", " = qint32"))
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr(QuantizedAttr("Tactivation", " = quint8"))
    .Shape(MatMulShape)
    .Cost(ProductCost("transpose_a"))
    .Doc("The product of two quantised matrices, in 32-bit integers.");

OP("QuantizedRelu").As(Activation).Doc("max(features, 0) of quantised features.");
OP("QuantizedRelu6").As(Activation).Doc("min(max(features, 0), 6) of quantised features.");

OP("QuantizedBiasAdd")
    .Input("input: T1")
    .Input("bias: T2")
    .Input("min_input: float")
    .Input("max_input: float")
    .Input("min_bias: float")
    .Input("max_bias: float")
    .Output("output: out_type")
    .Output("min_out: float")
    .Output("max_out: float")
    .Attr(QuantizedAttr("T1"))
    .Attr(QuantizedAttr("T2"))
    .Attr(QuantizedAttr("out_type"))
    .Shape(BiasShape)
    .Cost(ElementwiseCost(2))
    .Doc("Adds a bias to the last dimension, both quantised, in a range wide enough for their sums.");

OP("Requantize")
    .As(OfRange)
    .Input("requested_output_min: float")
    .Input("requested_output_max: float")
    .As(ToOtherType)
    .Cost(ElementwiseCost(4))
    .Doc("The same numbers as integers of a smaller type and another range.");

OP("QuantizeDownAndShrinkRange")
    .As(OfRange)
    .As(ToOtherType)
    .Cost(ElementwiseCost(4))
    .Doc("The same numbers as integers of a smaller type, in the range that they take up.");

OP("RequantizationRange")
    .As(OfRange)
    .Output("output_min: float")
    .Output("output_max: float")
    .Shape([](InferenceContext& c) -> Status {
      c.set_output(0, PartialShape::Scalar());
      return Ends(c, 1);
    })
    .Cost(ScanCost())
    .Doc("The range that quantised numbers take up; it begins at 0 or below.");

}  // namespace dfrun
