#include "src/training/assigned_variables.h"

#include <algorithm>
#include <string_view>

#include "src/base/sort_unique.h"
#include "src/graph/order/variable_readers.h"
#include "src/training/checks/strategy_checks.h"
#include "src/training/narrow_values.h"
#include "src/training/order/use_order.h"

namespace dfrun {
namespace {

// Whether the node takes a reference and writes nothing: it hands the reference on, or looks at the variable.
bool OnlyHandsOn(const Node& node) {
  static constexpr std::string_view kOps[] = {"RefIdentity", "IsVariableInitialized"};
  return std::find(std::begin(kOps), std::end(kOps), node.op->name) != std::end(kOps);
}

// Whether the node hands a reference on by a condition or round a loop.
bool WritesPredicate(const Node& node) {
  static constexpr std::string_view kOps[] = {"RefSwitch", "RefMerge",         "RefEnter",
                                              "RefExit",   "RefNextIteration", "RefSelect"};
  return std::find(std::begin(kOps), std::end(kOps), node.op->name) != std::end(kOps);
}

bool TakesRef(const Node& node, Output ref) {
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (node.inputs[i] == ref && node.input_types[i].is_ref) return true;
  }
  return false;
}

struct Writers {
  std::vector<NodeId> nodes;  // in the order of the graph
  std::vector<Output> refs;   // the variable's, and those that nodes which take it hand on
  bool are_steered = false;
};

// The nodes of `in_body` that write `variable`, by its reference or by one that another writer gives.
Writers WritersOf(const Graph& graph, const Consumers& consumers, const std::vector<bool>& in_body, NodeId variable) {
  Writers writers;
  std::vector<Output>& refs = writers.refs;
  refs = {{variable, 0}};
  std::vector<bool> seen(static_cast<size_t>(graph.num_nodes()), false);
  for (size_t i = 0; i < refs.size(); ++i) {
    for (const Consumers::Edge& edge : consumers.of(refs[i].node)) {
      const Node& node = graph.node(edge.node);
      if (edge.port != refs[i].port || seen[static_cast<size_t>(node.id)] || !in_body[static_cast<size_t>(node.id)])
        continue;
      if (!TakesRef(node, refs[i])) continue;
      seen[static_cast<size_t>(node.id)] = true;
      if (WritesPredicate(node)) {
        writers.are_steered = true;
      } else if (!OnlyHandsOn(node)) {
        writers.nodes.push_back(node.id);
      }
      for (int port = 0; port < node.num_outputs(); ++port) {
        if (node.output_types[port].is_ref) refs.push_back({node.id, port});
      }
    }
  }
  std::sort(writers.nodes.begin(), writers.nodes.end());
  return writers;
}

// The nodes that take the variable, and those that write it.
std::vector<NodeId> UsersOf(const Writers& writers, const Consumers& consumers, const std::vector<bool>& in_body) {
  std::vector<NodeId> users = writers.nodes;
  for (const Output ref : writers.refs) {
    for (const Consumers::Edge& edge : consumers.of(ref.node)) {
      if (edge.port == ref.port && in_body[static_cast<size_t>(edge.node)]) users.push_back(edge.node);
    }
  }
  SortUnique(users);
  return users;
}

std::string ReduceWords(DType dtype) {
  if (IsFloating(dtype)) return "mean, sum or first";
  return IsComplex(dtype) || IsInteger(dtype) ? "sum or first" : "first";
}

Status RefuseRace(int replicas, const Graph& graph, NodeId variable, NodeId writer) {
  return InvalidArgument(graph.Describe(variable), " is assigned by '", graph.node(writer).name, "' in each of the ",
                         replicas, " replicas, and which comes last would differ from run to run: write 'reduce: ",
                         ReduceWords(graph.dtype({variable, 0})),
                         "' at the variable, for what a step makes of the values that the replicas give it");
}

// Variables behind handles have no key where they could say it.
Status CheckHandles(int replicas, const Graph& graph, const Consumers& consumers, const std::vector<bool>& in_body) {
  const VariableReaders readers(graph, consumers);
  for (const Node& node : graph.nodes()) {
    const AttrValue* shared = node.attrs.Find("shared_name");
    const bool is_shared =
        shared != nullptr && shared->get<std::string>() != nullptr && !shared->get<std::string>()->empty();
    if (node.op->name != "VarHandleOp" || !is_shared || !in_body[static_cast<size_t>(node.id)]) continue;
    for (const NodeId changer : readers.ChangersOf(node.id)) {
      if (!in_body[static_cast<size_t>(changer)]) continue;
      return InvalidArgument(graph.Describe(node.id), " has a 'shared_name', by which the ", replicas,
                             " replicas share it, and '", graph.node(changer).name,
                             "' assigns it in each of them, in an order that differs from run to run: write it as a ",
                             "Variable with 'reduce: mean, sum or first', or leave out 'shared_name'");
    }
  }
  return Status();
}

}  // namespace

