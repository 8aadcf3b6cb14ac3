#include <unordered_map>
#include <utility>

#include "src/base/text.h"
#include "src/graph/dependency_order.h"
#include "src/graph/graph_def/function_calls.h"
#include "src/graph/graph_def/graph_def.h"
#include "src/graph/graph_def/graph_def_parse.h"
#include "src/graph/graph_def/graph_def_versions.h"
#include "src/graph/graph_def/node_def_attrs.h"
#include "src/graph/graph_def/unknown_ops.h"

namespace dfrun {
namespace {

// A bound on the outputs of all nodes together: an attr of a few bytes can declare a million.
constexpr int64_t kMaxOutputs = 4'000'000;

struct ParsedInputs {
  struct Data {
    int32_t node;  // position in the GraphDef; ~id of one that the graph had before
    int32_t port;
  };
  std::vector<Data> data;
  std::vector<int32_t> control;  // numbers like Data::node
};

std::string Describe(const proto::NodeDef& def) {
  return StrCat("node '", def.name(), "' (op ", def.op(), ")");
}

bool IsNextIteration(const proto::NodeDef& def) {
  return def.op() == "NextIteration" || def.op() == "RefNextIteration";
}
bool IsMerge(const proto::NodeDef& def) {
  return def.op() == "Merge" || def.op() == "RefMerge";
}

class Importer {
 public:
  // The nodes of `def` are added to `graph`, and may read its nodes.
  Importer(proto::GraphDef& def, Graph graph) : def_(def), ops_(graph.ops()), graph_(std::move(graph)) {}

  Result<Graph> Run() {
    DF_TRY(CheckVersions(def_.versions()));
    DF_TRY(IndexNames());
    why_unknown_ = FindUnknownNodes(def_, ops_);
    DF_ASSIGN(unknown_outputs_, TypeUnknownOutputs(def_, why_unknown_, ops_));
    DF_TRY(RewriteCallsByName(def_, why_unknown_, ops_));
    DF_TRY(ParseAllInputs());
    DF_ASSIGN(const std::vector<int32_t> order, Order());
    ids_.assign(static_cast<size_t>(def_.node_size()), -1);
    for (int32_t i : order) DF_TRY(AddNode(i));
    DF_TRY(CloseLoops());
    KeepRest();
    return std::move(graph_);
  }

 private:
  Status IndexNames() {
    index_.reserve(static_cast<size_t>(def_.node_size()));
    for (int i = 0; i < def_.node_size(); ++i) {
      if (!index_.emplace(def_.node(i).name(), i).second) {
        return InvalidArgument("two nodes have the name '", def_.node(i).name(), "'");
      }
    }
    return Status();
  }

  Status ParseAllInputs() {
    inputs_.resize(static_cast<size_t>(def_.node_size()));
    for (int i = 0; i < def_.node_size(); ++i) {
      for (const std::string& text : def_.node(i).input()) {
        DF_TRY(ParseInput(text, inputs_[static_cast<size_t>(i)]).Annotate(Describe(def_.node(i))));
      }
    }
    return Status();
  }

  Status ParseInput(std::string_view text, ParsedInputs& out) const {
    const bool control = !text.empty() && text[0] == '^';
    std::string_view name = control ? text.substr(1) : text;
    int32_t port = 0;
    if (const size_t colon = name.rfind(':'); !control && colon != std::string_view::npos) {
      port = ParseAs<int32_t>(name.substr(colon + 1)).value_or(-1);
      if (port < 0) return InvalidArgument("the input '", text, "' has no port number after its colon");
      name = name.substr(0, colon);
    }
    const auto it = index_.find(name);
    const NodeId before = it == index_.end() ? graph_.Find(name) : -1;
    if (it == index_.end() && before < 0) {
      return InvalidArgument("its input '", text, "' is the output of no node in the graph");
    }
    const int32_t node = before < 0 ? it->second : ~before;
    if (control) {
      out.control.push_back(node);
    } else {
      out.data.push_back({node, port});
    }
    return Status();
  }

  bool IsBackEdge(int32_t reader, const ParsedInputs::Data& input) const {
    return input.node >= 0 && IsMerge(def_.node(reader)) && IsNextIteration(def_.node(input.node));
  }

