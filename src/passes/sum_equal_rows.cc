#include "src/passes/sum_equal_rows.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/graph/control_flow.h"
#include "src/passes/graph_rebuilder.h"
#include "src/passes/table_gradients.h"

namespace dfrun {
namespace {

// Makes the new graph. What stands for a node is made where it stood, the products by the sums as soon as all that is
// summed is there.
class Rewriter {
 public:
  Rewriter(const FusionView& view, const std::vector<TableGradient>& tables)
      : view_(view), graph_(view.graph()), rebuilder_(view.graph()) {
    for (const TableGradient& table : tables) {
      Work& work = works_.emplace_back(Work{table, {}, {}, -1, {}, {}, -1, {}});
      for (const TableStep& step : table.steps) {
        tasks_[step.product] = [&] { return RemakeProduct(work, step); };
        if (step.whole != step.product) tasks_[step.whole] = [&] { return RemakeWhole(step); };
        for (NodeId slice : step.slices) tasks_[slice] = [&, slice] { return ReplaceSlice(slice, step); };
      }
      const auto drop = [] { return Status(); };
      for (const Node* node : {table.pack, table.reshape}) tasks_[node->id] = drop;
      for (const Node* node : table.scale) tasks_[node->id] = drop;
      tasks_[table.end->id] = [&] { return RemakeEnd(work); };
      if (table.lookup) PlanLookup(work, *table.lookup);
    }
  }

  Result<Graph> Apply(std::span<const NodeId> order) {
    for (NodeId id : order) {
      if (const auto task = tasks_.find(id); task != tasks_.end()) {
        DF_TRY(task->second());
      } else {
        rebuilder_.Keep(id);
      }
    }
    return rebuilder_.Finish();
  }

 private:
  struct Work {
    const TableGradient& table;
    Output packed_rows;  // of the matrix
    Output sliced_rows;
    NodeId unique;         // gives the different indices and the places among them; none yet: -1
    Output of_table;       // the product of these by the matrix
    Output sliced_panels;  // of the matrix
    NodeId sums;           // none yet: -1
    Output rows;           // the gradient of the table's different rows
  };

  void PlanLookup(Work& work, const TableLookup& lookup) {
    tasks_[lookup.node] = [&] { return RemakeLookup(work); };
    for (NodeId id : lookup.between) {
      tasks_[id] = [&, id] {
        rebuilder_.ReplaceControl(id, rebuilder_.NewControl(lookup.node));
        return Status();
      };
    }
    for (size_t t = 0; t < work.table.steps.size(); ++t) {
      const TableStep& step = work.table.steps[t];
      tasks_[step.join] = [&] {
        return view_.IsAwaited(graph_.node(step.join)) ? rebuilder_.AddAwaited(step.join).status() : Status();
      };
      tasks_[step.forward] = [&, t] { return RemakeForward(work, t); };
    }
    tasks_[lookup.sum] = [&] { return RemakeSum(work); };
  }

  // Each different row once.
  Status RemakeLookup(Work& work) {
    const Node& lookup = graph_.node(work.table.lookup->node);
    NodeSpec spec = SpecOf(lookup);
    DF_ASSIGN(const Output shape, AddConst(lookup, "/shape", Tensor::Vector<int32_t>({-1})));
    DF_ASSIGN(const Output flat, Add(lookup, "/keys", "Reshape", {spec.inputs[1], shape}));
    DF_TRY(FindDifferent(work, lookup, flat));
    spec.inputs[1] = {work.unique, 0};
    DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
    rebuilder_.MergeInto(lookup.id, made);
    return Status();
  }

  // A step's product is of the other columns alone. To it are added the table's rows, which are multiplied before.
  Status RemakeForward(Work& work, size_t t) {
    const TableStep& step = work.table.steps[t];
    const Node& product = graph_.node(step.forward);
    DF_TRY(TakeRows(work, product));
    if (!work.of_table.valid()) {
      const Output looked_up = rebuilder_.NewPlace({work.table.lookup->node, 0});
      if (work.table.lookup->bias.valid()) {
        DF_ASSIGN(work.of_table, Add(product, "/of_table", "_FusedMatMul",
                                     {looked_up, work.packed_rows, rebuilder_.NewPlace(work.table.lookup->bias)},
                                     {{"num_args", 1}, {"fused_ops", std::vector<std::string>{"BiasAdd"}}}));
      } else {
        DF_ASSIGN(work.of_table, Add(product, "/of_table", "MatMul", {looked_up, work.packed_rows}));
      }
      DF_ASSIGN(work.sliced_panels, Add(product, "/panels", "_MatMulPanels", {work.sliced_rows}));
    }
    const bool is_step_first = *work.table.pack->attrs.Find("axis")->get<int64_t>() == 0;
    const auto step_number = static_cast<int64_t>(t);
    const int64_t rows = product.output_shapes[0].dim(0);
    const int64_t first = is_step_first ? step_number * rows : step_number;
    const int64_t place_step = is_step_first ? 1 : static_cast<int64_t>(work.table.steps.size());
    NodeSpec spec = SpecOf(product);
    if (step.other_is_zeros) {
      DF_ASSIGN(const Output places, PlacesOf(work, product, first, first + (rows - 1) * place_step + 1, place_step));
      DF_ASSIGN(const Output axis, AddConst(product, "/axis", Tensor::Scalar<int32_t>(0)));
      spec.op = "GatherV2";
      spec.inputs = {work.of_table, places, axis};
      spec.attrs = {};
    } else {
      spec.op = "_MatMulByPanels";
      spec.inputs = {rebuilder_.NewPlace(step.other), work.sliced_panels, work.of_table, {work.unique, 1}};
      spec.attrs = {{"columns", product.output_shapes[0].dim(1)},
                    {"num_args", 1},
                    {"num_places", 1},
                    {"first_place", first},
                    {"place_step", place_step}};
    }
    DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
    rebuilder_.MergeInto(product.id, made);
    return Status();
  }

