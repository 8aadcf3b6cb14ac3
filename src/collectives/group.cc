#include "src/collectives/group.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>

#include "src/framework/device/device.h"

namespace dfrun {
namespace {

constexpr std::array<std::string_view, 4> kForms = {"Reduce", "Gather", "BcastSend", "BcastRecv"};

bool BringsValue(const Node& node) {
  return CollectiveForm(node) != "BcastRecv";
}

Result<int64_t> KeyInput(const Graph& graph, const Node& node, int input) {
  const Tensor* const value = graph.ConstantValue(node.inputs[input]);
  if (value == nullptr || value->num_elements() != 1) {
    return InvalidArgument("input ", input, " is a key of a collective, and must be a constant scalar");
  }
  return int64_t{value->scalar<int32_t>()};
}

Status CheckPair(const Graph& graph, const Node& first, const Node& node) {
  const std::string form = CollectiveForm(first);
  const std::string other_form = CollectiveForm(node);
  if (other_form != form && !(IsBroadcast(form) && IsBroadcast(other_form))) {
    return InvalidArgument("node '", node.name, "' has its keys, but is a ", node.op->name);
  }
  for (const char* attr : {"group_size", "T", "merge_op", "final_op", "shape"}) {
    const AttrValue* mine = first.attrs.Find(attr);
    const AttrValue* other = node.attrs.Find(attr);
    if (mine == nullptr || other == nullptr || *mine == *other) continue;
    return InvalidArgument("attr ", attr, " is ", mine->ToString(), ", but that of participant '", node.name, "' is ",
                           other->ToString());
  }
  if (!BringsValue(first) || !BringsValue(node)) return Status();
  if (graph.shape(first.inputs[0]).IsCompatibleWith(graph.shape(node.inputs[0]))) return Status();
  return InvalidArgument("it brings a value of shape ", graph.shape(first.inputs[0]), ", but participant '", node.name,
                         "' one of ", graph.shape(node.inputs[0]));
}

}  // namespace

std::string CollectiveForm(const Node& node) {
  constexpr std::string_view kPrefix = "Collective";
  std::string_view name = node.op->name;
  if (!name.starts_with(kPrefix)) return "";
  name.remove_prefix(kPrefix.size());
  if (name.ends_with("V2")) name.remove_suffix(2);
  return std::find(kForms.begin(), kForms.end(), name) == kForms.end() ? "" : std::string(name);
}

bool IsBroadcast(const std::string& form) {
  return form == "BcastSend" || form == "BcastRecv";
}

Result<CollectiveKeys> ReadCollectiveKeys(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  CollectiveKeys keys{};
  if (node.attrs.Has("group_key")) {
    DF_ASSIGN(keys.group_size, node.attrs.Get<int64_t>("group_size"));
    DF_ASSIGN(keys.group, node.attrs.Get<int64_t>("group_key"));
    DF_ASSIGN(keys.instance, node.attrs.Get<int64_t>("instance_key"));
    return keys;
  }
  const int first = BringsValue(node) ? 1 : 0;
  DF_ASSIGN(keys.group_size, KeyInput(graph, node, first));
  DF_ASSIGN(keys.group, KeyInput(graph, node, first + 1));
  DF_ASSIGN(keys.instance, KeyInput(graph, node, first + 2));
  return keys;
}

Status CheckCollectiveGroup(const Graph& graph, const std::vector<NodeId>& group) {
  DF_ASSIGN(const CollectiveKeys first, ReadCollectiveKeys(graph, group[0]));
  if (static_cast<int64_t>(group.size()) != first.group_size) {
    return InvalidArgument("the step has ", group.size(), " of the ", first.group_size,
                           " participants of this collective; all must be fetched, or be needed by what is");
  }
  for (NodeId id : group) {
    DF_TRY(CheckPair(graph, graph.node(group[0]), graph.node(id)));
    DF_ASSIGN(const CollectiveKeys keys, ReadCollectiveKeys(graph, id));
    if (keys.group_size == first.group_size) continue;
    return InvalidArgument("its group has ", first.group_size, " participants, but that of '", graph.node(id).name,
                           "' has ", keys.group_size);
  }
  return Status();
}

Status SortByDevice(const Graph& graph, std::vector<NodeId>& group) {
  using Rank = std::tuple<std::string, int, std::string, int, std::string>;
  std::vector<std::pair<Rank, NodeId>> ranked;
  for (NodeId id : group) {
    const Node& node = graph.node(id);
    DF_ASSIGN(const DeviceName device, DeviceName::Parse(node.device));
    ranked.push_back({{device.job.value_or(""), device.task.value_or(0), device.type.value_or(""),
                       device.index.value_or(0), node.name},
                      id});
  }
  std::sort(ranked.begin(), ranked.end());
  std::transform(ranked.begin(), ranked.end(), group.begin(), [](const auto& member) { return member.second; });
  return Status();
}

}  // namespace dfrun