Output ReducedValue(GraphOps& ops, VariableSpec::Reduce reduce, Output variable, DType dtype,
                    std::vector<Output> values) {
  if (values.size() == 1 || reduce == VariableSpec::Reduce::kFirst) return values[0];
  const DType sum_dtype = SumDType(dtype);
  const auto widen = [&](Output value) { return CastTo(ops, "wide", value, dtype, sum_dtype); };
  for (Output& value : values) value = widen(value);
  if (reduce == VariableSpec::Reduce::kMean) {
    const Tensor count = ScalarOf(sum_dtype, static_cast<double>(values.size()));
    const Output sum = ops.Add("sum", "AddN", std::move(values));
    return ops.Add("mean", "RealDiv", {sum, ops.Const("replicas", count)});
  }
  const Output before = widen(variable);
  for (Output& value : values) value = ops.Add("change", "Sub", {value, before});
  return ops.Add("value", "AddV2", {before, ops.Add("changes", "AddN", std::move(values))});
}

Result<AssignedVariables> AssignedVariables::Find(const JobGraphDraft& draft, int replicas,
                                                  const TrainedVariables& trained, const std::vector<NodeId>& body,
                                                  Graph& graph) {
  AssignedVariables found;
  std::vector<bool> in_body(static_cast<size_t>(graph.num_nodes()), false);
  for (NodeId id : body) in_body[static_cast<size_t>(id)] = true;
  const Consumers consumers = graph.BuildConsumers();
  const bool has_replicas = replicas > 1;
  std::vector<VariableUses> uses;
  for (const VariableSpec& v : draft.spec.variables) {
    Writers writers = WritersOf(graph, consumers, in_body, v.node);
    if (writers.nodes.empty()) continue;
    const bool is_said = v.reduce != VariableSpec::Reduce::kUnsaid;
    const bool is_trained = trained.nodes.contains(v.node);
    if (is_trained && !trained.may_be_assigned) return RefuseTrainedAndAssigned(*draft.spec.train, graph, v.node);
    if (has_replicas && !is_said) return RefuseRace(replicas, graph, v.node, writers.nodes[0]);
    if (writers.are_steered && (is_said || is_trained)) {
      return InvalidArgument(graph.Describe(v.node), is_said ? " says 'reduce', but '" : " is trained, and '",
                             graph.node(writers.nodes[0]).name,
                             "' may assign it in a branch or a loop: assign it outside, of a value that these give");
    }
    if (!is_said) continue;
    uses.push_back({UsersOf(writers, consumers, in_body), writers.nodes});
    found.assigned_.push_back({&v, std::move(writers.nodes)});
  }
  const auto always = [](NodeId, NodeId) { return true; };
  DF_TRY(OrderUses(uses, always, graph).status());
  if (has_replicas) DF_TRY(CheckHandles(replicas, graph, consumers, in_body));
  return found;
}

const VariableSpec* AssignedVariables::SpecOf(NodeId variable) const {
  const auto found = std::find_if(assigned_.begin(), assigned_.end(),
                                  [&](const Assigned& assigned) { return assigned.variable->node == variable; });
  return found == assigned_.end() ? nullptr : found->variable;
}