  // Where each row of a step is among the different ones.
  Result<Output> PlacesOf(const Work& work, const Node& product, int64_t first, int64_t end, int64_t step) {
    std::vector<Output> inputs{{work.unique, 1}};
    for (const auto& [what, value] : {std::pair{"/first", first}, {"/end", end}, {"/step", step}}) {
      DF_ASSIGN(const Output bound, AddConst(product, what, Tensor::Vector<int32_t>({static_cast<int32_t>(value)})));
      inputs.push_back(bound);
    }
    return Add(product, "/places", "StridedSlice", std::move(inputs));
  }

  Status RemakeProduct(Work& work, const TableStep& step) {
    DF_TRY(TakeRows(work, graph_.node(step.product)));
    if (!step.slices.empty()) {
      NodeSpec spec = SpecOf(graph_.node(step.product));
      spec.inputs[1] = work.sliced_rows;
      spec.control_inputs.push_back(work.packed_rows.node);
      DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
      rebuilder_.MergeInto(step.product, made);
      return Status();
    }
    if (CanSum(work)) {  // who waited for this one, to change the matrix perhaps, waits for all of them
      DF_ASSIGN(const Output rows, RowsOf(work));
      rebuilder_.ReplaceControl(step.product, rows.node);
      return Status();
    }
    DF_ASSIGN(const NodeId made, rebuilder_.AddAwaited(step.product));
    rebuilder_.to().AddControlEdge(work.packed_rows.node, made);
    return Status();
  }

  Status RemakeWhole(const TableStep& step) {
    if (step.slices.empty()) return rebuilder_.AddAwaited(step.whole).status();
    return Remake(graph_.node(step.whole));
  }

  Status ReplaceSlice(NodeId slice, const TableStep& step) {
    const Output whole = rebuilder_.NewPlace({step.whole, 0});
    rebuilder_.Replace({slice, 0}, whole);
    rebuilder_.ReplaceControl(slice, whole.node);
    return Status();
  }

  // The table's part of the matrix's gradient is a product of its different rows.
  Status RemakeSum(Work& work) {
    const TableLookup& lookup = *work.table.lookup;
    DF_ASSIGN(const NodeId sums, SumsOf(work));
    std::vector<Output> a;
    std::vector<Output> b;
    const std::vector<TableStep>& steps = work.table.steps;
    const bool all_are_zeros =  // then the part keeps them
        std::all_of(steps.begin(), steps.end(), [](const TableStep& step) { return step.other_is_zeros; });
    for (const TableStep& step : steps) {
      if (step.other_is_zeros && !all_are_zeros) continue;
      a.push_back(rebuilder_.NewPlace(step.other));
      b.push_back(rebuilder_.NewPlace(step.gradient));
    }
    const auto products = static_cast<int64_t>(a.size());
    a.insert(work.table.is_table_first() ? a.begin() : a.end(), rebuilder_.NewPlace({lookup.node, 0}));
    b.insert(work.table.is_table_first() ? b.begin() : b.end(), Output{sums, 0});
    NodeSpec spec = SpecOf(graph_.node(lookup.sum));
    spec.inputs = a;
    spec.inputs.insert(spec.inputs.end(), b.begin(), b.end());
    spec.attrs.Set("N", products + 1);
    spec.attrs.Set("parts",
                   work.table.is_table_first() ? std::vector<int64_t>{1, products} : std::vector<int64_t>{products, 1});
    DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
    rebuilder_.MergeInto(lookup.sum, made);
    return Status();
  }

  Status RemakeEnd(Work& work) {
    DF_ASSIGN(const Output rows, RowsOf(work));
    rebuilder_.Replace({work.table.reshape->id, 0}, rows);
    for (const Node* node : work.table.scale) DF_TRY(Remake(*node));
    const Node& end = *work.table.end;
    if (end.op->name == "UnsortedSegmentSum") {
      const Output sums = rebuilder_.NewPlace(end.inputs[0]);
      rebuilder_.Replace({end.id, 0}, sums);
      rebuilder_.ReplaceControl(end.id, sums.node);
      return Status();
    }
    NodeSpec spec = SpecOf(end);
    spec.inputs[1] = {work.unique, 0};
    DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
    rebuilder_.MergeInto(end.id, made);
    return Status();
  }

