// The types of devices that have a kernel for a node. The registry is asked once per op and combination of type attrs.
#ifndef DFRUN_SRC_PLACEMENT_KERNEL_INDEX_H_
#define DFRUN_SRC_PLACEMENT_KERNEL_INDEX_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/framework/kernel/kernel_registry.h"
#include "src/graph/graph.h"

namespace dfrun {

// Bit i: the device type types()[i].
using DeviceTypes = uint32_t;

// A cache of the registry's answers.
// Thread safety: one thread.
class KernelIndex {
 public:
  // There may be at most 32 types.
  KernelIndex(const KernelRegistry& kernels, std::vector<std::string> types)
      : kernels_(kernels), types_(std::move(types)) {}

  const std::vector<std::string>& types() const { return types_; }
  DeviceTypes all() const { return static_cast<DeviceTypes>((uint64_t{1} << types_.size()) - 1); }
  // Returns all types for nodes whose work the executor does itself (_Arg, _Retval).
  DeviceTypes TypesFor(const Node& node);
  // The registry's error for a node for which a type of `wanted` has no kernel.
  Status WhyNot(const Node& node, DeviceTypes wanted) const;

 private:
  using Key = std::pair<const OpDef*, std::vector<DType>>;

  const KernelRegistry& kernels_;
  const std::vector<std::string> types_;
  std::map<Key, DeviceTypes> known_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PLACEMENT_KERNEL_INDEX_H_
