#include "src/autodiff/node_gradient.h"

#include "src/autodiff/gradient_sum.h"

namespace dfrun {

NodeGradient::NodeGradient(Graph& graph, NodeId node, std::string_view scope, std::vector<GradientValue> dys,
                           AttrMap attrs, NodeSink* sink)
    : graph_(graph),
      node_(graph.node(node)),
      scope_(scope),
      adder_(graph, GradientPrefix(scope, node_.name), node_.name, sink),
      dys_(std::move(dys)),
      attrs_(std::move(attrs)),
      dxs_(node_.inputs.size()),
      is_zero_(node_.inputs.size(), false),
      is_used_(node_.output_types.size(), false) {}

DType NodeGradient::dtype(Output value) const {
  if (value.node == kSparseToken) return graph_.dtype(y(value.port));
  return value.valid() ? graph_.dtype(value) : DType::kInvalid;
}

PartialShape NodeGradient::shape(Output value) const {
  if (value.node == kSparseToken) return graph_.shape(y(value.port));
  return value.valid() ? graph_.shape(value) : PartialShape();
}

Output NodeGradient::dy(int i) {
  GradientValue& dy = dys_[i];
  is_used_[i] = true;
  if (!dy.exists) dy = GradientValue::Dense(adder_.Add("ZerosLike", {y(i)}));
  return dy.is_sparse ? Output{kSparseToken, i} : dy.dense;
}

Output NodeGradient::DenseDy(int i) {
  GradientValue& dy = dys_[i];
  if (dy.is_sparse) dy = GradientValue::Dense(ScatterToDense(graph_, adder_, dy, y(i)));
  return dy.dense;
}

AddedNode NodeGradient::AddNode(std::string_view op, std::span<const Output> inputs, const AttrMap& attrs) {
  std::vector<Output> values(inputs.begin(), inputs.end());
  for (Output& value : values) {
    if (value.node == kSparseToken) value = DenseDy(value.port);
  }
  return adder_.Add(op, values, attrs);
}

bool NodeGradient::CheckInput(int input) {
  if (!status().ok()) return false;
  if (input >= 0 && input < num_inputs()) return true;
  Fail(Internal("the gradient function sets the gradient of input ", input, " of ", num_inputs()));
  return false;
}

bool NodeGradient::CheckFits(int input, Output value) {
  const DType wanted = graph_.dtype(x(input));
  if (wanted == DType::kResource) return true;  // the handle does not show the variable's dtype and shape
  if (dtype(value) == wanted && shape(value).IsCompatibleWith(graph_.shape(x(input)))) return true;
  Fail(Internal("the gradient of input ", input, " came out as ", dtype(value), shape(value), ", but the input is ",
                wanted, graph_.shape(x(input))));
  return false;
}

void NodeGradient::SetGradient(int input, Output value) {
  if (!CheckInput(input)) return;
  if (value.node == kSparseToken) {
    if (CheckFits(input, value)) dxs_[input] = dys_[value.port];
    return;
  }
  if (!value.valid()) {
    Fail(Internal("the gradient function sets the gradient of input ", input, " to no value"));
    return;
  }
  if (CheckFits(input, value)) dxs_[input] = GradientValue::Dense(value);
}

void NodeGradient::SetZeroGradient(int input) {
  if (CheckInput(input)) is_zero_[input] = true;
}

void NodeGradient::SetSparseGradient(int input, Output indices, Output values) {
  if (!CheckInput(input)) return;
  dxs_[input] = GradientValue::Sparse(indices, values);
}

}  // namespace dfrun