  // The rows of the matrix, once for all products.
  Status TakeRows(Work& work, const Node& product) {
    if (work.packed_rows.valid()) return Status();
    const auto take = [&](ColumnRange range) {
      return Add(product, "/rows", "_Rows", {rebuilder_.NewPlace(work.table.matrix)},
                 {{"first", range.first}, {"count", range.count}});
    };
    DF_ASSIGN(work.packed_rows, take(work.table.packed));
    if (work.table.sliced.count > 0) {
      DF_ASSIGN(work.sliced_rows, take(work.table.sliced));
    }
    return Status();
  }

  Status FindDifferent(Work& work, const Node& near, Output keys) {
    DF_ASSIGN(const Output unique, Add(near, "/unique", "Unique", {keys}, {{"out_idx", DType::kInt32}}));
    work.unique = unique.node;
    return Status();
  }
  bool CanSum(const Work& work) const {
    return (work.unique >= 0 || rebuilder_.NewPlace(work.table.keys).valid()) &&
           std::all_of(work.table.steps.begin(), work.table.steps.end(),
                       [&](const TableStep& step) { return rebuilder_.NewPlace(step.gradient).valid(); });
  }

  Result<NodeId> SumsOf(Work& work) {
    if (work.sums >= 0) return work.sums;
    const Node& pack = *work.table.pack;
    if (work.unique < 0) DF_TRY(FindDifferent(work, pack, rebuilder_.NewPlace(work.table.keys)));
    DF_ASSIGN(const Output count, Add(pack, "/count", "Size", {{work.unique, 0}}, {{"out_type", DType::kInt32}}));
    NodeSpec spec = PlacedAs(pack);
    spec.name = pack.name;
    spec.op = "_SumEqualRows";
    spec.inputs = {{work.unique, 1}, count};
    for (const TableStep& step : work.table.steps) spec.inputs.push_back(rebuilder_.NewPlace(step.gradient));
    rebuilder_.AddControls(pack.control_inputs, spec.control_inputs);
    spec.attrs = {{"axis", *pack.attrs.Find("axis")->get<int64_t>()}};
    DF_ASSIGN(work.sums, rebuilder_.to().AddNode(std::move(spec)));
    return work.sums;
  }

  Result<Output> RowsOf(Work& work) {
    if (work.rows.valid()) return work.rows;
    DF_ASSIGN(const NodeId sums, SumsOf(work));
    NodeSpec spec = PlacedAs(*work.table.reshape);
    spec.name = work.table.reshape->name;
    spec.op = "MatMul";
    spec.inputs = {{sums, 0}, work.packed_rows};
    spec.attrs = {{"transpose_b", true}};
    DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
    work.rows = {made, 0};
    return work.rows;
  }

  // A node beside `near`, called as it and `what`.
  Result<Output> Add(const Node& near, const char* what, const char* op, std::vector<Output> inputs,
                     AttrMap attrs = {}) {
    NodeSpec spec = PlacedAs(near);
    spec.name = rebuilder_.to().UniqueName(StrCat(near.name, what));
    spec.op = op;
    spec.inputs = std::move(inputs);
    spec.attrs = std::move(attrs);
    DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
    return Output{made, 0};
  }
  Result<Output> AddConst(const Node& near, const char* what, const Tensor& value) {
    return Add(near, what, "Const", {}, {{"dtype", value.dtype()}, {"value", value}});
  }
  NodeSpec SpecOf(const Node& node) const {
    NodeSpec spec = PlacedAs(node);
    spec.name = node.name;
    spec.op = node.op->name;
    for (Output input : node.inputs) spec.inputs.push_back(rebuilder_.NewPlace(input));
    rebuilder_.AddControls(node.control_inputs, spec.control_inputs);
    spec.attrs = node.attrs;
    return spec;
  }
  // As it was, but of what its inputs are now.
  Status Remake(const Node& node) {
    DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(SpecOf(node)));
    rebuilder_.MergeInto(node.id, made);
    return Status();
  }

  const FusionView& view_;
  const Graph& graph_;
  GraphRebuilder rebuilder_;
  std::deque<Work> works_;
  std::unordered_map<NodeId, std::function<Status()>> tasks_;
};

}  // namespace

Status SumEqualRows(Graph& graph) {
  if (graph.ops().Find("_SumEqualRows") == nullptr || HasControlFlow(graph)) return Status();
  const auto is_packed = [](const Node& node) { return node.op->name == "_PackColumns"; };
  if (std::none_of(graph.nodes().begin(), graph.nodes().end(), is_packed)) return Status();
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  const FusionView view(graph);
  const std::vector<TableGradient> tables = FindTableGradients(view, order);
  if (tables.empty()) return Status();
  DF_ASSIGN(Graph changed, Rewriter(view, tables).Apply(order));
  graph = std::move(changed);
  return Status();
}

}  // namespace dfrun
