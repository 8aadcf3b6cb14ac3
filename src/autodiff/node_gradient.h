// The GradientBuilder that the gradient function of one node sees.
#ifndef DFRUN_SRC_AUTODIFF_NODE_GRADIENT_H_
#define DFRUN_SRC_AUTODIFF_NODE_GRADIENT_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/autodiff/gradient_value.h"
#include "src/autodiff/node_adder.h"

namespace dfrun {

// Collects the gradients that a gradient function sets. A sparse dy that the function passes on untouched (Identity)
// stays sparse: dy() gives a token for it, {kSparseToken, output}, which becomes a dense tensor only when a node takes
// it as input.
class NodeGradient final : public GradientBuilder {
 public:
  // `dys`: one an output of the node. `attrs`: AttrsForRule(). `scope` and `place`: of the differentiation, which
  // outlive this.
  NodeGradient(Graph& graph, NodeId node, std::string_view scope, std::vector<GradientValue> dys, AttrMap attrs,
               NodeSink* sink);

  // The first error, and the gradient set for each input. Call after the gradient function ran.
  const Status& status() const { return adder_.status(); }
  const std::vector<GradientValue>& dxs() const { return dxs_; }
  // Whether the function set the gradient of the input, or said that it is zero; whether it asked for that of the
  // output.
  bool is_given(int input) const { return dxs_[input].exists || is_zero_[input]; }
  bool is_used(int output) const { return is_used_[output]; }

  int num_inputs() const override { return node_.num_inputs(); }
  int num_outputs() const override { return node_.num_outputs(); }
  Output x(int input) const override { return node_.inputs[input]; }
  Output y(int output) const override { return {node_.id, output}; }
  const AttrMap& attrs() const override { return attrs_; }
  DType dtype(Output value) const override;
  PartialShape shape(Output value) const override;
  std::string_view scope() const override { return scope_; }
  bool has_dy(int i) const override {
    is_used_[i] = true;
    return dys_[i].exists;
  }
  Output dy(int i) override;
  void SetSparseGradient(int input, Output indices, Output values) override;
  void SetZeroGradient(int input) override;
  using GradientBuilder::AddNode;
  AddedNode AddNode(std::string_view op, std::span<const Output> inputs, const AttrMap& attrs) override;
  Output Const(Tensor value) override { return adder_.Const(std::move(value)); }
  Output ScalarLike(Output like, double value) override { return adder_.Scalar(dtype(like), value); }
  void Fail(Status status) override { adder_.Fail(std::move(status)); }

 private:
  static constexpr int32_t kSparseToken = -2;

  void SetGradient(int input, Output value) override;
  // Returns true where a gradient may be set for the input, and may be this value; otherwise the builder has failed.
  bool CheckInput(int input);
  bool CheckFits(int input, Output value);
  Output DenseDy(int i);

  Graph& graph_;
  const Node& node_;
  const std::string_view scope_;
  NodeAdder adder_;
  std::vector<GradientValue> dys_;
  const AttrMap attrs_;
  std::vector<GradientValue> dxs_;
  std::vector<bool> is_zero_;          // by input
  mutable std::vector<bool> is_used_;  // by output
};

}  // namespace dfrun

#endif  // DFRUN_SRC_AUTODIFF_NODE_GRADIENT_H_
