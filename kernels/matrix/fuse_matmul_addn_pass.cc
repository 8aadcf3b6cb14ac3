// A sum of matrix products as one node, which keeps the sum in the cache: gradients of a matrix that is used many
// times.
//
// AddN of MatMuls that nothing else reads, equally transposed, becomes a _MatMulSum, with the same bits. Products of
// variables that are read where they are used stay, since their time of reading must.
#include "kernels/device/cpu_pass.h"
#include "src/passes/pattern.h"

namespace dfrun {
namespace {

std::optional<Fusion> FuseAt(const FusionView& view, const Node& sum) {
  static const Pattern kProduct{.ops = {"MatMul"}, .may_be_awaited = true};
  if (sum.op->name != "AddN" || sum.num_inputs() < 2 || !IsOfFloats(sum)) return {};
  Fusion fusion{sum.id, {}, "_MatMulSum", {}, {}};
  std::vector<Output> second;
  const Node& first = view.node(sum.inputs[0].node);
  for (Output input : sum.inputs) {
    if (!MatchInner(view, input, kProduct)) return {};
    const Node& product = view.node(input.node);
    for (const char* attr : {"transpose_a", "transpose_b"}) {
      if (IsSet(product, attr) != IsSet(first, attr)) return {};
    }
    if (ReadsRef(view.graph(), product)) return {};
    fusion.removed.push_back(product.id);
    fusion.inputs.push_back(product.inputs[0]);
    second.push_back(product.inputs[1]);
  }
  fusion.inputs.insert(fusion.inputs.end(), second.begin(), second.end());
  CopyAttrs(first, {"T", "transpose_a", "transpose_b"}, "", fusion.attrs);
  fusion.attrs.Set("N", static_cast<int64_t>(sum.num_inputs()));
  return fusion;
}

CPU_PASS("fuse_matmul_addn", 50,
         [](Graph& graph, const PassContext& /*context*/) { return FuseNodes(graph, &FuseAt); });

}  // namespace
}  // namespace dfrun
