#include "src/passes/sum_equal_rows.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "src/graph/control_flow.h"
#include "src/passes/fusion.h"
#include "src/passes/graph_rebuilder.h"

namespace dfrun {
namespace {

// Multiplications below which two nodes more cost what they save.
constexpr int64_t kLeastWork = int64_t{1} << 24;

// Columns of a product, which are rows of the matrix that it is by.
struct Range {
  int64_t first = 0;
  int64_t count = 0;
};

// A product, of which some columns are packed.
struct Step {
  Output gradient;             // what is multiplied
  NodeId product;              // by the transposed matrix
  NodeId whole;                // what is read of it: itself, or an Identity of it
  std::vector<NodeId> slices;  // of the columns that are not packed
};

// The sum of products that is the matrix's gradient.
struct MatrixGradient {
  NodeId sum;
  Output looked_up;            // the rows of the table, of rank 3
  Output indices;              // by which they were looked up
  bool is_table_first;         // among the columns of what was multiplied
  std::vector<Output> others;  // the other columns, in the order of the products
};

// A table's gradient over the steps of a net.
struct TableGradient {
  const Node* end;                 // adds rows to the table, or up by what Unique gives
  Output keys;                     // one for each row
  std::vector<const Node*> scale;  // between the packed rows and the end
  const Node* reshape;
  const Node* pack;
  std::vector<Step> steps;
  Output matrix;
  Range packed;
  Range sliced;  // none: of count 0
  std::optional<MatrixGradient> of_matrix;
};

const Node* PassedOn(const Graph& graph, const Node* node) {
  while (node->op->name == "Identity" && node->inputs[0].valid()) node = &graph.node(node->inputs[0].node);
  return node;
}

// Whether two integer tensors have the same elements in the same order, whatever their shapes.
bool HaveSameElements(const Graph& graph, Output a, Output b) {
  for (Output* value : {&a, &b}) {
    while (graph.node(value->node).op->name == "Reshape" || graph.node(value->node).op->name == "Identity") {
      *value = graph.node(value->node).inputs[0];
    }
  }
  if (a == b) return true;
  const Tensor* const x = graph.ConstantValue(a);
  const Tensor* const y = graph.ConstantValue(b);
  return x != nullptr && y != nullptr && x->dtype() == y->dtype() && x->num_elements() == y->num_elements() &&
         std::memcmp(x->raw(), y->raw(), x->num_bytes()) == 0;
}

class Finder {
 public:
  explicit Finder(const FusionView& view) : view_(view), graph_(view.graph()) {}

  std::optional<TableGradient> At(const Node& pack) const {
    if (pack.op->name != "_PackColumns" || pack.num_inputs() < 2) return std::nullopt;
    const DType dtype = pack.output_types[0].dtype;
    if (dtype != DType::kFloat && dtype != DType::kDouble) return std::nullopt;
    TableGradient found{};
    found.pack = &pack;
    if (!FindTable(found) || !FindSteps(found) || !IsWorthwhile(found)) return std::nullopt;
    found.of_matrix = FindOfMatrix(found);
    return found;
  }

 private:
  // The one node that reads `node`, if nothing else would miss it; null if there is none.
  const Node* ReaderOf(const Node& node) const {
    if (!view_.HasOneReader(node) || view_.IsAwaited(node)) return nullptr;
    return &view_.node(view_.consumers().of(node.id)[0].node);
  }

  static bool IsScatter(const std::string& op) {
    return op == "ScatterSub" || op == "ScatterAdd" || op == "ResourceScatterSub" || op == "ResourceScatterAdd";
  }

  bool IsScale(const Node& node, const Node& of) const {
    if (node.op->name == "Neg") return true;
    if (node.op->name != "Mul") return false;
    const PartialShape& by = graph_.shape(node.inputs[node.inputs[0].node == of.id ? 1 : 0]);
    return by.known_rank() && by.rank() == 0;
  }

