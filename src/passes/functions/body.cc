#include "src/passes/functions/body.h"

#include <string_view>
#include <unordered_map>

#include "src/base/text.h"
#include "src/graph/control_flow.h"
#include "src/graph/dependency_order.h"
#include "src/graph/graph_def/attr_proto.h"
#include "src/graph/graph_def/function_signature.h"
#include "src/graph/graph_def/node_def_attrs.h"

namespace dfrun {
namespace {

// Whether the value holds an attr of the function by name, at any depth.
bool HasPlaceholder(const proto::AttrValue& value) {
  const auto in_function = [](const proto::NameAttrList& function) {
    for (const auto& [name, attr] : function.attr()) {
      if (HasPlaceholder(attr)) return true;
    }
    return false;
  };
  if (value.value_case() == proto::AttrValue::kPlaceholder) return true;
  if (value.has_func()) return in_function(value.func());
  for (const proto::NameAttrList& function : value.list().func()) {
    if (in_function(function)) return true;
  }
  return false;
}

bool IsControl(std::string_view input) {
  return input.starts_with('^');
}

// One call of ReadFunctionBody().
class BodyReader {
 public:
  BodyReader(const proto::FunctionDef& function, const OpRegistry& ops) : function_(function), ops_(ops) {}

  Result<FunctionBody> Read() {
    DF_ASSIGN(body_.signature, SignatureOf(function_));
    DF_TRY(IndexNames());
    DF_ASSIGN(const std::vector<int32_t> order, Order());
    body_.nodes.reserve(order.size());
    for (int32_t i : order) {
      index_[static_cast<size_t>(i)] = static_cast<int32_t>(body_.nodes.size());
      body_.nodes.emplace_back();
    }
    for (int32_t i : order) {
      const proto::NodeDef& def = function_.node_def(i);
      DF_TRY(ReadNode(i).Annotate(StrCat("node '", def.name(), "' (op ", def.op(), ")")));
    }
    DF_TRY(ReadReturns());
    return std::move(body_);
  }

 private:
  Status IndexNames() {
    for (int i = 0; i < function_.signature().input_arg_size(); ++i) {
      if (!arguments_.emplace(function_.signature().input_arg(i).name(), i).second) {
        return InvalidArgument("two arguments have the name '", function_.signature().input_arg(i).name(), "'");
      }
    }
    for (int i = 0; i < function_.node_def_size(); ++i) {
      const std::string& name = function_.node_def(i).name();
      if (arguments_.count(name) != 0 || !nodes_.emplace(name, i).second) {
        return InvalidArgument("two of its nodes and arguments have the name '", name, "'");
      }
    }
    index_.resize(static_cast<size_t>(function_.node_def_size()));
    return Status();
  }

  // The node that an input names, by its number in the FunctionDef; -1: an argument.
  Result<int32_t> SourceOf(std::string_view input) const {
    const std::string_view name = IsControl(input) ? input.substr(1) : input.substr(0, input.find(':'));
    if (auto node = nodes_.find(name); node != nodes_.end()) return node->second;
    if (arguments_.count(name) != 0) return -1;
    return InvalidArgument("'", input, "' is the output of no node of the function, and none of its arguments");
  }

  bool ClosesLoop(const proto::NodeDef& reader, int32_t source) const {
    return ControlFlowKindOf(reader.op()) == ControlFlowKind::kMerge &&
           ControlFlowKindOf(function_.node_def(source).op()) == ControlFlowKind::kNextIteration;
  }

  Result<std::vector<int32_t>> Order() const {
    Dependencies dependencies;
    for (const proto::NodeDef& def : function_.node_def()) {
      for (const std::string& input : def.input()) {
        Result<int32_t> source = SourceOf(input);
        if (!source.ok()) return source.status().Annotate(StrCat("node '", def.name(), "'"));
        if (*source >= 0 && !ClosesLoop(def, *source)) dependencies.before.push_back(*source);
      }
      dependencies.Close();
    }
    DependencyOrder found = OrderByDependencies(dependencies);
    if (found.cycle.empty()) return std::move(found.order);
    return InvalidArgument("its nodes have a cycle that no Merge closes, at '",
                           function_.node_def(found.cycle[0]).name(), "'");
  }

  Status ReadNode(int32_t i) {
    const proto::NodeDef& def = function_.node_def(i);
    BodyNode& node = body_.nodes[static_cast<size_t>(index_[static_cast<size_t>(i)])];
    node.name = def.name();
    body_.index_of.emplace(node.name, index_[static_cast<size_t>(i)]);
    node.op = def.op();
    node.device = def.device();
    node.is_below_primitive = ControlFlowKindOf(node.op) != ControlFlowKind::kNone;
    for (const std::string& text : def.input()) {
      DF_TRY(IsControl(text) ? ReadControlInput(text, node) : ReadInput(def, text, node));
    }
    return ReadAttrs(def, node);
  }

