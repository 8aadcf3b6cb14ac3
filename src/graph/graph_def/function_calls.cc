#include "src/graph/graph_def/function_calls.h"

#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/graph/graph_def/attr_proto.h"
#include "src/graph/graph_def/function_signature.h"
#include "src/graph/graph_def/graph_def_parse.h"

namespace dfrun {
namespace {

// A bound on the arguments of all calls together: an attr of a few bytes can declare a million.
constexpr int64_t kMaxArguments = 4'000'000;

// The attrs that the signature knows; the others of a call mean nothing to the function.
Result<AttrMap> AttrsOfCall(const OpDef& signature, const proto::NodeDef& call, ExpansionBudget& budget) {
  AttrMap attrs;
  for (const AttrDef& known : signature.attrs) {
    const auto given = call.attr().find(known.name);
    if (given == call.attr().end()) {
      if (!known.default_value.empty()) attrs.Set(known.name, known.default_value);
      continue;
    }
    Result<AttrValue> value = AttrFromProto(given->second, known.type, budget);
    if (!value.ok()) return value.status().Annotate(StrCat("attr '", known.name, "'"));
    attrs.Set(known.name, *std::move(value));
  }
  return attrs;
}

Status SetTypes(const std::vector<ArgDef>& args, const AttrMap& attrs, int64_t& left, proto::AttrValue& out) {
  DF_ASSIGN(const std::vector<TypedArg> typed, ExpandArgs(args, attrs));
  left -= static_cast<int64_t>(typed.size());
  if (left < 0) return InvalidArgument("the calls of functions have more than ", kMaxArguments, " arguments");
  std::vector<DType> types;
  types.reserve(typed.size());
  for (const TypedArg& arg : typed) types.push_back(arg.dtype);
  AttrToProto(types, out);
  return Status();
}

Status Rewrite(const proto::FunctionDef& function, int64_t& left, proto::NodeDef& call) {
  DF_ASSIGN(const OpDef signature, SignatureOf(function));
  ExpansionBudget budget;
  DF_ASSIGN(const AttrMap attrs, AttrsOfCall(signature, call, budget));
  auto& out = *call.mutable_attr();
  for (const AttrDef& known : signature.attrs) out.erase(known.name);
  DF_TRY(SetTypes(signature.inputs, attrs, left, out["Tin"]));
  DF_TRY(SetTypes(signature.outputs, attrs, left, out["Tout"]));
  AttrToProto(FunctionName{signature.name, {attrs.begin(), attrs.end()}}, out["f"]);
  out[std::string(kCalledByNameAttr)].set_b(true);
  call.set_op(signature.is_stateful ? "StatefulPartitionedCall" : "PartitionedCall");
  return Status();
}

}  // namespace

Status RewriteCallsByName(proto::GraphDef& def, const std::vector<std::string>& why_unknown, const OpRegistry& ops) {
  std::unordered_map<std::string_view, const proto::FunctionDef*> functions;
  for (const proto::FunctionDef& function : def.library().function()) {
    const auto [first, is_new] = functions.emplace(function.signature().name(), &function);
    if (is_new || SerializeDeterministically(function) == SerializeDeterministically(*first->second)) continue;
    return InvalidArgument("the library has two different functions of the name '", first->first, "'");
  }
  int64_t left = kMaxArguments;
  for (int i = 0; i < def.node_size(); ++i) {
    proto::NodeDef& node = *def.mutable_node(i);
    const auto function = functions.find(node.op());
    if (function == functions.end() || ops.Find(node.op()) != nullptr) continue;
    if (!why_unknown[static_cast<size_t>(i)].empty()) continue;
    DF_TRY(Rewrite(*function->second, left, node)
               .Annotate(StrCat("node '", node.name(), "', a call of function '", function->first, "'")));
  }
  return Status();
}

}  // namespace dfrun
