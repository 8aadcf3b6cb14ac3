// A variable: a tensor that outlives steps, updated in place.
//
// Two views of one object. Ref edges (VariableV2) read value() without a lock: the graph's control edges decide which
// node may write, and when. Resource edges (VarHandleOp) take mu() and get snapshots: a writer copies first where a
// snapshot shares the buffer.
#ifndef DFRUN_SRC_FRAMEWORK_KERNEL_VARIABLE_H_
#define DFRUN_SRC_FRAMEWORK_KERNEL_VARIABLE_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "src/base/mutex.h"
#include "src/framework/device/device.h"
#include "src/framework/values/resource.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

class Variable final : public Resource {
 public:
  Variable(std::string name, DType dtype, PartialShape shape);
  ~Variable() override = default;

  const std::string& name() const { return name_; }
  DType dtype() const { return dtype_; }
  // The shape that its op declared.
  const PartialShape& declared_shape() const { return shape_; }

  // The value; not initialised until the first Assign. The header stays valid for the variable's life, its bytes until
  // a value of another shape replaces it and every step that was in flight then has ended.
  const Tensor& value() const { return *current_.load(std::memory_order_acquire); }
  Tensor& mutable_value() { return *current_.load(std::memory_order_acquire); }
  bool initialized() const { return value().initialized(); }

  // Copies `value` in: in place where dtype and shape are the same and no snapshot shares the bytes, else into a new
  // buffer of `device`, which is that of all its values.
  Status Assign(const Tensor& value, Device& device) REQUIRES(mu_);
  // Takes `value` over as it is.
  void Replace(Tensor value) REQUIRES(mu_);
  // A header that shares the current bytes.
  Tensor Snapshot() const REQUIRES(mu_) { return value(); }
  // Makes the bytes this variable's alone, copying if a snapshot shares them. Needs a value.
  Status MakeWritable(Device& device) REQUIRES(mu_);
  // Back to no value.
  void Clear() REQUIRES(mu_);

  Mutex& mu() DF_THREAD_ANNOTATION(lock_returned(mu_)) { return mu_; }
  std::string DebugString() const override;

 private:
  const std::string name_;
  const DType dtype_;
  const PartialShape shape_;
  Mutex mu_;
  std::vector<std::unique_ptr<Tensor>> headers_ GUARDED_BY(mu_);  // all but the last are retired
  std::atomic<Tensor*> current_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_KERNEL_VARIABLE_H_
