#include "src/graph/graph_def/text_dump.h"

#include <numeric>

#include "src/base/text.h"

namespace dfrun {
namespace {

constexpr int kShownElements = 8;

// FNV-1a.
uint64_t HashBytes(uint64_t hash, const void* data, size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3U;
  return hash;
}

uint64_t HashTensor(const Tensor& t) {
  uint64_t hash = 0xcbf29ce484222325U;
  if (IsPlain(t.dtype())) return HashBytes(hash, t.raw(), t.num_bytes());
  if (t.dtype() != DType::kString) return hash;
  for (const std::string& s : t.values<std::string>()) {
    const uint64_t size = s.size();
    hash = HashBytes(HashBytes(hash, &size, sizeof size), s.data(), s.size());
  }
  return hash;
}

std::string PrintTensor(const Tensor& t) {
  if (!t.initialized() || t.num_elements() <= kShownElements) return StrCat("<", t.ToString(kShownElements), ">");
  char hash[20];
  std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(HashTensor(t)));
  return StrCat("<", t.ToString(kShownElements), " #", hash, ">");
}

std::string PrintAttr(const AttrValue& value) {
  const Tensor* tensor = value.get<Tensor>();
  return tensor == nullptr ? value.ToString() : PrintTensor(*tensor);
}

std::string PrintInputs(const Graph& graph, const Node& node) {
  std::string out;
  for (Output o : node.inputs) out += StrCat(out.empty() ? "" : ", ", o.valid() ? OutputName(graph, o) : "(open)");
  for (NodeId id : node.control_inputs) out += StrCat(out.empty() ? "" : ", ", "^", graph.node(id).name);
  return out;
}

std::string PrintNode(const Graph& graph, const Node& node) {
  std::string out = StrCat(node.name, " = ", node.op->name, "(", PrintInputs(graph, node), ")");
  const auto print = [](const AttrMap::Entry& attr) { return attr.first + "=" + PrintAttr(attr.second); };
  if (node.attrs.size() > 0) out += " {" + Join(node.attrs, ", ", print) + "}";
  for (int i = 0; i < node.num_outputs(); ++i) {
    out += StrCat(i == 0 ? " -> " : ", ", node.output_types[i].is_ref ? "ref " : "", node.output_types[i].dtype,
                  node.output_shapes[i]);
  }
  if (!node.device.empty()) out += " device=" + node.device;
  if (!node.colocate_with.empty()) out += " colocate=" + node.colocate_with;
  return out + "\n";
}

}  // namespace

std::string DumpText(const Graph& graph) {
  std::vector<NodeId> order(static_cast<size_t>(graph.num_nodes()));
  std::iota(order.begin(), order.end(), 0);
  if (Result<std::vector<NodeId>> sorted = graph.TopologicalOrder(); sorted.ok()) order = *std::move(sorted);
  std::string out;
  for (NodeId id : order) out += PrintNode(graph, graph.node(id));
  return out;
}

}  // namespace dfrun
