#include "src/costs/op_family.h"

#include <algorithm>
#include <iterator>

#include "src/graph/node_cost.h"

namespace dfrun {
namespace {

constexpr std::string_view kNames[] = {"passing",   "product", "convolution", "pooling", "elementwise",
                                       "reduction", "gather",  "movement",    "random",  "other"};
static_assert(std::size(kNames) == kOpFamilies.size());

// Operations an element, of all inputs and outputs, from which a node is no pass over memory: the optimisers have 2 to
// 4, softmax has 3.
constexpr double kFlopsOfAPass = 16;

bool HasAttr(const OpDef& op, std::string_view name) {
  return op.FindAttr(name) != nullptr;
}

bool HasInput(const OpDef& op, std::string_view name) {
  return std::any_of(op.inputs.begin(), op.inputs.end(), [&](const ArgDef& arg) { return arg.name == name; });
}

// Elements of the inputs and outputs of a node whose shapes are known.
struct Elements {
  double largest_input = 0;
  double output_0 = 0;
  double all = 0;
};

Elements ElementsOf(const Graph& graph, const Node& node) {
  Elements elements;
  for (const Output& input : node.inputs) {
    const double count = input.valid() ? ElementCount(graph.shape(input)) : 0;
    elements.largest_input = std::max(elements.largest_input, count);
    elements.all += count;
  }
  for (const PartialShape& shape : node.output_shapes) elements.all += ElementCount(shape);
  if (!node.output_shapes.empty()) elements.output_0 = ElementCount(node.output_shapes[0]);
  return elements;
}

bool IsOfOtherKind(const OpTraits& traits) {
  return traits.wait != WaitKind::kNone || traits.queue != QueueKind::kNone ||
         traits.control_flow != ControlFlowKind::kNone || traits.boundary != Boundary::kNone ||
         traits.portable.kind == PortableForm::Kind::kPlaceholders;
}

bool IsRandom(const OpDef& op) {
  return (op.is_stateful && HasAttr(op, "seed")) || HasInput(op, "seed");
}

bool IsProduct(const OpDef& op) {
  return HasAttr(op, "transpose_a") || HasAttr(op, "adj_x") || HasAttr(op, "equation");
}

bool IsGather(const OpDef& op) {
  return op.traits.gathers_rows || HasInput(op, "indices") || HasInput(op, "segment_ids");
}

}  // namespace

std::string_view FamilyName(OpFamily family) {
  return kNames[static_cast<size_t>(family)];
}

std::optional<OpFamily> FamilyOfName(std::string_view name) {
  for (OpFamily family : kOpFamilies) {
    if (FamilyName(family) == name) return family;
  }
  return {};
}

OpFamily FamilyOf(const Graph& graph, const Node& node) {
  const OpDef& op = *node.op;
  const std::optional<OpCost> cost = NodeCost(graph, node);
  if (!cost || IsOfOtherKind(op.traits)) return OpFamily::kOther;
  if (cost->flops + cost->bytes_read + cost->bytes_written == 0) return OpFamily::kPassing;
  if (IsRandom(op)) return OpFamily::kRandom;
  if (IsGather(op)) return OpFamily::kGather;
  if (cost->flops == 0) return OpFamily::kMovement;
  if (HasAttr(op, "ksize")) return OpFamily::kPooling;
  if (HasAttr(op, "strides") && HasAttr(op, "padding")) return OpFamily::kConvolution;
  if (IsProduct(op)) return OpFamily::kProduct;
  const Elements elements = ElementsOf(graph, node);
  if (cost->flops > kFlopsOfAPass * elements.all) return OpFamily::kOther;
  const bool reduces = !node.output_shapes.empty() && elements.output_0 < elements.largest_input;
  return reduces ? OpFamily::kReduction : OpFamily::kElementwise;
}

}  // namespace dfrun