bool AssignedVariables::Has(NodeId variable) const {
  return SpecOf(variable) != nullptr;
}

Status AssignedVariables::AddCopies(const SubgraphCopyOptions& replica, JobGraphDraft& draft, SubgraphMap& map) const {
  for (const Assigned& assigned : assigned_) {
    const Node& of_model = draft.model.node(assigned.variable->node);
    const Node& home = draft.job.graph.node(map.nodes.at(of_model.id));
    // A variable that the spec places may have writers that the spec places too.
    const std::string device = of_model.device.empty() ? replica.device : home.device;
    const Output variable = map.Map({of_model.id, 0});
    GraphOps ops(draft.job.graph, StrCat(replica.prefix, of_model.name), device);
    const Output copy = ops.Add("copy", "VariableV2", {},
                                {{"shape", of_model.output_shapes[0]}, {"dtype", of_model.output_types[0].dtype}});
    const Output begun = ops.Add("copy/begin", "Assign", {copy, variable});
    DF_TRY(ops.status());
    map.nodes[of_model.id] = copy.node;
    map.outputs[SubgraphMap::OutputKey({of_model.id, 0})] = begun;
  }
  return Status();
}

Result<Output> AssignedVariables::AddValue(size_t i, const SubgraphMap& map, JobGraphDraft& draft) const {
  const auto& [variable, writers] = assigned_[i];
  Graph& graph = draft.job.graph;
  const Output copy = map.Map({variable->node, 0});  // the output of the node that begins it
  std::vector<NodeId> after;
  after.reserve(writers.size());
  for (const NodeId writer : writers) after.push_back(map.nodes.at(writer));
  const std::string& name = graph.node(draft.shared.nodes.at(variable->node)).name;
  GraphOps ops(graph, StrCat("train/", name), graph.node(map.nodes.at(variable->node)).device);
  const Output value = ops.Add("assigned", "Identity", {copy}, {}, std::move(after));
  DF_TRY(ops.status());
  return value;
}

Status AssignedVariables::AddAssignmentsOf(const SubgraphMap& map, bool is_first, JobGraphDraft& draft) const {
  Graph& graph = draft.job.graph;
  for (size_t i = 0; i < assigned_.size(); ++i) {
    const VariableSpec::Reduce reduce = assigned_[i].variable->reduce;
    if (reduce == VariableSpec::Reduce::kFirst && !is_first) continue;
    const NodeId home = draft.shared.nodes.at(variable(i));
    DF_ASSIGN(Output value, AddValue(i, map, draft));
    GraphOps ops(graph, StrCat("train/", graph.node(home).name), graph.node(value.node).device);
    const bool adds = reduce == VariableSpec::Reduce::kSum;
    const Output copy = map.Map({variable(i), 0});
    if (adds) value = ops.Add("change", "Sub", {value, graph.node(copy.node).inputs[1]});
    ops.set_device(graph.node(home).device);
    const Output assign = ops.Add("assign", adds ? "AssignAdd" : "Assign", {{home, 0}, value});
    DF_TRY(ops.status());
    draft.writers[home].push_back(assign.node);
    draft.job.step.signature.targets.push_back(assign.node);
  }
  return Status();
}

Status AssignedVariables::AssignReduced(size_t i, std::vector<Output> values, const TrainingSite& site,
                                        JobGraphDraft& draft) const {
  Graph& graph = draft.job.graph;
  const NodeId home = site.Of(draft.shared.nodes.at(variable(i)));
  GraphOps ops(graph, StrCat("train/", graph.node(home).name), graph.node(home).device);
  const DType dtype = graph.dtype({home, 0});
  const Output value = ReducedValue(ops, assigned_[i].variable->reduce, {home, 0}, dtype, std::move(values));
  DF_TRY(ops.status());
  const Output assign =
      ops.Add("assign", "Assign", {{home, 0}, CastTo(ops, "narrow", value, graph.dtype(value), dtype)});
  DF_TRY(ops.status());
  draft.writers[home].push_back(assign.node);
  draft.job.step.signature.targets.push_back(assign.node);
  return Status();
}

}  // namespace dfrun
