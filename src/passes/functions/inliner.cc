#include "src/passes/functions/inliner.h"

#include <algorithm>
#include <utility>

#include "src/base/sort_unique.h"
#include "src/graph/graph_def/function_calls.h"
#include "src/passes/functions/body_instance.h"
#include "src/passes/functions/lowerings.h"

namespace dfrun {
namespace {

constexpr size_t kMaxNesting = 200;
constexpr std::string_view kLoweredAttr = "_lower_using_switch_merge";

// Calls that TensorFlow prunes wherever they stand, but for those by name.
bool IsPartitionedCall(std::string_view op) {
  return op == "PartitionedCall" || op == "StatefulPartitionedCall";
}

void Append(std::vector<NodeId>& to, const std::vector<NodeId>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

bool RunsAll(std::string_view op, const AttrMap& attrs) {
  const AttrValue* flag = attrs.Find(IsPartitionedCall(op) ? kCalledByNameAttr : kLoweredAttr);
  const bool is_set = flag != nullptr && flag->get<bool>() != nullptr && *flag->get<bool>();
  return is_set == IsPartitionedCall(op);
}

bool FunctionInliner::HasState(const AttrMap& attrs) {
  const std::vector<std::string> called = FunctionsNamed(attrs);
  return std::any_of(called.begin(), called.end(), [&](const std::string& f) { return library().HasState(f); });
}

// Adds to the site's ties the nodes of the values, but for those that come after nothing.
Status FunctionInliner::TieTo(const std::vector<SiteValue>& values, CallSite& site) {
  for (const SiteValue& value : values) {
    const Node& source = to().node(value.output.node);
    if (source.num_inputs() == 0 && source.control_inputs.empty()) continue;
    DF_ASSIGN(const NodeId tie, NodeOf(value, site));
    site.ties.push_back(tie);
  }
  return Status();
}

// Many nodes may be tied: to one rather than to many.
Status FunctionInliner::JoinTies(CallSite& site) {
  SortUnique(site.ties);
  if (site.ties.size() <= 2) return Status();
  DF_ASSIGN(const SiteValue begin, Add("begin", "NoOp", {}, site, {}, site.ties));
  site.ties = {begin.output.node};
  return Status();
}

// Reads variables for a call, which takes their values when it begins: after all of its inputs, and its control inputs.
Status FunctionInliner::ReadVariables(const NodeSpec& spec, const CallSite& site, std::vector<SiteValue>& inputs) {
  const auto is_ref = [&](const SiteValue& v) { return v.output.valid() && to().is_ref(v.output); };
  if (std::none_of(inputs.begin(), inputs.end(), is_ref)) return Status();
  CallSite begin = site;
  begin.prefix = spec.name + "/";
  Append(begin.ties, spec.control_inputs);
  DF_TRY(TieTo(inputs, begin));
  SortUnique(begin.ties);
  for (SiteValue& value : inputs) {
    if (!is_ref(value)) continue;
    DF_ASSIGN(value, Add("read", "Identity", {value}, begin, {}, begin.ties));
  }
  return Status();
}

Result<Inlined> FunctionInliner::AddFunctional(const NodeSpec& spec, const std::vector<SiteValue>& given,
                                               const CallSite& site) {
  std::vector<SiteValue> inputs = given;
  DF_TRY(ReadVariables(spec, site, inputs));
  CallSite inner = site;
  inner.prefix = spec.name + "/";
  inner.device = DeviceWithin(spec.device, site.device);
  Append(inner.ties, spec.control_inputs);
  inner.is_conditional |= site.may_be_dead;
  inner.may_be_dead = false;
  inner.runs_all = RunsAll(spec.op, spec.attrs) || (site.runs_all && !IsPartitionedCall(spec.op));
  inner.ends_whole = true;
  // All inputs are there before a call, or a node that runs as a whole, has any effect that could be seen.
  const bool needs_all = inner.runs_all || IsPartitionedCall(spec.op);
  if (site.may_be_dead || (needs_all && HasState(spec.attrs))) DF_TRY(TieTo(inputs, inner));
  std::vector<SiteValue> values = inputs;
  if (inner.ties.size() > site.ties.size()) {
    DF_TRY(JoinTies(inner));
    for (SiteValue& value : values) value.floats = true;
  }
  return LoweringOf(spec.op)(*this, {spec.op, spec.attrs, values}, inner);
}

Status FunctionInliner::BeginCall(const std::string& function) {
  if (calls_.size() >= kMaxNesting) {
    return InvalidArgument("calls of functions are nested more than ", kMaxNesting, " deep, from '", calls_.front(),
                           "' to '", function, "'");
  }
  const auto begin = std::find(calls_.begin(), calls_.end(), function);
  if (begin == calls_.end()) {
    calls_.push_back(function);
    return Status();
  }
  std::string cycle;
  for (auto it = begin; it != calls_.end(); ++it) cycle += StrCat("'", *it, "' -> ");
  return InvalidArgument("function '", function, "' calls itself, which no function can: ", cycle, "'", function,
                         "'; what repeats is a While");
}

Result<Inlined> FunctionInliner::Call(const FunctionName& function, const std::vector<SiteValue>& arguments,
                                      const CallSite& site) {
  DF_ASSIGN(const FunctionBody* const body, library().Find(function.name));
  DF_TRY(CountNodes(1));
  DF_TRY(CountInputs(arguments.size()));
  DF_TRY(BeginCall(function.name));
  Result<Inlined> made = BodyInstance(*this, *body, site).Add(function, arguments);
  calls_.pop_back();
  if (!made.ok()) return made.status().Annotate(StrCat("function '", function.name, "'"));
  return made;
}

}  // namespace dfrun
