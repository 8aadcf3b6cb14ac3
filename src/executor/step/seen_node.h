// The values of a node that a check of a step has found: what it read and what it made.
#ifndef DFRUN_SRC_EXECUTOR_STEP_SEEN_NODE_H_
#define DFRUN_SRC_EXECUTOR_STEP_SEEN_NODE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/framework/device/device.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// Owned copies of values in host memory, up to a number of bytes.
// Thread safety: as a standard container.
class ValueCopies {
 public:
  // `room`: bytes of all values together; 0: nothing is copied.
  explicit ValueCopies(int64_t room = 0) : room_(room) {}

  // Adds a copy of `value`, a slot's or a variable's, of which `in_host` is what the host may read. `what` names it for
  // missing(): "input 1".
  void Add(const Tensor& value, const Tensor& in_host, Device& device, const std::string& what);
  // Adds a value that is not there.
  void AddNone() { values_.emplace_back(); }

  const std::vector<Tensor>& values() const { return values_; }
  // Why a value could not be copied, as the rest of a sentence: "input 1 is a resource". "": all were.
  const std::string& missing() const { return missing_; }
  int64_t room() const { return room_; }  // bytes that are left

 private:
  int64_t room_;
  std::vector<Tensor> values_;
  std::string missing_;
};

// A node of a plan, and its values.
struct SeenNode {
  std::string name;
  std::string device;                // full name
  std::vector<Tensor> inputs = {};   // values before the node ran; of a ref, the variable's
  std::vector<Tensor> outputs = {};  // values after it; not initialised for a ref
  std::string missing = {};          // ValueCopies::missing() of either
};

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_SEEN_NODE_H_
