#include "src/partition/message_nodes.h"

#include <algorithm>
#include <iterator>

#include "src/base/text.h"
#include "src/graph/order/node_order.h"

namespace dfrun {
namespace {

constexpr std::string_view kCompressed = "/_compressed_";
constexpr std::string_view kRestored = "/_restored_";
constexpr std::string_view kRead = "/_read";

bool HoldsName(const Node& node, std::string_view part) {
  return node.name.find(part) != std::string::npos;
}

}  // namespace

std::string CompressedName(const Node& source, int32_t port) {
  return StrCat(source.name, kCompressed, port);
}

std::string RestoredName(const Node& source, int channel) {
  return StrCat(source.name, kRestored, channel);
}

std::string ReadName(const Node& source) {
  return StrCat(source.name, kRead);
}

bool IsOfMessage(const Node& node) {
  constexpr std::string_view kNames[] = {kCompressed, kRestored, kRead};
  return IsSend(node) || IsRecv(node) || std::any_of(std::begin(kNames), std::end(kNames), [&](std::string_view name) {
           return HoldsName(node, name);
         });
}

bool RestoresMessage(const Graph& graph, const Node& node) {
  return node.op->name == "Cast" && node.num_inputs() == 1 && IsRecv(graph.node(node.inputs[0].node)) &&
         HoldsName(node, kRestored);
}

}  // namespace dfrun
