// Refuses loops that cannot end. The first iteration is worked out as far as constants go: where the condition is true
// then, and the values behind it are the same in the next iteration, it is true for ever. Values of state, draws,
// queues and feeds are not known, and a loop is left alone where an op of its body may end the step.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/base/text.h"
#include "src/framework/kernel/run_kernel.h"
#include "src/graph/control_flow.h"
#include "src/graph/order/ancestors.h"
#include "src/graph/order/has_refs.h"
#include "src/passes/pass.h"

namespace dfrun {
namespace {

constexpr int kMaxDepth = 200;

// The values of outputs in the first turn of all loops around them.
class FirstTurn {
 public:
  FirstTurn(const Graph& graph, const PassContext& context) : graph_(graph), context_(context) {}

  // Returns nothing where it is not known. Merges of loops that the value is made of are in merges() then.
  std::optional<Tensor> Value(Output output, int depth = 0) {
    const Node& node = graph_.node(output.node);
    if (depth > kMaxDepth || node.op->is_stateful || HasRefs(node)) return {};
    if (node.op->name == "Const") return *node.attrs.Find("value")->get<Tensor>();
    switch (node.op->traits.control_flow) {
      case ControlFlowKind::kNone:
        return Computed(node, output.port, depth);
      case ControlFlowKind::kMerge:
        if (node.num_inputs() != 2 || !graph_.IsBackEdge(node, 1)) return {};
        merges_.insert(node.id);
        return Value(node.inputs[0], depth + 1);
      case ControlFlowKind::kExit:
        return {};
      default:
        return Value(node.inputs[0], depth + 1);
    }
  }

  std::set<NodeId>& merges() { return merges_; }

 private:
  std::optional<Tensor> Computed(const Node& node, int port, int depth) {
    if (const auto it = computed_.find(node.id); it != computed_.end()) {
      merges_.insert(it->second.merges.begin(), it->second.merges.end());
      return it->second.outputs[static_cast<size_t>(port)];
    }
    std::set<NodeId> around = std::exchange(merges_, {});
    std::vector<Tensor> inputs;
    for (const Output input : node.inputs) {
      std::optional<Tensor> value = input.valid() ? Value(input, depth + 1) : std::nullopt;
      if (!value) return {};
      inputs.push_back(*std::move(value));
    }
    if (inputs.empty() || !IsSmall(node)) return {};
    const NodeInfo info{node.name, node.op, node.input_types, node.output_types};
    Result<std::vector<Tensor>> outputs =
        RunKernelOnce(info, node.attrs, inputs, context_.host, pool_, context_.kernels);
    if (!outputs.ok()) return {};
    const Known& known = computed_[node.id] = {*std::move(outputs), merges_};
    merges_.insert(around.begin(), around.end());
    const Tensor& value = known.outputs[static_cast<size_t>(port)];
    return value.initialized() ? std::optional(value) : std::nullopt;
  }

  bool IsSmall(const Node& node) const {
    constexpr int64_t kMaxLoopElements = 1024;
    return std::all_of(node.output_shapes.begin(), node.output_shapes.end(), [](const PartialShape& shape) {
      return shape.num_elements() != PartialShape::kUnknown && shape.num_elements() <= kMaxLoopElements;
    });
  }

  struct Known {
    std::vector<Tensor> outputs;
    std::set<NodeId> merges;
  };

  const Graph& graph_;
  const PassContext& context_;
  InlineThreadPool pool_;
  std::set<NodeId> merges_;
  std::unordered_map<NodeId, Known> computed_;
};

bool IsTrue(const std::optional<Tensor>& value) {
  return value && value->dtype() == DType::kBool && value->num_elements() == 1 && *value->data<bool>();
}

bool AreEqual(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape()) || IsHandle(a.dtype())) return false;
  if (a.dtype() == DType::kString)
    return std::equal(a.data<std::string>(), a.data<std::string>() + a.num_elements(), b.data<std::string>());
  const auto* const bytes = static_cast<const char*>(a.raw());
  return std::equal(bytes, bytes + a.num_bytes(), static_cast<const char*>(b.raw()));
}

// Finds nodes that may end the step: ops that some input makes an error, and ops that wait for others, which may end
// the step.
class Enders {
 public:
  explicit Enders(const Graph& graph) : graph_(graph) {}

  bool MayEnd(const Node& node) const {
    if (node.op->traits.control_flow != ControlFlowKind::kNone) return false;
    return !IsTotal(node) || TakesObjects(node) || TakesIndices(node) || HasOpenShapes(node);
  }

 private:
  bool IsTotal(const Node& node) const {
    const Totality totality = node.op->traits.totality;
    return totality == Totality::kTotal ||
           (totality == Totality::kTotalButForIntegers && !IsInteger(graph_.dtype({node.id, 0})));
  }
  // Lists and what else a variant holds, but for what hands it on: what is in them may not fit.
  bool TakesObjects(const Node& node) const {
    return node.op->traits.passthrough == Passthrough::kNone &&
           std::any_of(node.inputs.begin(), node.inputs.end(),
                       [&](Output input) { return graph_.dtype(input) == DType::kVariant; });
  }
  // Integers beside values of another dtype, or sizes, that are no constants: an index may lie outside.
  bool TakesIndices(const Node& node) const {
    for (size_t i = 0; i < node.op->inputs.size() && i < node.inputs.size(); ++i) {
      const ArgDef& arg = node.op->inputs[i];
      const bool is_value = arg.type_attr == "T" || arg.type_attr == "SrcT";
      const DType dtype = graph_.dtype(node.inputs[i]);
      if ((dtype != DType::kInt32 && dtype != DType::kInt64) || is_value) continue;
      if (graph_.ConstantValue(node.inputs[i]) == nullptr) return true;
    }
    return false;
  }
  // Shapes that may not fit, or that the values of inputs give.
  bool HasOpenShapes(const Node& node) const {
    const bool knows_inputs =
        std::none_of(node.inputs.begin(), node.inputs.end(), [&](Output input) { return IsOpen(graph_.shape(input)); });
    if (!knows_inputs) return node.num_inputs() > 1;
    return std::any_of(node.output_shapes.begin(), node.output_shapes.end(), &IsOpen);
  }
  static bool IsOpen(const PartialShape& shape) { return shape.num_elements() == PartialShape::kUnknown; }

