#include "src/passes/export/portable.h"

#include <string>
#include <utility>
#include <vector>

#include "src/autodiff/node_adder.h"
#include "src/passes/graph_rebuilder.h"

namespace dfrun {
namespace {

// Adds the nodes that stand for one node. The last one has its name.
class Substitute final : private NodeBuilder {
 public:
  // `is_done`: by node of `from`, whether something stands for it already.
  Substitute(const Graph& from, const Consumers& consumers, const Node& node, GraphRebuilder& rebuilder,
             std::vector<bool>& is_done)
      : from_(from),
        consumers_(consumers),
        node_(node),
        rebuilder_(rebuilder),
        is_done_(is_done),
        adder_(rebuilder.to(), node.name + "/", "") {}

  // Replaces the node's one output by an op of the node's name, and by the nodes that `lower` adds before.
  Status ReplaceByNodes(const LoweringFn& lower) {
    LoweredNode last = lower(*this);
    DF_TRY(adder_.status());
    NodeSpec spec;
    spec.name = node_.name;
    spec.op = std::move(last.op);
    spec.inputs = std::move(last.inputs);
    spec.device = node_.device;
    spec.colocate_with = node_.colocate_with;
    for (NodeId before : node_.control_inputs) {
      const NodeId now = rebuilder_.to().Find(from_.node(before).name);
      if (now >= 0) spec.control_inputs.push_back(now);
    }
    DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
    rebuilder_.Replace({node_.id, 0}, {made, 0});
    rebuilder_.ReplaceControl(node_.id, made);
    return Status();
  }

  // Replaces each output by a placeholder. If an Identity names the output, the placeholder replaces it under its name.
  Status ReplaceByPlaceholders() {
    for (int i = 0; i < node_.num_outputs(); ++i) {
      const Node* named = NamedBy(i);
      NodeSpec spec;
      spec.name = named != nullptr ? named->name : rebuilder_.to().UniqueName(StrCat(node_.name, "/component_", i));
      spec.op = "Placeholder";
      spec.attrs = {{"dtype", node_.output_types[i].dtype}, {"shape", node_.output_shapes[i]}};
      spec.device = named != nullptr ? named->device : node_.device;
      DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
      rebuilder_.Replace({node_.id, i}, {made, 0});
      if (i == 0) rebuilder_.ReplaceControl(node_.id, made);
      if (named == nullptr) continue;
      rebuilder_.Replace({named->id, 0}, {made, 0});
      rebuilder_.ReplaceControl(named->id, made);
      is_done_[static_cast<size_t>(named->id)] = true;
    }
    return Status();
  }

 private:
  int num_inputs() const override { return node_.num_inputs(); }
  Output x(int input) const override { return rebuilder_.NewOutput(node_.inputs[static_cast<size_t>(input)]); }
  const AttrMap& attrs() const override { return node_.attrs; }
  DType dtype(Output value) const override { return rebuilder_.to().dtype(value); }
  PartialShape shape(Output value) const override { return rebuilder_.to().shape(value); }
  AddedNode AddNode(std::string_view op, std::span<const Output> inputs, const AttrMap& attrs) override {
    return adder_.Add(op, {inputs.begin(), inputs.end()}, attrs);
  }
  Output Const(Tensor value) override { return adder_.Const(std::move(value)); }
  Output ScalarLike(Output like, double value) override { return adder_.Scalar(dtype(like), value); }
  void Fail(Status status) override { adder_.Fail(std::move(status)); }

  // Returns null where no Identity, or one that waits for something else, reads the output.
  const Node* NamedBy(int port) const {
    for (const Consumers::Edge& edge : consumers_.of(node_.id)) {
      const Node& reader = from_.node(edge.node);
      if (edge.port == port && reader.op->name == "Identity" && reader.control_inputs.empty()) return &reader;
    }
    return nullptr;
  }

  const Graph& from_;
  const Consumers& consumers_;
  const Node& node_;
  GraphRebuilder& rebuilder_;
  std::vector<bool>& is_done_;
  NodeAdder adder_;
};

// An error that names every node of which `is_wrong` holds.
template <class F>
Status Refuse(const Graph& graph, const char* why, F&& is_wrong) {
  std::string text;
  for (const Node& node : graph.nodes()) {
    if (is_wrong(node)) text += StrCat("\n  node '", node.name, "': ", node.op->name);
  }
  return text.empty() ? Status() : Unimplemented(why, ":", text);
}

}  // namespace

Status CheckPortable(const Graph& graph) {
  return Refuse(graph, "TensorFlow has no such ops", [](const Node& node) { return node.op->traits.is_own(); });
}

Result<Graph> MakePortable(const Graph& graph) {
  DF_TRY(Refuse(graph, "these ops have no form in TensorFlow's ops",
                [](const Node& node) { return node.op->traits.portable.kind == PortableForm::Kind::kNone; }));
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  const Consumers consumers = graph.BuildConsumers();
  std::vector<bool> is_done(static_cast<size_t>(graph.num_nodes()), false);
  GraphRebuilder rebuilder(graph);
  for (NodeId id : order) {
    if (is_done[static_cast<size_t>(id)]) continue;
    const Node& node = graph.node(id);
    if (!node.op->traits.is_own()) {
      rebuilder.Keep(id);
      continue;
    }
    const PortableForm& form = node.op->traits.portable;
    Substitute substitute(graph, consumers, node, rebuilder, is_done);
    const bool is_fed = form.kind == PortableForm::Kind::kPlaceholders;
    const Status status = is_fed ? substitute.ReplaceByPlaceholders() : substitute.ReplaceByNodes(form.lower);
    DF_TRY(status.Annotate(graph.Describe(id)));
  }
  return rebuilder.Finish();
}

}  // namespace dfrun