  bool FindTable(TableGradient& found) const {
    found.reshape = ReaderOf(*found.pack);
    if (found.reshape == nullptr || found.reshape->op->name != "Reshape" || !found.reshape->control_inputs.empty() ||
        found.reshape->inputs[0].node != found.pack->id) {
      return false;
    }
    const PartialShape& rows = found.reshape->output_shapes[0];
    if (!rows.IsFullyDefined() || rows.rank() != 2 || rows.dim(1) != found.pack->output_shapes[0].dim(2)) return false;
    const Node* last = found.reshape;
    const Node* next = ReaderOf(*last);
    for (; next != nullptr && IsScale(*next, *last); next = ReaderOf(*last)) {
      found.scale.push_back(next);
      last = next;
    }
    if (next == nullptr) return false;
    found.end = next;
    found.keys = KeysOf(*next, {last->id, 0});
    if (!found.keys.valid()) return false;
    const PartialShape& keys = graph_.shape(found.keys);
    return keys.known_rank() && keys.rank() == 1;
  }

  // Of the rows that a node adds to a table or up; none where it does something else.
  Output KeysOf(const Node& end, Output rows) const {
    if (IsScatter(end.op->name)) return end.inputs[2] == rows ? end.inputs[1] : Output();
    if (end.op->name != "UnsortedSegmentSum" || !(end.inputs[0] == rows) || end.inputs[1].port != 1) return {};
    const Node& unique = view_.node(end.inputs[1].node);
    const bool is_unique = unique.op->name == "Unique" && IsCount(end.inputs[2], {unique.id, 0});
    return is_unique ? unique.inputs[0] : Output();
  }

  // Whether a scalar is how many elements a vector has.
  bool IsCount(Output value, Output of) const {
    const Node& slice = view_.node(value.node);
    const PartialShape& shape = graph_.shape(value);
    if (slice.op->name != "StridedSlice" || !shape.known_rank() || shape.rank() != 0) return false;
    const Node& shape_of = view_.node(slice.inputs[0].node);
    return shape_of.op->name == "Shape" && shape_of.inputs[0] == of;
  }

  bool FindSteps(TableGradient& found) const {
    found.packed = {*found.pack->attrs.Find("first")->get<int64_t>(),
                    *found.pack->attrs.Find("columns")->get<int64_t>()};
    std::unordered_set<NodeId> products;
    for (const Output whole : found.pack->inputs) {
      const std::optional<Step> step = FindStep(found, view_.node(whole.node));
      if (!step || !products.insert(step->product).second) return false;
      found.steps.push_back(*step);
    }
    return true;
  }

  std::optional<Step> FindStep(TableGradient& found, const Node& whole) const {
    const Node& product = whole.op->name == "Identity" ? view_.node(whole.inputs[0].node) : whole;
    if (product.op->name != "MatMul" || !IsSet(product, "transpose_b") || IsSet(product, "transpose_a") ||
        (&product != &whole && !view_.HasOneReader(product)) || !view_.OnOneDevice(product, *found.pack) ||
        graph_.is_ref(product.inputs[0])) {
      return std::nullopt;
    }
    if (!found.matrix.valid()) found.matrix = product.inputs[1];
    if (!(product.inputs[1] == found.matrix) || !product.output_shapes[0].IsFullyDefined()) return std::nullopt;
    Step step{product.inputs[0], product.id, whole.id, {}};
    int packs = 0;
    for (const Consumers::Edge& edge : view_.consumers().of(whole.id)) {
      if (edge.port < 0) continue;
      const Node& reader = view_.node(edge.node);
      if (&reader == found.pack && ++packs == 1) continue;
      if (!IsOtherSlice(found, reader, product.output_shapes[0], found.sliced)) return std::nullopt;
      step.slices.push_back(reader.id);
    }
    return step;
  }

  // Of all columns beside those that are packed, the same as of other slices.
  bool IsOtherSlice(const TableGradient& found, const Node& slice, const PartialShape& whole, Range& sliced) const {
    if (slice.op->name != "Slice" || !view_.OnOneDevice(slice, *found.pack)) return false;
    const Tensor* const begin = graph_.ConstantValue(slice.inputs[1]);
    const PartialShape& part = slice.output_shapes[0];
    if (begin == nullptr || !part.IsFullyDefined() || part.rank() != 2 || part.dim(0) != whole.dim(0)) return false;
    const Range range{LastInt(*begin), part.dim(1)};
    if (sliced.count == 0) sliced = range;
    const int64_t end = found.packed.first + found.packed.count;
    if (!slice.control_inputs.empty()) return false;
    const bool is_rest =
        range.first == 0 ? range.count == found.packed.first && end == whole.dim(1)
                         : found.packed.first == 0 && range.first == end && range.first + range.count == whole.dim(1);
    return is_rest && range.first == sliced.first && range.count == sliced.count;
  }

