#include "src/training/warnings/evaluation_effects.h"

#include <algorithm>
#include <set>

#include "src/base/text.h"
#include "src/graph/handle_maker.h"
#include "src/graph/order/ancestors.h"
#include "src/graph/order/has_refs.h"
#include "src/graph/order/variable_readers.h"
#include "src/graph/value_bounds.h"
#include "src/session/random_sequences.h"

namespace dfrun {
namespace {

constexpr size_t kMaxSaid = 6;
constexpr int kMaxTrials = 10;  // constants tried for one effect

// Returns the node that made the object behind the reference or handle, also by way of nodes that write it and hand it
// on.
const Node& MakerOf(const Graph& graph, Output handle) {
  for (int hops = 0; hops < graph.num_nodes(); ++hops) {
    handle = HandleMaker(graph, handle);
    const Node& node = graph.node(handle.node);
    if (!graph.is_ref(handle) || node.inputs.empty() || !node.input_types[0].is_ref) break;
    handle = node.inputs[0];
  }
  return graph.node(handle.node);
}

bool HandsOn(const Node& node) {
  return node.op->traits.passthrough != Passthrough::kNone || node.op->traits.control_flow != ControlFlowKind::kNone ||
         node.op->name == "RefSelect" || node.op->name == "IsVariableInitialized";
}

bool WritesTable(const Node& node) {
  for (const char* begin : {"LookupTableInsert", "LookupTableImport", "LookupTableRemove", "InitializeTable"}) {
    if (node.op->name.starts_with(begin)) return true;
  }
  return false;
}

bool IsShared(const Node& maker) {
  const AttrValue* name = maker.attrs.Find("shared_name");
  const std::string* text = name == nullptr ? nullptr : name->get<std::string>();
  return text != nullptr && !text->empty();
}

// Returns the maker of the object that `node` writes, if a later step sees it; null if there is none. Queues, and
// variables behind handles, without a shared name are an evaluation's own, which it fills and empties itself.
const Node* WrittenBy(const Graph& graph, const Node& node) {
  if (!HasRefInput(node) && !HasHandleInput(node)) return nullptr;
  if (HandsOn(node) || node.inputs.empty() || !node.inputs[0].valid() || !MayChangeVariable(node)) return nullptr;
  const Node& maker = MakerOf(graph, node.inputs[0]);
  if (WritesTable(node)) return &maker;
  if (IsVariable(maker) && HasRefInput(node)) return &maker;
  const bool is_queue = maker.op->traits.queue != QueueKind::kNone;
  return (is_queue || IsVariable(maker)) && IsShared(maker) ? &maker : nullptr;
}

// Whether the node leaves the variable as it is.
bool IsIdle(const Node& node, const Node& variable, const ValueBounds& values) {
  const std::string& op = node.op->name;
  const auto is_zero = [&](size_t input) { return values.bounds(node.inputs[input]).is(0); };
  if (op == "AssignAdd" || op == "AssignSub" || op == "AssignAddVariableOp" || op == "AssignSubVariableOp") {
    return is_zero(1);
  }
  if (op == "ScatterAdd" || op == "ScatterSub" || op == "ResourceScatterAdd" || op == "ResourceScatterSub") {
    return is_zero(2);
  }
  return op == "Assign" && values.SourceOf(node.inputs[1]) == Output{variable.id, 0};
}

// The values of other inputs than these do not go into those of the node.
bool IgnoresValues(const Node& node) {
  static const std::set<std::string> kOps = {"Shape", "ShapeN", "Size", "Rank", "ZerosLike", "OnesLike"};
  return kOps.count(node.op->name) > 0;
}

// The nodes with effects, for one way of feeding.
class Found {
 public:
  static Result<Found> In(const Graph& graph, const MeasuredValues& measured, const ValueBounds::Replaced& replaced) {
    DF_ASSIGN(const ValueBounds values, ValueBounds::Of(graph, replaced));
    Found found(graph, measured, replaced);
    found.FindWriters(values);
    found.FindDrawers(values);
    return found;
  }

  const std::vector<NodeId>& writers() const { return writers_; }
  const std::vector<NodeId>& drawers() const { return drawers_; }
  // Nodes that the measured values depend on.
  int reached() const { return reached_; }
  bool Has(NodeId node) const {
    return std::find(writers_.begin(), writers_.end(), node) != writers_.end() ||
           std::find(drawers_.begin(), drawers_.end(), node) != drawers_.end();
  }

 private:
  Found(const Graph& graph, const MeasuredValues& measured, const ValueBounds::Replaced& replaced)
      : graph_(graph), measured_(measured), fed_(static_cast<size_t>(graph.num_nodes())) {
    for (const auto& [output, value] : replaced.values) fed_[static_cast<size_t>(output.node)].push_back(output.port);
    for (const auto& [output, other] : replaced.outputs) fed_[static_cast<size_t>(output.node)].push_back(output.port);
  }

