#include "src/export/portable.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "src/autodiff/node_adder.h"
#include "src/passes/graph_rebuilder.h"

namespace dfrun {
namespace {

// Adds the nodes that stand for one node. The last one has its name.
class Substitute {
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

  const Node& node() const { return node_; }
  NodeAdder& add() { return adder_; }
  Output input(int i) const { return rebuilder_.NewPlace(node_.inputs[i]); }
  DType dtype() const { return node_.output_types[0].dtype; }
  Output Op(std::string_view op, const std::vector<Output>& inputs, AttrMap attrs = {}) {
    return adder_.Add(op, inputs, std::move(attrs));
  }
  Output Number(double value) { return adder_.Scalar(dtype(), value); }

  // The node's one output, by an op of its name.
  Status Finish(const std::string& op, std::vector<Output> inputs) {
    DF_TRY(adder_.status());
    NodeSpec spec;
    spec.name = node_.name;
    spec.op = op;
    spec.inputs = std::move(inputs);
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

  // Each output by a placeholder, which takes the place and the name of the Identity that names the output, if one
  // does.
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
  // Null where no Identity, or one that waits for something else, reads the output.
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

// x / 2 * (1 + erf(x / sqrt(2))), or its approximation by tanh.
Status LowerGelu(Substitute& s) {
  const Output x = s.input(0);
  DF_ASSIGN(const bool approximate, s.node().attrs.GetOr<bool>("approximate", false));
  Output bend;
  if (approximate) {
    const Output cube = s.Op("Mul", {s.Op("Square", {x}), x});
    const Output inner = s.Op("AddV2", {x, s.Op("Mul", {cube, s.Number(0.044715)})});
    bend = s.Op("Tanh", {s.Op("Mul", {inner, s.Number(std::sqrt(2 / M_PI))})});
  } else {
    bend = s.Op("Erf", {s.Op("Mul", {x, s.Number(M_SQRT1_2)})});
  }
  return s.Finish("Mul", {s.Op("Mul", {x, s.Number(0.5)}), s.Op("AddV2", {bend, s.Number(1)})});
}

// The axes from `axis` on: of any rank.
Output AxesFrom(Substitute& s, Output x, int64_t axis) {
  const auto scalar = [&](int64_t v) { return s.add().Const(Tensor::Scalar<int32_t>(static_cast<int32_t>(v))); };
  if (axis < 0) return s.Op("Range", {scalar(axis), scalar(0), scalar(1)});
  return s.Op("Range", {scalar(axis), s.Op("Rank", {x}), scalar(1)});
}

// (x - mean) / sqrt(variance + epsilon) * scale + offset.
Status LowerLayerNorm(Substitute& s) {
  const Output x = s.input(0);
  DF_ASSIGN(const int64_t axis, s.node().attrs.Get<int64_t>("axis"));
  DF_ASSIGN(const float epsilon, s.node().attrs.Get<float>("epsilon"));
  const Output axes = AxesFrom(s, x, axis);
  const Output mean = s.Op("Mean", {x, axes}, {{"keep_dims", true}});
  const Output variance = s.Op("Mean", {s.Op("SquaredDifference", {x, mean}), axes}, {{"keep_dims", true}});
  const Output factor = s.Op("Rsqrt", {s.Op("AddV2", {variance, s.Number(static_cast<double>(epsilon))})});
  const Output normal = s.Op("Mul", {s.Op("Sub", {x, mean}), factor});
  return s.Finish("AddV2", {s.Op("Mul", {normal, s.input(1)}), s.input(2)});
}

Status LowerReader(Substitute& s) {
  return s.ReplaceByPlaceholders();
}

struct OwnOp {
  std::string_view name;
  Status (*lower)(Substitute&);  // null: there is no such form
};

constexpr OwnOp kOwnOps[] = {
    {"AllGather", nullptr},
    {"AllReduce", nullptr},
    {"ArgSort", nullptr},
    {"Broadcast", nullptr},
    {"Gelu", &LowerGelu},
    {"GeluGrad", nullptr},
    {"HDF5Reader", &LowerReader},
    {"LayerNorm", &LowerLayerNorm},
    {"LayerNormGrad", nullptr},
    {"MutexAcquire", nullptr},
    {"MutexRelease", nullptr},
    {"RandomPosition", nullptr},
    {"ReadTextRange", nullptr},
    {"ReduceScatter", nullptr},
    {"RestoreShard", nullptr},
    {"RewindRandomPosition", nullptr},
    {"SampleReader", &LowerReader},
    {"SaveShard", nullptr},
    {"SetRandomPosition", nullptr},
    {"TokenCounts", nullptr},
    {"_FusedConv2DMaxPool", nullptr},
    {"_FusedConv2DMaxPoolWithArgmax", nullptr},
    {"_FusedElementwise", nullptr},
    {"_MatMulApplyGradientDescent", nullptr},
    {"_MatMulPacked", nullptr},
    {"_MatMulResourceApplyGradientDescent", nullptr},
    {"_MatMulSum", nullptr},
    {"_MaxPoolGradByArgmax", nullptr},
    {"_MaxPoolReluGrad", nullptr},
    {"_NotFiniteValues", nullptr},
    {"_PackWeights", nullptr},
    {"_UpdateGate", nullptr},
};

const OwnOp* FindOwn(std::string_view op) {
  const auto* found =
      std::find_if(std::begin(kOwnOps), std::end(kOwnOps), [&](const OwnOp& o) { return o.name == op; });
  return found == std::end(kOwnOps) ? nullptr : found;
}

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

bool IsOwnOp(std::string_view op) {
  return FindOwn(op) != nullptr;
}

Status CheckPortable(const Graph& graph) {
  return Refuse(graph, "TensorFlow has no such ops", [](const Node& node) { return IsOwnOp(node.op->name); });
}

Result<Graph> MakePortable(const Graph& graph) {
  DF_TRY(Refuse(graph, "these ops have no form in TensorFlow's ops", [](const Node& node) {
    const OwnOp* own = FindOwn(node.op->name);
    return own != nullptr && own->lower == nullptr;
  }));
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  const Consumers consumers = graph.BuildConsumers();
  std::vector<bool> is_done(static_cast<size_t>(graph.num_nodes()), false);
  GraphRebuilder rebuilder(graph);
  for (NodeId id : order) {
    if (is_done[static_cast<size_t>(id)]) continue;
    const OwnOp* own = FindOwn(graph.node(id).op->name);
    if (own == nullptr) {
      rebuilder.Keep(id);
      continue;
    }
    Substitute substitute(graph, consumers, graph.node(id), rebuilder, is_done);
    DF_TRY(own->lower(substitute).Annotate(graph.Describe(id)));
  }
  return rebuilder.Finish();
}

}  // namespace dfrun
