// Equal rows of a sparse gradient are summed by the update that takes them, on GPUs.
//
// Where Unique finds the rows of a gradient, UnsortedSegmentSum adds up the values of each, and a (Resource)SparseApply
// alone takes both, it takes the gradient as it comes, with the same bits. How many different rows there are is
// nobody's to know then: the host need not wait for the GPU, and the step can be recorded.
#include <algorithm>
#include <string_view>

#include "kernels/device/cuda/sum_equal_rows.h"
#include "kernels/device/cuda_pass.h"
#include "src/graph/update_gate.h"
#include "src/passes/fusion.h"

namespace dfrun {
namespace {

bool IsSparseUpdate(const Node& node) {
  const std::string_view name = node.op->name;
  return name.starts_with("SparseApply") || name.starts_with("ResourceSparseApply");
}

// True if the StridedSlice takes element 0 of a vector.
bool IsFirstElement(const FusionView& view, const Node& node) {
  if (node.op->name != "StridedSlice") return false;
  const Result<int64_t> shrinks = node.attrs.Get<int64_t>("shrink_axis_mask");
  const Result<Tensor> begin = view.node(node.inputs[1].node).attrs.Get<Tensor>("value");
  return shrinks.ok() && *shrinks == 1 && begin.ok() && begin->num_elements() == 1 && begin->dtype() == DType::kInt32 &&
         begin->data<int32_t>()[0] == 0;
}

// The nodes between the gradient and its update, the Unique first; none where they are not those.
std::vector<NodeId> SumsOf(const FusionView& view, const Node& update, int delta) {
  const Node& sums = view.node(update.inputs[delta].node);
  const Node& unique = view.node(update.inputs[delta + 1].node);
  if (sums.op->name != "UnsortedSegmentSum" || unique.op->name != "Unique" || !view.HasOneReader(sums)) return {};
  const Node& count = view.node(sums.inputs[2].node);
  if (!IsFirstElement(view, count) || !view.HasOneReader(count)) return {};
  const Node& shape = view.node(count.inputs[0].node);
  if (shape.op->name != "Shape" || !view.HasOneReader(shape)) return {};
  const bool are_of_unique = update.inputs[delta + 1] == Output{unique.id, 0} &&
                             shape.inputs[0] == Output{unique.id, 0} && sums.inputs[1] == Output{unique.id, 1};
  constexpr int kReaders = 3;
  const auto readers = view.consumers().of(unique.id);
  const auto reads = std::count_if(readers.begin(), readers.end(), [](const auto& edge) { return edge.port >= 0; });
  if (!are_of_unique || reads != kReaders) return {};
  return {unique.id, shape.id, count.id, sums.id};
}

std::optional<Fusion> FuseAt(const FusionView& view, const Node& node) {
  if (!IsSparseUpdate(node)) return {};
  for (int i = 0; i + 1 < node.num_inputs(); ++i) {
    std::vector<NodeId> removed = SumsOf(view, node, i);
    if (removed.empty()) continue;
    Fusion fusion{node.id, std::move(removed), node.op->name, node.inputs, node.attrs};
    fusion.inputs[i] = view.node(fusion.removed.back()).inputs[0];
    fusion.inputs[i + 1] = view.node(fusion.removed.front()).inputs[0];
    fusion.attrs.Set(kSumsEqualRowsAttr, true);
    return fusion;
  }
  return {};
}

bool IsReadByAnUpdate(const FusionView& view, const Node& node) {
  const auto readers = view.consumers().of(node.id);
  return std::any_of(readers.begin(), readers.end(),
                     [&](const auto& edge) { return edge.port >= 0 && IsSparseUpdate(view.node(edge.node)); });
}

// Moves the checks for finite sums of equal rows to the rows themselves, so that the update alone reads the sums. A sum
// that overflows though its rows are finite is then found by the next loss.
void CheckRows(Graph& graph) {
  const FusionView view(graph);
  for (const Node& node : view.graph().nodes()) {
    if (node.op->name != kFirstNotFiniteOp) continue;
    for (Output& input : graph.mutable_node(node.id).inputs) {
      const Node& sums = view.node(input.node);
      if (sums.op->name == "UnsortedSegmentSum" && IsReadByAnUpdate(view, sums)) input = sums.inputs[0];
    }
  }
}

CUDA_PASS("sum_equal_rows", 10, [](Graph& graph, const PassContext& /*context*/) {
  CheckRows(graph);
  return FuseNodes(graph, &FuseAt);
});

}  // namespace
}  // namespace dfrun
