// A matrix that many products of few rows multiply by, put once in the order in which they read it: the weights of an
// unrolled recurrent net.
//
// (_Fused)MatMuls by one matrix become _MatMulPacked of one _PackWeights, with the same bits, where they are enough
// to pay for it and their shapes are known. By a variable that is read where it is used, only where all that may change
// it runs after them.
#include <algorithm>
#include <map>
#include <tuple>

#include "kernels/device/cpu_pass.h"
#include "src/graph/order/variable_readers.h"
#include "src/passes/fusion.h"
#include "src/passes/graph_rebuilder.h"

namespace dfrun {
namespace {

constexpr const char* kPacked = "_PackWeights";

// The limits of products that gain by packing. Products of more rows hide the cost of copying, and those of fewer read
// the matrix in place. With less work all is in the cache. A panel of more rows than kMaxDepth would not stay in a
// second-level cache of 1 MiB.
constexpr int64_t kMinRows = 11;
constexpr int64_t kMaxRows = 128;
constexpr int64_t kMinWork = int64_t{1} << 22;
constexpr int64_t kMaxDepth = 4096;
// The number of products that pays for packing: 2 MiB take as long as four of 32 rows gain, and twice that to
// transpose.
constexpr size_t kMinProducts = 8;
constexpr size_t kMinTransposed = 16;

bool GainsByPacking(int64_t rows, int64_t depth, int64_t columns) {
  return rows >= kMinRows && rows <= kMaxRows && depth > 0 && depth <= kMaxDepth &&
         columns >= kMinWork / (rows * depth);
}

bool IsCandidate(const Graph& graph, const Node& node) {
  if (node.op->name != "MatMul" && node.op->name != "_FusedMatMul") return false;
  if (!IsOfFloats(node) || IsSet(node, "transpose_a")) return false;
  const PartialShape& a = graph.shape(node.inputs[0]);
  const PartialShape& product = node.output_shapes[0];
  if (!a.IsFullyDefined() || !product.IsFullyDefined() || a.rank() != 2) return false;
  return GainsByPacking(product.dim(0), a.dim(1), product.dim(1));
}

// Products by the matrix and as it is transposed.
using Key = std::tuple<NodeId, int32_t, bool>;

std::map<Key, std::vector<NodeId>> FindGroups(const Graph& graph) {
  std::map<Key, std::vector<NodeId>> groups;
  for (const Node& node : graph.nodes()) {
    if (!IsCandidate(graph, node)) continue;
    groups[{node.inputs[1].node, node.inputs[1].port, IsSet(node, "transpose_b")}].push_back(node.id);
  }
  std::erase_if(groups, [](const auto& group) {
    return group.second.size() < (std::get<bool>(group.first) ? kMinTransposed : kMinProducts);
  });
  return groups;
}

// Lets the products read the packed matrix, as MatMuls that they are no more.
Status Pack(Graph& graph, const Key& key, const std::vector<NodeId>& products) {
  const auto [matrix, port, transposed] = key;
  NodeSpec spec = PlacedAs(graph.node(products[0]));
  spec.name = graph.UniqueName(StrCat(graph.node(matrix).name, "/packed"));
  spec.op = kPacked;
  spec.inputs = {{matrix, port}};
  spec.attrs = {{"T", graph.node(products[0]).output_types[0].dtype}, {"transpose_b", transposed}};
  DF_ASSIGN(const NodeId packed, graph.AddNode(std::move(spec)));
  for (NodeId id : products) graph.mutable_node(id).inputs[1] = {packed, 0};
  return Status();
}

std::optional<Fusion> FuseAt(const FusionView& view, const Node& node) {
  if (node.num_inputs() < 2 || view.node(node.inputs[1].node).op->name != kPacked) return {};
  if (node.op->name != "MatMul" && node.op->name != "_FusedMatMul") return {};
  Fusion fusion{node.id, {}, "_MatMulPacked", node.inputs, {}};
  CopyAttrs(node, {"T", "fused_ops"}, "", fusion.attrs);
  fusion.attrs.Set("columns", node.output_shapes[0].dim(1));
  fusion.attrs.Set("num_args", static_cast<int64_t>(node.num_inputs() - 2));
  return fusion;
}

Status PrepackWeights(Graph& graph, const PassContext& /*context*/) {
  std::map<Key, std::vector<NodeId>> groups = FindGroups(graph);
  if (groups.empty()) return Status();
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  const Consumers consumers = graph.BuildConsumers();
  const VariableReaders variables(graph, consumers);
  std::erase_if(groups, [&](const auto& group) {
    const Output matrix{std::get<0>(group.first), std::get<1>(group.first)};
    return graph.is_ref(matrix) && !SeeOneValue(graph, variables, order, matrix.node, group.second);
  });
  for (const auto& [key, products] : groups) DF_TRY(Pack(graph, key, products));
  return groups.empty() ? Status() : FuseNodes(graph, &FuseAt);
}

// This pass follows those that make _FusedMatMuls.
CPU_PASS("prepack_weights", 70, &PrepackWeights);

}  // namespace
}  // namespace dfrun
