#include "src/graph/node_cost.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace dfrun {
namespace {

// Prints a whole number, or the one nearest to the count, in digits.
std::string Print(double count) {
  char text[400];  // the largest double has 309 digits
  const auto [end, error] = std::to_chars(text, text + sizeof text, count, std::chars_format::fixed, 0);
  return error == std::errc() ? std::string(text, end) : "?";
}

std::string Print(const OpCost& cost) {
  return StrCat("flops=", Print(cost.flops), " read=", Print(cost.bytes_read), " written=", Print(cost.bytes_written));
}

}  // namespace

std::optional<OpCost> NodeCost(const Graph& graph, const Node& node) {
  std::vector<TypedShape> inputs;
  for (int i = 0; i < node.num_inputs(); ++i) {
    const Output value = node.inputs[static_cast<size_t>(i)];
    inputs.push_back(
        {node.input_types[static_cast<size_t>(i)].dtype, value.valid() ? graph.shape(value) : PartialShape()});
  }
  std::vector<TypedShape> outputs;
  outputs.reserve(static_cast<size_t>(node.num_outputs()));
  for (int i = 0; i < node.num_outputs(); ++i) {
    outputs.push_back({node.output_types[static_cast<size_t>(i)].dtype, node.output_shapes[static_cast<size_t>(i)]});
  }
  return KnownCost(node.op->traits.cost, CostContext(node.attrs, inputs, outputs));
}

double NodeSeconds(const std::optional<OpCost>& cost, const DeviceSpeed& speed) {
  if (!cost) return speed.node_seconds;
  const double bytes = cost->bytes_read + cost->bytes_written;
  return speed.node_seconds + std::max(cost->flops / speed.flops, bytes / speed.bytes);
}

std::string DumpCosts(const Graph& graph, const std::function<std::string(const Node&)>& more) {
  std::string out;
  OpCost sum;
  int unknown = 0;
  for (const Node& node : graph.nodes()) {
    const std::optional<OpCost> cost = NodeCost(graph, node);
    out += StrCat(node.name, ": ", node.op->name, " ", cost ? Print(*cost) : "unknown", more ? more(node) : "", "\n");
    unknown += cost ? 0 : 1;
    sum.flops += cost ? cost->flops : 0;
    sum.bytes_read += cost ? cost->bytes_read : 0;
    sum.bytes_written += cost ? cost->bytes_written : 0;
  }
  return out + StrCat("# in all: ", Print(sum), "; unknown: ", unknown, " of ", graph.num_nodes(), " nodes\n");
}

}  // namespace dfrun
