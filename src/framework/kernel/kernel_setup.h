// The arguments of a kernel's constructor.
#ifndef DFRUN_SRC_FRAMEWORK_KERNEL_KERNEL_SETUP_H_
#define DFRUN_SRC_FRAMEWORK_KERNEL_KERNEL_SETUP_H_

#include <string_view>
#include <utility>
#include <vector>

#include "src/framework/device/device.h"
#include "src/framework/op/node_info.h"
#include "src/framework/values/attr.h"
#include "src/framework/values/shape.h"

namespace dfrun {

// The node, device and shapes that a kernel's constructor sees.
class KernelSetup {
 public:
  KernelSetup(const NodeInfo& node, const AttrMap& attrs, Device& device, std::vector<PartialShape> input_shapes,
              std::vector<PartialShape> output_shapes, std::vector<bool> preallocated)
      : node_(node),
        attrs_(attrs),
        device_(device),
        input_shapes_(std::move(input_shapes)),
        output_shapes_(std::move(output_shapes)),
        preallocated_(std::move(preallocated)) {}

  const NodeInfo& node() const { return node_; }
  const AttrMap& attrs() const { return attrs_; }
  Device& device() const { return device_; }
  const PartialShape& input_shape(int i) const { return input_shapes_[i]; }
  const PartialShape& output_shape(int i) const { return output_shapes_[i]; }
  // Returns true where output i has a fixed address in the step: its header is set before the kernel runs.
  bool output_is_preallocated(int i) const { return preallocated_[i]; }

  // An attr as a T; a missing one refuses the kernel and gives a default T.
  template <class T>
  T attr(std::string_view name) {
    Result<T> value = attrs_.Get<T>(name);
    if (value.ok()) return *std::move(value);
    Fail(value.status());
    return T();
  }
  void Fail(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  const Status& status() const { return status_; }

 private:
  const NodeInfo& node_;
  const AttrMap& attrs_;
  Device& device_;
  std::vector<PartialShape> input_shapes_;
  std::vector<PartialShape> output_shapes_;
  std::vector<bool> preallocated_;
  Status status_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_KERNEL_KERNEL_SETUP_H_
