#include "src/session/kernel_check.h"

#include <algorithm>
#include <utility>

namespace dfrun {
namespace {

// A queue, a variable, an accumulator. Whether objects of a name fit each other is known where they are placed.
bool MakesOwnObject(const Node& node) {
  const AttrValue* name = node.attrs.Find("shared_name");
  return node.inputs.empty() && name != nullptr && name->get<std::string>() != nullptr &&
         name->get<std::string>()->empty() &&
         std::all_of(node.output_types.begin(), node.output_types.end(),
                     [](const TypedArg& out) { return out.is_ref || out.dtype == DType::kResource; });
}

Status MakeKernelOf(const Node& node, const Graph& graph, const KernelDef& def, Device& device) {
  const NodeInfo info{node.name, node.op, node.input_types, node.output_types};
  std::vector<PartialShape> input_shapes;
  for (const Output& input : node.inputs) input_shapes.push_back(graph.shape(input));
  KernelSetup setup(info, node.attrs, device, std::move(input_shapes), node.output_shapes,
                    std::vector<bool>(node.output_types.size(), false));
  const std::unique_ptr<Kernel> kernel = def.make(setup);
  return setup.status();
}

}  // namespace

Status CheckKernels(const Graph& graph, Device& device, const KernelRegistry& kernels) {
  for (const Node& node : graph.nodes()) {
    if (node.op->is_stateful && !MakesOwnObject(node)) continue;
    const Result<const KernelDef*> def = kernels.Find(node.op->name, device.type(), node.attrs);
    if (!def.ok()) continue;
    const Status status = MakeKernelOf(node, graph, **def, device);
    if (!status.ok()) return status.Annotate(graph.Describe(node.id));
  }
  return Status();
}

}  // namespace dfrun