  Result<std::vector<int32_t>> Order() const {
    Dependencies dependencies;
    for (int32_t i = 0; i < def_.node_size(); ++i) {
      const ParsedInputs& inputs = inputs_[static_cast<size_t>(i)];
      for (const ParsedInputs::Data& input : inputs.data) {
        if (input.node >= 0 && !IsBackEdge(i, input)) dependencies.before.push_back(input.node);
      }
      for (int32_t before : inputs.control) {
        if (before >= 0) dependencies.before.push_back(before);
      }
      dependencies.Close();
    }
    DependencyOrder found = OrderByDependencies(dependencies);
    if (found.cycle.empty()) return std::move(found.order);
    constexpr size_t kMaxShown = 10;
    std::string names;
    for (size_t i = 0; i < found.cycle.size() && i < kMaxShown; ++i) {
      names += StrCat("'", def_.node(found.cycle[i]).name(), "' -> ");
    }
    if (found.cycle.size() > kMaxShown) names += StrCat("... (", found.cycle.size(), " nodes) -> ");
    return InvalidArgument("the graph has a cycle that no Merge closes: ", names, "'", def_.node(found.cycle[0]).name(),
                           "'");
  }

  NodeId IdOf(int32_t node) const { return node < 0 ? ~node : ids_[static_cast<size_t>(node)]; }

  Status AddNode(int32_t i) {
    proto::NodeDef& def = *def_.mutable_node(i);
    NodeSpec spec;
    spec.name = def.name();
    spec.op = def.op();
    spec.device = def.device();
    for (const ParsedInputs::Data& input : inputs_[static_cast<size_t>(i)].data) {
      spec.inputs.push_back(IsBackEdge(i, input) ? Output{} : Output{IdOf(input.node), input.port});
    }
    for (int32_t before : inputs_[static_cast<size_t>(i)].control) spec.control_inputs.push_back(IdOf(before));
    if (const std::string& why = why_unknown_[static_cast<size_t>(i)]; !why.empty()) {
      spec.op = kUnknownOp;
      spec.attrs = {{"op", def.op()}, {"why", why}, {"Tout", unknown_outputs_[static_cast<size_t>(i)]}};
      return Keep(i, graph_.AddNode(std::move(spec)));
    }
    // A constant's value is moved, not copied; a constant that has one can be.
    proto::NodeDef written;
    if (def.op() != "Const") written = def;
    DF_TRY(TakeAttrs(*ops_.Find(def.op()), *def.mutable_attr(), budget_, spec).Annotate(Describe(def)));
    if (IsPlaceholderOfAnyShape(spec)) spec.attrs.Set("shape", PartialShape());
    Result<NodeId> added = graph_.AddNode(std::move(spec));
    if (!added.ok() && def.op() != "Const") {
      def = std::move(written);
      added = AddRefused(i, added.status());
    }
    return Keep(i, added);
  }

  Status Keep(int32_t i, const Result<NodeId>& added) {
    DF_ASSIGN(const NodeId id, added);
    ids_[static_cast<size_t>(i)] = id;
    outputs_ += graph_.node(id).num_outputs();
    if (outputs_ > kMaxOutputs) return InvalidArgument("the nodes have more than ", kMaxOutputs, " outputs");
    return Status();
  }

  // Whether a Placeholder has any shape: up to kLastProducer, a scalar's shape stands for no shape too. Source:
  // TensorFlow's Placeholder.
  bool IsPlaceholderOfAnyShape(const NodeSpec& spec) const {
    constexpr int kLastProducer = 21;
    if (spec.op != "Placeholder" || def_.versions().producer() > kLastProducer) return false;
    const Result<PartialShape> shape = spec.attrs.Get<PartialShape>("shape");
    return shape.ok() && shape->known_rank() && shape->rank() == 0;
  }

  // A node that cannot be, for its inputs' dtypes or shapes: only a run that needs it is refused.
  Result<NodeId> AddRefused(int32_t i, const Status& status) {
    const proto::NodeDef& def = def_.node(i);
    DF_ASSIGN(const std::vector<DType> outputs, TypesOfRefused(i, status));
    std::string why(status.message());
    const std::string itself = Describe(def) + ": ";
    if (why.starts_with(itself)) why.erase(0, itself.size());
    NodeSpec spec;
    spec.name = def.name();
    spec.op = kUnknownOp;
    spec.device = def.device();
    spec.attrs = {{"op", def.op()}, {"why", StrCat("it cannot be: ", why)}, {"Tout", outputs}};
    for (const ParsedInputs::Data& input : inputs_[static_cast<size_t>(i)].data) {
      if (IsBackEdge(i, input)) return status;
      const NodeId before = IdOf(input.node);
      if (input.port >= graph_.node(before).num_outputs()) return status;
      spec.inputs.push_back({before, input.port});
    }
    for (int32_t before : inputs_[static_cast<size_t>(i)].control) spec.control_inputs.push_back(IdOf(before));
    return graph_.AddNode(std::move(spec));
  }

