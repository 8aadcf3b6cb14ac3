#include "src/graph/shape_inference.h"

#include <utility>

#include "src/framework/op/component_inference.h"
#include "src/graph/constant_evaluation.h"
#include "src/graph/handle_maker.h"
#include "src/graph/queue_shapes.h"

namespace dfrun {
namespace {

class NodeInference final : public InferenceContext, public ComponentInference {
 public:
  NodeInference(const Graph& graph, const Node& node)
      : graph_(graph), node_(node), outputs_(node.output_types.size()) {}

  int num_inputs() const override { return node_.num_inputs(); }
  int num_outputs() const override { return node_.num_outputs(); }
  const PartialShape& input(int i) const override {
    static const PartialShape unknown;
    if (graph_.IsBackEdge(node_, i) && node_.inputs[0].valid()) i = 0;
    return IsKnownEdge(i) ? graph_.shape(node_.inputs[i]) : unknown;
  }
  DType input_dtype(int i) const override { return node_.input_types[i].dtype; }
  const Tensor* input_value(int i) const override {
    return IsKnownEdge(i) ? graph_.ConstantValue(node_.inputs[i]) : nullptr;
  }
  PartialShape input_as_shape(int i) const override {
    return IsKnownEdge(i) ? ConstantPartialShape(graph_, node_.inputs[i]) : PartialShape();
  }
  PartialShape handle_shape(int i) const override {
    return IsKnownEdge(i) ? graph_.HandleShape(node_.inputs[i]) : PartialShape();
  }
  std::vector<PartialShape> component_shapes(int i) const override {
    return IsKnownEdge(i) ? QueueShapes(graph_, node_.inputs[i]) : std::vector<PartialShape>();
  }
  const AttrMap& attrs() const override { return node_.attrs; }
  void set_output(int i, PartialShape shape) override { outputs_[i] = std::move(shape); }

  std::vector<PartialShape> TakeOutputs() { return std::move(outputs_); }

 private:
  bool IsKnownEdge(int i) const { return node_.inputs[i].valid() && !graph_.IsBackEdge(node_, i); }

  const Graph& graph_;
  const Node& node_;
  std::vector<PartialShape> outputs_;
};

}  // namespace

Status InferNodeShapes(const Graph& graph, Node& node) {
  DF_TRY(CheckHandleDType(graph, node));
  NodeInference inference(graph, node);
  DF_TRY(node.op->shape_fn(inference));
  node.output_shapes = inference.TakeOutputs();
  return Status();
}

PartialShape CommonShape(const PartialShape& a, const PartialShape& b) {
  if (!a.known_rank() || a.rank() != b.rank()) return PartialShape();
  PartialShape common = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (a.dim(i) != b.dim(i)) common.set_dim(i, PartialShape::kUnknown);
  }
  return common;
}

}  // namespace dfrun
