#include "src/placement/kernel_index.h"

namespace dfrun {

DeviceTypes KernelIndex::TypesFor(const Node& node) {
  if (node.op->name == "_Arg" || node.op->name == "_Retval") return all();
  Key key{node.op, {}};
  for (const auto& [name, value] : node.attrs) {
    if (const auto* dtype = value.get<DType>()) key.second.push_back(*dtype);
  }
  auto [it, is_new] = known_.emplace(std::move(key), 0);
  if (is_new) {
    for (size_t i = 0; i < types_.size(); ++i) {
      if (kernels_.Find(node.op->name, types_[i], node.attrs).ok()) it->second |= DeviceTypes{1} << i;
    }
  }
  return it->second;
}

Status KernelIndex::WhyNot(const Node& node, DeviceTypes wanted) const {
  for (size_t i = 0; i < types_.size(); ++i) {
    if ((wanted >> i & 1) == 0) continue;
    Result<const KernelDef*> found = kernels_.Find(node.op->name, types_[i], node.attrs);
    if (!found.ok()) return std::move(found).status();
  }
  return Status();
}

}  // namespace dfrun