  bool IsWorthwhile(const TableGradient& found) const {
    const PartialShape& matrix = graph_.shape(found.matrix);
    const PartialShape& rows = found.reshape->output_shapes[0];
    return matrix.IsFullyDefined() && matrix.rank() == 2 &&
           matrix.dim(1) >= kLeastWork / std::max<int64_t>(1, rows.dim(0) * rows.dim(1));
  }

  std::optional<MatrixGradient> FindOfMatrix(const TableGradient& found) const {
    for (const Consumers::Edge& edge : view_.consumers().of(found.steps[0].gradient.node)) {
      const Node& node = view_.node(edge.node);
      if (edge.port < 0 || node.op->name != "_MatMulSum") continue;
      std::optional<MatrixGradient> gradient = GradientBy(found, node);
      if (gradient) return gradient;
    }
    return std::nullopt;
  }

  std::optional<MatrixGradient> GradientBy(const TableGradient& found, const Node& sum) const {
    const size_t count = found.steps.size();
    if (sum.inputs.size() != 2 * count || !IsSet(sum, "transpose_a") || IsSet(sum, "transpose_b") ||
        !view_.OnOneDevice(sum, *found.pack)) {
      return std::nullopt;
    }
    MatrixGradient gradient{sum.id, {}, {}, found.packed.first == 0, {}};
    const Node* unpack = nullptr;
    std::vector<bool> is_there(count, false);
    for (size_t i = 0; i < count; ++i) {
      const auto step = std::find_if(found.steps.begin(), found.steps.end(),
                                     [&](const Step& s) { return s.gradient == sum.inputs[count + i]; });
      const Node& join = view_.node(sum.inputs[i].node);
      if (step == found.steps.end() || join.op->name != "ConcatV2" || join.num_inputs() != 3) return std::nullopt;
      const Output of_table = join.inputs[gradient.is_table_first ? 0 : 1];
      const auto place = step - found.steps.begin();
      if (unpack == nullptr) unpack = &view_.node(of_table.node);
      if (of_table.node != unpack->id || of_table.port != place || is_there[static_cast<size_t>(place)] ||
          !IsAlongColumns(found, join)) {
        return std::nullopt;
      }
      is_there[static_cast<size_t>(place)] = true;
      gradient.others.push_back(join.inputs[gradient.is_table_first ? 1 : 0]);
    }
    return IsOfLookup(found, *unpack, gradient) ? std::optional(std::move(gradient)) : std::nullopt;
  }

  // A ConcatV2 of the columns that are packed with all others.
  bool IsAlongColumns(const TableGradient& found, const Node& join) const {
    const Tensor* const axis = graph_.ConstantValue(join.inputs[2]);
    const PartialShape& whole = join.output_shapes[0];
    const PartialShape& part = graph_.shape(join.inputs[found.packed.first == 0 ? 0 : 1]);
    if (axis == nullptr || !whole.IsFullyDefined() || whole.rank() != 2 || !part.IsFullyDefined()) return false;
    const int64_t along = LastInt(*axis);
    const int64_t rest = whole.dim(1) - found.packed.count;
    return (along == 1 || along == -1) && whole.dim(1) == graph_.shape(found.matrix).dim(0) &&
           part.dim(1) == found.packed.count && (found.packed.first == 0 || found.packed.first == rest) && rest > 0;
  }

  // Whether rows are unpacked as gradients are packed, of a lookup by the same indices.
  bool IsOfLookup(const TableGradient& found, const Node& unpack, MatrixGradient& gradient) const {
    if (unpack.op->name != "Unpack" || unpack.num_outputs() != found.pack->num_inputs()) return false;
    const PartialShape& rows = graph_.shape(unpack.inputs[0]);
    if (!(rows == found.pack->output_shapes[0]) || !rows.IsFullyDefined()) return false;
    const int64_t axis = *unpack.attrs.Find("axis")->get<int64_t>();
    if ((axis < 0 ? axis + 3 : axis) != *found.pack->attrs.Find("axis")->get<int64_t>()) return false;
    const Node& lookup = *PassedOn(graph_, &view_.node(unpack.inputs[0].node));
    if (!IsLookup(lookup) || !view_.OnOneDevice(lookup, *found.pack)) return false;
    gradient.looked_up = unpack.inputs[0];
    gradient.indices = lookup.inputs[1];
    return HaveSameElements(graph_, gradient.indices, found.keys);
  }

