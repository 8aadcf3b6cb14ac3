// Which types of devices have a kernel for a node. Asks the registry once per op and combination of type attrs.
#ifndef DFRUN_SRC_PLACEMENT_KERNEL_INDEX_H_
#define DFRUN_SRC_PLACEMENT_KERNEL_INDEX_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/framework/kernel_registry.h"
#include "src/graph/graph.h"

namespace dfrun {

// Bit i: the device type types()[i].
using DeviceTypes = uint32_t;

class KernelIndex {
 public:
  // At most 32 types.
  KernelIndex(const KernelRegistry& kernels, std::vector<std::string> types)
      : kernels_(kernels), types_(std::move(types)) {}

  const std::vector<std::string>& types() const { return types_; }
  DeviceTypes all() const { return static_cast<DeviceTypes>((uint64_t{1} << types_.size()) - 1); }
  // All types for nodes that the executor itself does (_Arg, _Retval).
  DeviceTypes TypesFor(const Node& node);
  // What the registry says of a node that one of the `wanted` types has no kernel for.
  Status WhyNot(const Node& node, DeviceTypes wanted) const;

 private:
  using Key = std::pair<const OpDef*, std::vector<DType>>;

  const KernelRegistry& kernels_;
  const std::vector<std::string> types_;
  std::map<Key, DeviceTypes> known_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PLACEMENT_KERNEL_INDEX_H_