  // The output dtypes of a refused node: by the op's signature and the node's attrs, else as its readers want them.
  // Only the first kMaxSearched nodes are typed by their readers.
  Result<std::vector<DType>> TypesOfRefused(int32_t i, const Status& status) {
    constexpr int kMaxSearched = 100;
    const OpDef& op = *ops_.Find(def_.node(i).op());
    proto::NodeDef copy = def_.node(i);
    NodeSpec spec;
    std::vector<DType> outputs;
    DF_TRY(TakeAttrs(op, *copy.mutable_attr(), budget_, spec));
    std::vector<TypedArg> given;
    for (const ParsedInputs::Data& input : inputs_[static_cast<size_t>(i)].data) {
      const NodeId before = IdOf(input.node);
      if (before < 0 || input.port >= graph_.node(before).num_outputs()) return status;
      given.push_back(graph_.node(before).output_types[static_cast<size_t>(input.port)]);
    }
    if (ResolveAttrs(op, given, spec.attrs).ok()) {
      const Result<std::vector<TypedArg>> types = ExpandArgs(op.outputs, spec.attrs);
      if (types.ok()) {
        for (const TypedArg& type : *types) outputs.push_back(type.dtype);
        return outputs;
      }
    }
    if (++searched_ > kMaxSearched) return status;
    std::vector<std::string> why(static_cast<size_t>(def_.node_size()));
    why[static_cast<size_t>(i)] = "it cannot be";
    DF_ASSIGN(const UnknownNodeOutputs all, TypeUnknownOutputs(def_, why, ops_));
    return all[static_cast<size_t>(i)];
  }

  Status CloseLoops() {
    for (int32_t i = 0; i < def_.node_size(); ++i) {
      const std::vector<ParsedInputs::Data>& inputs = inputs_[static_cast<size_t>(i)].data;
      for (size_t k = 0; k < inputs.size(); ++k) {
        if (!IsBackEdge(i, inputs[k])) continue;
        DF_TRY(graph_.SetInput(ids_[static_cast<size_t>(i)], static_cast<int>(k),
                               {ids_[static_cast<size_t>(inputs[k].node)], inputs[k].port}));
      }
    }
    return Status();
  }

  void KeepRest() {
    const GraphDefExtras* before = graph_.extras().get();
    auto extras = before == nullptr ? std::make_shared<GraphDefExtras>() : std::make_shared<GraphDefExtras>(*before);
    for (proto::NodeDef& def : *def_.mutable_node()) {
      const std::string name = def.name();
      def.clear_name();
      def.clear_op();
      def.clear_input();
      def.clear_device();
      if (def.ByteSizeLong() > 0) extras->nodes.emplace(name, SerializeDeterministically(def));
    }
    def_.clear_node();
    if (before != nullptr) {
      proto::GraphDef both;
      DF_CHECK(both.ParseFromString(before->graph));
      both.mutable_library()->MergeFrom(def_.library());
      def_ = std::move(both);
    }
    extras->graph = SerializeDeterministically(def_);
    graph_.set_extras(std::move(extras));
  }

  proto::GraphDef& def_;
  const OpRegistry& ops_;
  Graph graph_;
  ExpansionBudget budget_;
  int64_t outputs_ = 0;
  int searched_ = 0;                      // nodes whose readers were asked for the types of their outputs
  std::vector<std::string> why_unknown_;  // by position in the GraphDef, as the next
  UnknownNodeOutputs unknown_outputs_;
  std::unordered_map<std::string_view, int32_t> index_;  // into def_'s names
  std::vector<ParsedInputs> inputs_;
  std::vector<NodeId> ids_;
};

}  // namespace

Result<Graph> ImportGraphDef(std::string_view data, GraphDefFormat format, const OpRegistry& ops) {
  Graph graph(ops);
  DF_TRY(ExtendGraph(graph, data, format));
  return graph;
}

Result<Graph> ImportParsed(proto::GraphDef& def, const OpRegistry& ops) {
  return Importer(def, Graph(ops)).Run();
}

Status ExtendGraph(Graph& graph, std::string_view data, GraphDefFormat format) {
  google::protobuf::Arena arena;
  auto& def = *google::protobuf::Arena::CreateMessage<proto::GraphDef>(&arena);
  DF_TRY(ParseGraphDef(data, format, def));
  DF_ASSIGN(graph, Importer(def, graph.Clone()).Run());
  return Status();
}

}  // namespace dfrun
