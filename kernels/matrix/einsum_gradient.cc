#include "kernels/matrix/einsum_gradient.h"

#include <algorithm>

#include "kernels/math/functions/gradients.h"
#include "kernels/matrix/einsum_equation.h"

namespace dfrun {
namespace {

Output Einsum(GradientBuilder& g, const std::vector<Output>& operands, const std::string& equation) {
  return g.AddNode("Einsum", operands, {{"equation", equation}});
}

Output Int(GradientBuilder& g, int32_t value) {
  return g.Const(Tensor::Scalar(value));
}

// The labels of `subscript`, once each, that `others` do not have.
std::string LabelsBeside(const EinsumSubscript& subscript, const std::string& others) {
  std::string labels;
  for (char label : subscript.before + subscript.after) {
    if ((others + labels).find(label) == std::string::npos) labels += label;
  }
  return labels;
}

EinsumSubscript Without(EinsumSubscript subscript, const std::string& labels) {
  const auto drop = [&](char label) { return labels.find(label) != std::string::npos; };
  std::erase_if(subscript.before, drop);
  std::erase_if(subscript.after, drop);
  return subscript;
}

// Element i of a shape's value, from its end where i is negative; as a vector.
Output SizeAt(GradientBuilder& g, Output shape, int32_t i) {
  const Output begin = i >= 0 ? Int(g, i) : Output(g.Op("AddV2", g.Op("Size", shape), Int(g, i)));
  return g.Op("Slice", shape, g.Op("ExpandDims", begin, Int(g, 0)), g.Const({int32_t{1}}));
}

// The first dimension of a label: negative, from the end, where an ellipsis comes before it.
int32_t AxisOf(const EinsumSubscript& subscript, char label) {
  const size_t before = subscript.before.find(label);
  if (before != std::string::npos) return static_cast<int32_t>(before);
  return static_cast<int32_t>(subscript.after.find(label)) - static_cast<int32_t>(subscript.after.size());
}

// The gradient of a sum: `grad` (dimensions `kept`) repeated along the dimensions `summed` of the operand.
Output Spread(GradientBuilder& g, Output grad, const EinsumSubscript& kept, Output operand,
              const EinsumSubscript& subscript, const std::string& summed) {
  const Output shape = g.Op("Shape", operand);
  std::vector<Output> sizes;
  for (char label : summed) sizes.push_back(SizeAt(g, shape, AxisOf(subscript, label)));
  sizes.push_back(g.Op("Shape", grad));
  sizes.push_back(Int(g, 0));
  const Output spread = g.Op("BroadcastTo", grad, g.AddNode("ConcatV2", sizes, {}));
  return Einsum(g, {spread}, StrCat(summed, kept.ToString(), "->", subscript.ToString()));
}

// The gradient of an operand, where `grad` reached the output and the other operand is `other`. It is not yet summed
// over dimensions that were broadcast.
Output OperandGradient(GradientBuilder& g, Output operand, const EinsumSubscript& subscript, Output other,
                       const EinsumSubscript& other_subscript, const EinsumSubscript& output) {
  const std::string summed =
      LabelsBeside(subscript, output.before + output.after + other_subscript.before + other_subscript.after);
  const EinsumSubscript kept = Without(subscript, summed);
  const Output grad =
      Einsum(g, {g.dy(0), other}, StrCat(output.ToString(), ",", other_subscript.ToString(), "->", kept.ToString()));
  return summed.empty() ? grad : Spread(g, grad, kept, operand, subscript, summed);
}

// The sizes under the ellipsis, of a tensor of known rank and of one whose rank the step knows.
Output EllipsisSizes(GradientBuilder& g, Output operand, const EinsumSubscript& subscript) {
  const Output shape = g.Op("Shape", operand);
  const Output count = g.Op("Sub", g.Op("Size", shape), Int(g, subscript.num_labels()));
  return g.Op("Slice", shape, g.Const({static_cast<int32_t>(subscript.before.size())}),
              g.Op("ExpandDims", count, Int(g, 0)));
}

bool EllipsesAreEqual(GradientBuilder& g, const EinsumSubscript& x, const EinsumSubscript& y) {
  const PartialShape x_shape = g.shape(g.x(0));
  const PartialShape y_shape = g.shape(g.x(1));
  if (!x_shape.IsFullyDefined() || !y_shape.IsFullyDefined()) return false;
  const auto dims = [](const PartialShape& shape, const EinsumSubscript& subscript) {
    return std::vector<int64_t>(shape.dims().begin() + static_cast<int64_t>(subscript.before.size()),
                                shape.dims().end() - static_cast<int64_t>(subscript.after.size()));
  };
  return dims(x_shape, x) == dims(y_shape, y);
}

// `grad` summed over the ellipsis dimensions `axes` along which input i was repeated.
Output SumRepeated(GradientBuilder& g, int i, Output grad, Output axes, const EinsumSubscript& subscript) {
  const Output shifted = g.Op("AddV2", axes, Int(g, static_cast<int32_t>(subscript.before.size())));
  return g.Op("Reshape", g.Op("Sum", grad, shifted), g.Op("Shape", g.x(i)));
}

void GradientOfOne(GradientBuilder& g, const EinsumEquation& equation) {
  const EinsumSubscript& input = equation.inputs[0];
  const std::string summed = LabelsBeside(input, equation.output.before + equation.output.after);
  if (summed.empty()) {
    g.dx(0) = Einsum(g, {g.dy(0)}, StrCat(equation.output.ToString(), "->", input.ToString()));
  } else {
    g.dx(0) = Spread(g, g.dy(0), equation.output, g.x(0), input, summed);
  }
}

void GradientOfTwo(GradientBuilder& g, EinsumEquation equation) {
  const EinsumSubscript& output = equation.output;
  EinsumSubscript& x = equation.inputs[0];
  EinsumSubscript& y = equation.inputs[1];
  // The ellipsis of "...ij,jk->...ik" may stand for nothing, but the gradient's equation needs it in every operand.
  if (output.has_ellipsis) x.has_ellipsis = y.has_ellipsis = true;
  const Output x_grad = OperandGradient(g, g.x(0), x, Conj(g, g.x(1)), y, output);
  const Output y_grad = OperandGradient(g, g.x(1), y, Conj(g, g.x(0)), x, output);
  if (!output.has_ellipsis || EllipsesAreEqual(g, x, y)) {
    g.dx(0) = x_grad;
    g.dx(1) = y_grad;
    return;
  }
  const AddedNode axes = g.Op("BroadcastGradientArgs", EllipsisSizes(g, g.x(0), x), EllipsisSizes(g, g.x(1), y));
  g.dx(0) = SumRepeated(g, 0, x_grad, axes[0], x);
  g.dx(1) = SumRepeated(g, 1, y_grad, axes[1], y);
}

}  // namespace

void EinsumGradient(GradientBuilder& g) {
  Result<EinsumEquation> equation = EinsumEquation::Parse(g.attr<std::string>("equation"));
  if (!equation.ok()) {
    g.Fail(equation.status());
  } else if (equation->inputs.size() == 1) {
    GradientOfOne(g, *equation);
  } else {
    GradientOfTwo(g, *std::move(equation));
  }
}

}  // namespace dfrun