  bool IsFed(Output output) const {
    const std::vector<int>& ports = fed_[static_cast<size_t>(output.node)];
    return std::find(ports.begin(), ports.end(), output.port) != ports.end();
  }
  bool IsAllFed(const Node& node) const {
    return node.num_outputs() > 0 &&
           fed_[static_cast<size_t>(node.id)].size() >= static_cast<size_t>(node.num_outputs());
  }
  bool IsAskedFor(NodeId node) const {
    return measured_.asks_for_nodes && std::any_of(measured_.fetches.begin(), measured_.fetches.end(),
                                                   [&](Output fetch) { return fetch.node == node; });
  }

  // Finds the writers among all nodes that run.
  void FindWriters(const ValueBounds& values) {
    AncestorWalk walk(graph_);
    const auto add = [&](Output output) {
      if (output.valid() && !IsFed(output)) walk.Add(output.node);
    };
    for (const Output fetch : measured_.fetches) add(fetch);
    while (const Node* node = walk.Next()) {
      if (values.IsDead(node->id)) continue;
      const Node* written = WrittenBy(graph_, *node);
      if (written != nullptr && !IsAskedFor(node->id) && !IsIdle(*node, *written, values)) writers_.push_back(node->id);
      for (const Output input : node->inputs) add(input);
      for (const NodeId control : node->control_inputs) {
        if (!IsAllFed(graph_.node(control))) walk.Add(control);
      }
    }
    std::sort(writers_.begin(), writers_.end());
  }

  // Finds the drawers of random numbers among the nodes whose values go into the fetches.
  void FindDrawers(const ValueBounds& values) {
    AncestorWalk walk(graph_);
    const auto add = [&](Output output) {
      if (!output.valid() || values.bounds(output).is_constant()) return;
      const Output source = values.SourceOf(output);
      if (!IsFed(source) && !values.IsDead(source.node)) walk.Add(source.node);
    };
    for (const Output fetch : measured_.fetches) add(fetch);
    while (const Node* node = walk.Next()) {
      ++reached_;
      if (HasRandomSequence(*node) && !IsAskedFor(node->id)) drawers_.push_back(node->id);
      if (IgnoresValues(*node)) continue;
      for (const Output input : node->inputs) add(input);
    }
    std::sort(drawers_.begin(), drawers_.end());
  }

  const Graph& graph_;
  const MeasuredValues& measured_;
  std::vector<std::vector<int>> fed_;  // ports, by node
  std::vector<NodeId> writers_;
  std::vector<NodeId> drawers_;
  int reached_ = 0;
};

// Finds effects, and the feeds that take them away.
class Effects {
 public:
  Effects(const Graph& graph, const MeasuredValues& measured) : graph_(graph), measured_(measured) {
    for (const FeedSpec& feed : measured.feeds) replaced_.outputs.emplace_back(feed.target, feed.value);
    for (const auto& [output, value] : measured.fed) {
      replaced_.values.emplace_back(output, Bounds::OfElements(value));
    }
  }

  Result<std::vector<EvaluationEffect>> Find() {
    DF_ASSIGN(const Found found, Found::In(graph_, measured_, replaced_));
    for (const NodeId writer : found.writers()) {
      const Node& written = *WrittenBy(graph_, graph_.node(writer));
      DF_TRY(Add(EvaluationEffect::Kind::kAssigns, writer, written.name));
    }
    for (const NodeId drawer : found.drawers()) {
      DF_TRY(Add(EvaluationEffect::Kind::kDraws, drawer, graph_.node(drawer).name));
    }
    return std::move(effects_);
  }

 private:
  // Adds an effect. Beyond kMaxSaid effects, no remedy is looked for: those are only counted.
  Status Add(EvaluationEffect::Kind kind, NodeId node, const std::string& name) {
    std::optional<Remedy> remedy;
    if (effects_.size() < kMaxSaid) {
      DF_ASSIGN(remedy, FindRemedy(node));
    }
    for (EvaluationEffect& other : effects_) {
      if (other.kind != kind || !remedy || other.remedy != remedy) continue;
      other.nodes.push_back(node);
      if (std::find(other.names.begin(), other.names.end(), name) == other.names.end()) other.names.push_back(name);
      return Status();
    }
    effects_.push_back({kind, {node}, {name}, remedy});
    return Status();
  }