  bool IsLookup(const Node& node) const {
    if (node.op->name == "Gather") return true;
    const AttrValue* const batch_dims = node.attrs.Find("batch_dims");
    if (batch_dims == nullptr || *batch_dims->get<int64_t>() != 0) return false;
    if (node.op->name == "ResourceGather") return true;
    if (node.op->name != "GatherV2") return false;
    const Tensor* const axis = graph_.ConstantValue(node.inputs[2]);
    return axis != nullptr && LastInt(*axis) == 0;
  }

  const FusionView& view_;
  const Graph& graph_;
};

// Makes the new graph. What stands for a node is made where it stood, the products by the sums as soon as all that is
// summed is there.
class Rewriter {
 public:
  Rewriter(const Graph& graph, const std::vector<TableGradient>& tables) : graph_(graph), rebuilder_(graph) {
    for (const TableGradient& table : tables) {
      Work& work = works_.emplace_back(Work{table, {}, {}, -1, {}});
      for (const Step& step : table.steps) {
        tasks_[step.product] = [&] { return RemakeProduct(work, step); };
        if (step.whole != step.product) tasks_[step.whole] = [&] { return RemakeWhole(step); };
        for (NodeId slice : step.slices) tasks_[slice] = [&, slice] { return ReplaceSlice(slice, step); };
      }
      const auto drop = [] { return Status(); };
      for (const Node* node : {table.pack, table.reshape}) tasks_[node->id] = drop;
      for (const Node* node : table.scale) tasks_[node->id] = drop;
      if (table.of_matrix) tasks_[table.of_matrix->sum] = [&] { return RemakeSum(work); };
      tasks_[table.end->id] = [&] { return RemakeEnd(work); };
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
    NodeId sums;  // none yet: -1
    Output rows;  // the gradient of the table's different rows
  };

  Status RemakeProduct(Work& work, const Step& step) {
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

  Status RemakeWhole(const Step& step) {
    if (step.slices.empty()) return rebuilder_.AddAwaited(step.whole).status();
    return Remake(graph_.node(step.whole));
  }

  Status ReplaceSlice(NodeId slice, const Step& step) {
    const Output whole = rebuilder_.NewPlace({step.whole, 0});
    rebuilder_.Replace({slice, 0}, whole);
    rebuilder_.ReplaceControl(slice, whole.node);
    return Status();
  }

  Status RemakeSum(Work& work) {
    const MatrixGradient& gradient = *work.table.of_matrix;
    DF_ASSIGN(const NodeId sums, SumsOf(work));
    DF_ASSIGN(const Output different, DifferentRows(work, sums));
    NodeSpec spec = SpecOf(graph_.node(gradient.sum));
    const std::vector<Output> second(spec.inputs.begin() + static_cast<int64_t>(gradient.others.size()),
                                     spec.inputs.end());
    spec.inputs.clear();
    for (const Output other : gradient.others) spec.inputs.push_back(rebuilder_.NewPlace(other));
    spec.inputs.insert(gradient.is_table_first ? spec.inputs.begin() : spec.inputs.end(), different);
    const auto b = static_cast<int64_t>(spec.inputs.size());
    spec.inputs.insert(spec.inputs.end(), second.begin(), second.end());
    spec.inputs.insert(gradient.is_table_first ? spec.inputs.begin() + b : spec.inputs.end(), Output{sums, 0});
    spec.attrs.Set("N", b);
    spec.attrs.Set("parts", gradient.is_table_first ? std::vector<int64_t>{1, b - 1} : std::vector<int64_t>{b - 1, 1});
    DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
    rebuilder_.MergeInto(gradient.sum, made);
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
    spec.inputs[1] = {work.sums, 1};
    DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
    rebuilder_.MergeInto(end.id, made);
    return Status();
  }

  // The rows of the matrix, once for all products.
  Status TakeRows(Work& work, const Node& product) {
    if (work.packed_rows.valid()) return Status();
    const auto take = [&](Range range, Output& rows) -> Status {
      if (range.count == 0) return Status();
      NodeSpec spec = PlacedAs(product);
      spec.name = rebuilder_.to().UniqueName(StrCat(graph_.node(work.table.matrix.node).name, "/rows"));
      spec.op = "_Rows";
      spec.inputs = {rebuilder_.NewPlace(work.table.matrix)};
      spec.attrs = {{"first", range.first}, {"count", range.count}};
      DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
      rows = {made, 0};
      return Status();
    };
    DF_TRY(take(work.table.packed, work.packed_rows));
    return take(work.table.sliced, work.sliced_rows);
  }

  Output KeysOf(const Work& work) const {
    return rebuilder_.NewPlace(work.table.of_matrix ? work.table.of_matrix->indices : work.table.keys);
  }
  bool CanSum(const Work& work) const {
    return KeysOf(work).valid() && std::all_of(work.table.steps.begin(), work.table.steps.end(), [&](const Step& step) {
             return rebuilder_.NewPlace(step.gradient).valid();
           });
  }

  Result<NodeId> SumsOf(Work& work) {
    if (work.sums >= 0) return work.sums;
    const Node& pack = *work.table.pack;
    NodeSpec spec = PlacedAs(pack);
    spec.name = pack.name;
    spec.op = "_SumEqualRows";
    spec.inputs = {KeysOf(work)};
    for (const Step& step : work.table.steps) spec.inputs.push_back(rebuilder_.NewPlace(step.gradient));
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

  // Of the table, as they were looked up.
  Result<Output> DifferentRows(const Work& work, NodeId sums) {
    const Node& lookup = graph_.node(work.table.of_matrix->looked_up.node);
    const auto add = [&](const char* what, const char* op, std::vector<Output> inputs) -> Result<Output> {
      NodeSpec spec = PlacedAs(lookup);
      spec.name = rebuilder_.to().UniqueName(StrCat(lookup.name, what));
      spec.op = op;
      spec.inputs = std::move(inputs);
      DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
      return Output{made, 0};
    };
    const auto constant = [&](const char* what, const Tensor& value) -> Result<Output> {
      NodeSpec spec = PlacedAs(lookup);
      spec.name = rebuilder_.to().UniqueName(StrCat(lookup.name, what));
      spec.op = "Const";
      spec.attrs = {{"dtype", value.dtype()}, {"value", value}};
      DF_ASSIGN(const NodeId made, rebuilder_.to().AddNode(std::move(spec)));
      return Output{made, 0};
    };
    Tensor shape(DType::kInt64, Shape({2}));
    shape.data<int64_t>()[0] = -1;
    shape.data<int64_t>()[1] = work.table.packed.count;
    Tensor axis(DType::kInt32, Shape());
    axis.data<int32_t>()[0] = 0;
    DF_ASSIGN(const Output to, constant("/rows/shape", shape));
    DF_ASSIGN(const Output along, constant("/rows/axis", axis));
    const Output looked_up = rebuilder_.NewPlace(work.table.of_matrix->looked_up);
    DF_ASSIGN(const Output rows, add("/rows", "Reshape", {looked_up, to}));
    return add("/different", "GatherV2", {rows, {sums, 2}, along});
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

  const Graph& graph_;
  GraphRebuilder rebuilder_;
  std::deque<Work> works_;
  std::unordered_map<NodeId, std::function<Status()>> tasks_;
};

// Those of which no two share a node.
std::vector<TableGradient> FindTables(const Graph& graph) {
  const FusionView view(graph);
  const Finder finder(view);
  std::vector<TableGradient> tables;
  std::unordered_set<NodeId> taken;
  for (const Node& node : graph.nodes()) {
    std::optional<TableGradient> table = finder.At(node);
    if (!table) continue;
    const auto is_taken = [&](const Step& step) {
      return taken.count(step.whole) > 0 || taken.count(step.product) > 0;
    };
    if (std::any_of(table->steps.begin(), table->steps.end(), is_taken)) continue;
    if (table->of_matrix && !taken.insert(table->of_matrix->sum).second) table->of_matrix.reset();
    for (const Step& step : table->steps) taken.insert({step.whole, step.product});
    tables.push_back(*std::move(table));
  }
  return tables;
}

}  // namespace

Status SumEqualRows(Graph& graph) {
  if (graph.ops().Find("_SumEqualRows") == nullptr || HasControlFlow(graph)) return Status();
  const std::vector<TableGradient> tables = FindTables(graph);
  if (tables.empty()) return Status();
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  DF_ASSIGN(graph, Rewriter(graph, tables).Apply(order));
  return Status();
}

}  // namespace dfrun