  const Graph& graph_;
};

class LoopCheck {
 public:
  LoopCheck(const Graph& graph, const PassContext& context, const FrameTree& tree)
      : graph_(graph), first_(graph, context), tree_(tree) {}

  Status Check() {
    for (const Node& node : graph_.nodes()) {
      if (node.op->traits.control_flow == ControlFlowKind::kLoopCond) DF_TRY(Check(node));
    }
    return Status();
  }

 private:
  Status Check(const Node& loop_cond) {
    first_.merges().clear();
    if (!IsTrue(first_.Value(loop_cond.inputs[0]))) return Status();
    const int32_t frame = tree_.of_node[loop_cond.id];
    std::set<NodeId> read;
    for (const NodeId merge : first_.merges()) {
      if (tree_.of_node[merge] == frame) read.insert(merge);
    }
    if (!StayAsTheyAre(frame, read) || MayBeEnded(frame) || !IsReached(frame)) return Status();
    const std::string loop = StrCat("the loop '", tree_.frames[static_cast<size_t>(frame)].name, "' never ends: ");
    if (read.empty())
      return InvalidArgument(graph_.Describe(loop_cond.id), ": ", loop, "its condition is always true", kAdvice);
    return InvalidArgument(graph_.Describe(loop_cond.id), ": ", loop, "its condition is true at first, and each turn ",
                           "gives what it reads (", Names(read), ") the value that it had", kAdvice);
  }

  static constexpr const char* kAdvice =
      "; let the body change what the condition reads, or bound the turns by `max_iterations`";

  // Whether the first turn gives these variables, and those that they are made of then, the values that they had.
  bool StayAsTheyAre(int32_t frame, std::set<NodeId> read) {
    std::vector<NodeId> todo(read.begin(), read.end());
    while (!todo.empty()) {
      const Node& merge = graph_.node(todo.back());
      todo.pop_back();
      first_.merges().clear();
      const std::optional<Tensor> next = first_.Value(merge.inputs[1]);
      const std::set<NodeId> made_of = first_.merges();
      const std::optional<Tensor> before = first_.Value(merge.inputs[0]);
      if (!next || !before || !AreEqual(*next, *before)) return false;
      for (const NodeId id : made_of) {
        if (tree_.of_node[id] == frame && read.insert(id).second) todo.push_back(id);
      }
    }
    return true;
  }

  bool MayBeEnded(int32_t frame) const {
    const Enders enders(graph_);
    return std::any_of(graph_.nodes().begin(), graph_.nodes().end(), [&](const Node& node) {
      int32_t of = tree_.of_node[node.id];
      while (of > frame) of = tree_.frames[static_cast<size_t>(of)].parent;
      return of == frame && enders.MayEnd(node);
    });
  }

  // Whether the step comes to the loop: no conditional, and no turn of a loop around it, that may not run leads there.
  bool IsReached(int32_t frame) {
    AncestorWalk walk(graph_);
    for (const NodeId enter : tree_.frames[static_cast<size_t>(frame)].enters) walk.AddSources(graph_.node(enter));
    const auto may_pass = [&](Output output) {
      const Node& node = graph_.node(output.node);
      if (node.op->traits.control_flow != ControlFlowKind::kSwitch) return true;
      const std::optional<Tensor> pred = first_.Value(node.inputs[1]);
      return pred && IsTrue(pred) == (output.port == 1);
    };
    while (const Node* node = walk.Next()) {
      if (node->op->traits.control_flow == ControlFlowKind::kExit) continue;
      for (int i = 0; i < node->num_inputs(); ++i) {
        const Output input = node->inputs[i];
        if (!input.valid() || graph_.IsBackEdge(*node, i)) continue;
        if (!may_pass(input)) return false;
        walk.Add(input.node);
      }
      for (const NodeId control : node->control_inputs) walk.Add(control);
    }
    return std::all_of(tree_.frames[static_cast<size_t>(frame)].enters.begin(),
                       tree_.frames[static_cast<size_t>(frame)].enters.end(),
                       [&](NodeId enter) { return may_pass(graph_.node(enter).inputs[0]); });
  }

  // "'i', 'n'": the nodes of a loop's variables are NAME/i/Merge.
  std::string Names(const std::set<NodeId>& merges) const {
    std::vector<std::string> names;
    for (const NodeId id : merges) {
      std::string name = graph_.node(id).name;
      if (name.ends_with("/Merge")) name.resize(name.size() - std::string_view("/Merge").size());
      names.push_back(StrCat("'", name.substr(name.rfind('/') + 1), "'"));
    }
    return Join(names);
  }

  const Graph& graph_;
  FirstTurn first_;
  const FrameTree& tree_;
};

Status CheckLoopsEnd(Graph& graph, const PassContext& context) {
  if (!HasControlFlow(graph)) return Status();
  const Result<FrameTree> tree = BuildFrameTree(graph);
  if (!tree.ok()) return Status();  // the run of the graph reports it
  return LoopCheck(graph, context, *tree).Check();
}

// The pass comes before all passes that add to loops.
REQUIRED_GRAPH_PASS("loops_end", 5, &CheckLoopsEnd);

}  // namespace
}  // namespace dfrun