  // A scalar that the layer of the node is written with, or one around it, and whose other value takes the node's
  // effect away.
  Result<std::optional<Remedy>> FindRemedy(NodeId effect) {
    const std::string& name = graph_.node(effect).name;
    trials_ = 0;
    for (size_t end = name.rfind('/'); trials_ < kMaxTrials; end = name.rfind('/', end - 1)) {
      const std::string scope = end == std::string::npos ? "" : name.substr(0, end + 1);
      DF_ASSIGN(const std::optional<Remedy> remedy, FindRemedyIn(scope, effect));
      if (remedy || scope.empty()) return remedy;
    }
    return std::optional<Remedy>();
  }
  // The one with which the values that are measured depend on most: a dropout that drops all draws nothing either.
  Result<std::optional<Remedy>> FindRemedyIn(const std::string& scope, NodeId effect) {
    std::optional<Remedy> best;
    int best_reached = 0;
    for (const Node& node : graph_.nodes()) {
      const bool is_beside = node.name.starts_with(scope) && node.name.find('/', scope.size()) == std::string::npos;
      if (!is_beside || !IsSwitch(node)) continue;
      for (const auto& [text, value] : ValuesToTry(node)) {
        DF_ASSIGN(const int reached, ReachedWith(effect, {node.id, 0}, value));
        if (reached <= best_reached) continue;
        best = {node.name, text};
        best_reached = reached;
      }
    }
    return best;
  }

  static bool IsSwitch(const Node& node) {
    if (node.op->name != "Const" && node.op->name != "PlaceholderWithDefault") return false;
    const DType dtype = node.output_types[0].dtype;
    return node.output_shapes[0] == PartialShape::Scalar() && (dtype == DType::kBool || IsFloating(dtype));
  }
  static std::vector<std::pair<std::string, double>> ValuesToTry(const Node& node) {
    if (node.output_types[0].dtype == DType::kBool) return {{"false", 0}, {"true", 1}};
    return {{"0.0", 0}, {"1.0", 1}};
  }

  // Returns the number of nodes that the measured values depend on if `constant` has this value; 0 where the effect is
  // still there.
  Result<int> ReachedWith(NodeId effect, Output constant, double value) {
    if (trials_++ >= kMaxTrials) return 0;
    ValueBounds::Replaced tried = replaced_;
    std::erase_if(tried.outputs, [&](const auto& pair) { return pair.first == constant; });
    std::erase_if(tried.values, [&](const auto& pair) { return pair.first == constant; });
    tried.values.emplace_back(constant, Bounds::Of(value));
    DF_ASSIGN(const Found found, Found::In(graph_, measured_, tried));
    return found.Has(effect) ? 0 : found.reached();
  }

  const Graph& graph_;
  const MeasuredValues& measured_;
  ValueBounds::Replaced replaced_;
  std::vector<EvaluationEffect> effects_;
  int trials_ = 0;  // for the effect at hand
};

std::string Advice(const std::optional<Remedy>& remedy, const std::string& feed_option) {
  if (remedy && !feed_option.empty()) return StrCat("write ", feed_option, remedy->node, "=", remedy->value);
  if (remedy) return StrCat("write `eval: {feed: {", remedy->node, ": ", remedy->value, "}}`");
  if (!feed_option.empty()) {
    return StrCat("feed what switches it off (", feed_option, "NODE=VALUE), or fetch a node that does without it");
  }
  return "feed what switches it off, `eval: {feed: {NODE: VALUE}}`, or measure a node that does without it";
}

// Says how the layer itself, in a spec, does without the effect.
std::string AdviceByMode(EvaluationEffect::Kind kind) {
  return kind == EvaluationEffect::Kind::kAssigns
             ? "give the node that does so `if: training`, or "
             : "have Cond(training, a, b) choose between what is drawn and what is not, or ";
}

std::string Quoted(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(StrCat("'", name, "'"));
  return Join(quoted);
}

}  // namespace

Result<std::vector<EvaluationEffect>> FindEvaluationEffects(const Graph& graph, const MeasuredValues& measured) {
  return Effects(graph, measured).Find();
}

std::vector<std::string> DescribeEffects(const Graph& graph, const std::vector<EvaluationEffect>& effects,
                                         const std::string& feed_option, bool has_modes) {
  std::vector<std::string> texts;
  for (const EvaluationEffect& effect : effects) {
    if (texts.size() == kMaxSaid) {
      texts.push_back(StrCat("there are ", effects.size() - kMaxSaid, " more such nodes"));
      break;
    }
    const std::string where = graph.Describe(effect.nodes[0]);
    const std::string advice = StrCat(has_modes ? AdviceByMode(effect.kind) : "", Advice(effect.remedy, feed_option));
    if (effect.kind == EvaluationEffect::Kind::kAssigns) {
      const bool is_variable = IsVariable(*WrittenBy(graph, graph.node(effect.nodes[0])));
      texts.push_back(StrCat(where, ": the evaluation ", is_variable ? "assigns " : "writes ", Quoted(effect.names),
                             ", so that measuring changes what is measured: ", advice));
    } else {
      texts.push_back(StrCat(where, ": the evaluation draws random numbers, by ", Quoted(effect.names),
                             ", that its values depend on: ", advice));
    }
  }
  return texts;
}

}  // namespace dfrun
