#include "src/partition/channels.h"

#include <algorithm>

namespace dfrun {
namespace {

Status CheckCrossing(const Graph& graph, const DistributedFrames& loops, const Node& reader, int input) {
  const std::string from = StrCat("its input ", input, ", '", OutputName(graph, reader.inputs[input]), "'");
  if (reader.input_types[input].is_ref) {
    return InvalidArgument(graph.Describe(reader.id), " is on '", reader.device, "', but ", from,
                           ", is a variable on another device, which it updates: both must be on one device");
  }
  if (graph.IsBackEdge(reader, input)) {
    return Unimplemented(graph.Describe(reader.id), " is on '", reader.device, "', but ", from,
                         ", is a variable that the loop hands on from another device");
  }
  if (loops.IsOutside(reader.inputs[input].node, reader.id)) {
    return InvalidArgument(graph.Describe(reader.id), " is on '", reader.device, "', but ", from,
                           ", comes from another device and from outside of its loop without an Enter");
  }
  return Status();
}

}  // namespace

int ChannelTable::Add(Output source, int to, int32_t* next_id) {
  auto [it, is_new] = index_.try_emplace({source, to}, size());
  if (is_new) channels_.push_back({source, to, (*next_id)++});
  return it->second;
}

bool IsCopied(const Node& node) {
  return node.op->name == "Const" && node.control_inputs.empty();
}

Result<ChannelTable> FindChannels(const Graph& graph, const std::vector<NodeId>& order, const std::vector<int>& device,
                                  const DistributedFrames& loops, int32_t* next_channel) {
  ChannelTable table;
  for (NodeId id : order) {
    const Node& node = graph.node(id);
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Output input = node.inputs[i];
      if (!input.valid() || device[input.node] == device[id]) continue;
      if (IsCopied(graph.node(input.node))) continue;
      DF_TRY(CheckCrossing(graph, loops, node, i));
      table.Add(input, device[id], next_channel);
    }
    for (NodeId control : node.control_inputs) {
      if (device[control] == device[id] || IsReadBySend(graph, device, node, control)) continue;
      table.Add({control, Channel::kControl}, device[id], next_channel);
    }
  }
  return table;
}

bool IsAfterReads(const Node& node) {
  const AttrValue* mark = node.attrs.Find("_after_reads");
  const bool* value = mark == nullptr ? nullptr : mark->get<bool>();
  return value != nullptr && *value;
}

bool IsReadBySend(const Graph& graph, const std::vector<int>& device, const Node& node, NodeId reader) {
  if (device[reader] == device[node.id] || !IsAfterReads(node)) return false;
  const std::vector<Output>& reads = graph.node(reader).inputs;
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (node.input_types[i].is_ref && std::find(reads.begin(), reads.end(), node.inputs[i]) != reads.end()) return true;
  }
  return false;
}

}  // namespace dfrun