  Status ReadInput(const proto::NodeDef& def, std::string_view text, BodyNode& node) {
    DF_ASSIGN(BodyInput input, ParseInput(text));
    if (!input.is_argument) {
      const int32_t source = nodes_.find(text.substr(0, text.find(':')))->second;
      input.closes_a_loop = ClosesLoop(def, source);
      if (!input.closes_a_loop) Inherit(input.source, node);
    }
    node.inputs.push_back(std::move(input));
    return Status();
  }

  Status ReadControlInput(std::string_view text, BodyNode& node) {
    DF_ASSIGN(const int32_t source, SourceOf(text));
    if (source < 0) {
      node.control_arguments.push_back(arguments_.find(text.substr(1))->second);
      return Status();
    }
    const int32_t before = index_[static_cast<size_t>(source)];
    node.control_inputs.push_back(before);
    body_.nodes[static_cast<size_t>(before)].is_awaited = true;
    Inherit(before, node);
    return Status();
  }

  void Inherit(int32_t from, BodyNode& node) const {
    node.is_below_primitive |= body_.nodes[static_cast<size_t>(from)].is_below_primitive;
  }

  Result<BodyInput> ParseInput(std::string_view text) const {
    if (IsControl(text)) return InvalidArgument("'", text, "' says what to wait for, where a value is needed");
    BodyInput input;
    DF_ASSIGN(const int32_t source, SourceOf(text));
    const size_t colon = text.find(':');
    std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
    input.is_argument = source < 0;
    if (input.is_argument) {
      input.source = arguments_.find(text.substr(0, colon))->second;
    } else {
      input.source = index_[static_cast<size_t>(source)];
      const size_t second = rest.find(':');
      input.output = rest.substr(0, second);
      rest = second == std::string_view::npos ? "" : rest.substr(second + 1);
    }
    if (rest.empty()) return input;
    input.index = ParseAs<int32_t>(rest).value_or(-1);
    if (input.index < 0) return InvalidArgument("the input '", text, "' has no number after its last colon");
    return input;
  }

  Status ReadAttrs(const proto::NodeDef& def, BodyNode& node) {
    ProtoAttrs plain;
    for (const auto& [name, value] : def.attr()) {
      if (HasPlaceholder(value)) {
        node.bound_attrs.emplace_back(name, value);
      } else {
        plain[name] = value;
      }
    }
    const OpDef* op = ops_.Find(def.op());
    if (op == nullptr) return ReadAttrsOfCall(plain, node);
    NodeSpec spec;
    DF_TRY(TakeAttrs(*op, plain, budget_, spec));
    node.attrs = std::move(spec.attrs);
    node.colocate_with = std::move(spec.colocate_with);
    return Status();
  }

  Status ReadAttrsOfCall(const ProtoAttrs& attrs, BodyNode& node) {
    for (const auto& [name, value] : attrs) {
      if (name.empty() || name[0] == '_') continue;
      Result<AttrValue> read = AttrFromProto(value, "", budget_);
      if (!read.ok()) return read.status().Annotate(StrCat("attr '", name, "'"));
      node.attrs.Set(name, *std::move(read));
    }
    return Status();
  }

  Status ReadReturns() {
    for (const auto& output : function_.signature().output_arg()) {
      const auto text = function_.ret().find(output.name());
      if (text == function_.ret().end())
        return InvalidArgument("nothing is returned for its output '", output.name(), "'");
      Result<BodyInput> input = ParseInput(text->second);
      if (!input.ok()) return input.status().Annotate(StrCat("output '", output.name(), "'"));
      body_.returns.push_back(*std::move(input));
    }
    for (const std::string& output : function_.signature().control_output()) {
      const auto name = function_.control_ret().find(output);
      const auto node = name == function_.control_ret().end() ? nodes_.end() : nodes_.find(name->second);
      if (node == nodes_.end()) return InvalidArgument("its control output '", output, "' is no node of it");
      body_.control_returns.push_back(index_[static_cast<size_t>(node->second)]);
    }
    return Status();
  }

  const proto::FunctionDef& function_;
  const OpRegistry& ops_;
  FunctionBody body_;
  ExpansionBudget budget_;
  std::unordered_map<std::string_view, int32_t> arguments_;
  std::unordered_map<std::string_view, int32_t> nodes_;  // by their number in the FunctionDef
  std::vector<int32_t> index_;                           // by that number: the index in body_.nodes
};

}  // namespace

Result<FunctionBody> ReadFunctionBody(const proto::FunctionDef& function, const OpRegistry& ops) {
  return BodyReader(function, ops).Read();
}

int PassthroughArgument(const FunctionBody& body, int k) {
  const BodyInput* input = &body.returns[static_cast<size_t>(k)];
  while (!input->is_argument) {
    const BodyNode& node = body.nodes[static_cast<size_t>(input->source)];
    const bool hands_on = node.op == "Identity" && node.inputs.size() == 1 && node.control_inputs.empty() &&
                          node.control_arguments.empty() && !node.inputs[0].closes_a_loop;
    if (!hands_on) return -1;
    input = &node.inputs[0];
  }
  return input->index == BodyInput::kWhole ? input->source : -1;
}

}  // namespace dfrun
