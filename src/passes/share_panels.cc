#include "src/passes/share_panels.h"

#include <algorithm>
#include <unordered_map>

#include "src/passes/fusion.h"
#include "src/passes/graph_rebuilder.h"
#include "src/passes/variable_readers.h"

namespace dfrun {
namespace {

// Products of more rows hide what copying costs, of fewer read the matrix as it lies; of less work they are so short
// that all is in the cache; and a panel of more rows than this would not stay in a second-level cache of 1 MiB.
constexpr int64_t kLeastRows = 11;
constexpr int64_t kMostRows = 128;
constexpr int64_t kLeastWork = int64_t{1} << 22;
constexpr int64_t kMostDepth = 4096;
constexpr size_t kLeastTransposed = 16;  // transposing a matrix takes twice as long as putting it in order

struct Group {
  Output matrix;
  bool transposed;
  std::vector<NodeId> products;
};

bool IsCandidate(const Graph& graph, const Node& node) {
  if (node.op->name != "MatMul" && node.op->name != "_FusedMatMul") return false;
  const DType dtype = node.output_types[0].dtype;
  if ((dtype != DType::kFloat && dtype != DType::kDouble) || IsSet(node, "transpose_a")) return false;
  const PartialShape& a = graph.shape(node.inputs[0]);
  const PartialShape& product = node.output_shapes[0];
  if (!a.IsFullyDefined() || !product.IsFullyDefined() || a.rank() != 2) return false;
  return GainsByPanels(product.dim(0), a.dim(1), product.dim(1));
}

// In the graph's order. Products that are not of one device with the first by their matrix are left out.
std::vector<Group> FindGroups(const FusionView& view) {
  const Graph& graph = view.graph();
  std::vector<Group> groups;
  std::unordered_map<NodeId, std::vector<size_t>> by_node;  // of the matrix: its groups
  for (const Node& node : graph.nodes()) {
    if (!IsCandidate(graph, node)) continue;
    const Output matrix = node.inputs[1];
    const bool transposed = IsSet(node, "transpose_b");
    std::vector<size_t>& known = by_node[matrix.node];
    auto it = std::find_if(known.begin(), known.end(),
                           [&](size_t i) { return groups[i].matrix == matrix && groups[i].transposed == transposed; });
    if (it == known.end()) {
      known.push_back(groups.size());
      groups.push_back({matrix, transposed, {node.id}});
    } else if (view.OnOneDevice(node, graph.node(groups[*it].products[0]))) {
      groups[*it].products.push_back(node.id);
    }
  }
  std::erase_if(groups,
                [](const Group& g) { return g.products.size() < (g.transposed ? kLeastTransposed : kLeastByPanels); });
  return groups;
}

class Sharing {
 public:
  explicit Sharing(const Graph& graph) : graph_(graph), rebuilder_(graph) {}

  Result<Graph> Apply(const std::vector<Group>& groups, std::span<const NodeId> order) {
    std::unordered_map<NodeId, size_t> group_of;
    for (size_t i = 0; i < groups.size(); ++i) {
      for (NodeId product : groups[i].products) group_of[product] = i;
    }
    std::vector<Output> panels(groups.size());
    for (NodeId id : order) {
      auto it = group_of.find(id);
      if (it == group_of.end()) {
        rebuilder_.Keep(id);
        continue;
      }
      Output& shared = panels[it->second];
      if (!shared.valid()) {
        DF_ASSIGN(shared, AddPanels(groups[it->second], graph_.node(id)));
      }
      DF_TRY(AddProduct(graph_.node(id), shared));
    }
    return rebuilder_.Finish();
  }

 private:
  Result<Output> AddPanels(const Group& group, const Node& first) {
    NodeSpec spec = PlacedAs(first);
    spec.name = rebuilder_.to().UniqueName(StrCat(graph_.node(group.matrix.node).name, "/panels"));
    spec.op = "_MatMulPanels";
    spec.inputs = {rebuilder_.NewPlace(group.matrix)};
    spec.attrs = {{"T", first.output_types[0].dtype}, {"transpose_b", group.transposed}};
    DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
    return Output{made, 0};
  }

  Status AddProduct(const Node& node, Output panels) {
    NodeSpec spec = PlacedAs(node);
    spec.name = node.name;
    spec.op = "_MatMulByPanels";
    for (Output input : node.inputs) spec.inputs.push_back(rebuilder_.NewPlace(input));
    spec.inputs[1] = panels;
    rebuilder_.AddControls(node.control_inputs, spec.control_inputs);
    spec.attrs = {{"T", node.output_types[0].dtype},
                  {"columns", node.output_shapes[0].dim(1)},
                  {"num_args", static_cast<int64_t>(node.num_inputs() - 2)}};
    if (const AttrValue* ops = node.attrs.Find("fused_ops"); ops != nullptr) spec.attrs.Set("fused_ops", *ops);
    DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
    rebuilder_.MergeInto(node.id, made);
    return Status();
  }

  const Graph& graph_;
  GraphRebuilder rebuilder_;
};

}  // namespace

bool GainsByPanels(int64_t rows, int64_t depth, int64_t columns) {
  return rows >= kLeastRows && rows <= kMostRows && depth > 0 && depth <= kMostDepth &&
         columns >= kLeastWork / (rows * depth);
}

Status SharePanels(Graph& graph) {
  if (graph.ops().Find("_MatMulByPanels") == nullptr) return Status();
  std::vector<Group> groups = FindGroups(FusionView(graph));
  if (groups.empty()) return Status();
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  const Consumers consumers = graph.BuildConsumers();
  const VariableReaders variables(graph, consumers);
  std::erase_if(groups, [&](const Group& group) {
    return graph.is_ref(group.matrix) && !SeeOneValue(graph, variables, order, group.matrix.node, group.products);
  });
  if (groups.empty()) return Status();
  DF_ASSIGN(graph, Sharing(graph).Apply(groups, order));
  return Status();
}

}  // namespace dfrun
