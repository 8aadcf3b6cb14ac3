// The view of its node that a running kernel gets.
#ifndef DFRUN_SRC_FRAMEWORK_KERNEL_OP_CONTEXT_H_
#define DFRUN_SRC_FRAMEWORK_KERNEL_OP_CONTEXT_H_

#include <cstdint>
#include <utility>

#include "src/base/threads.h"
#include "src/framework/device/device.h"
#include "src/framework/kernel/variable.h"
#include "src/framework/op/node_info.h"
#include "src/framework/step/step_context.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// The executor's view of a running node; kernels see its values through it.
// Lifetime: valid for the call of Compute(), or until `done` of ComputeAsync().
class OpContext {
 public:
  const NodeInfo& node() const { return *node_; }
  int num_inputs() const { return static_cast<int>(node_->inputs.size()); }
  int num_outputs() const { return static_cast<int>(node_->outputs.size()); }

  // Returns the value of input i; through a ref edge, the variable's value now.
  const Tensor& input(int i) const {
    const Tensor& slot = slots_[in_[i]];
    return slot.is_reference() ? slot.variable()->value() : slot;
  }
  // Returns the variable behind ref input i.
  Variable& input_variable(int i) const { return *slots_[in_[i]].variable(); }
  // Returns the elements of input i, known not to be a reference, without a look at its header. It serves kernels that
  // a static shape chose.
  template <class T>
  const T* input_data(int i) const {
    return slots_[in_[i]].data<T>();
  }
  // Returns the elements of output i where the plan has preallocated it (KernelSetup::output_is_preallocated).
  template <class T>
  T* preallocated_output(int i) const {
    return out_[i].data<T>();
  }

  // Gives output i memory of the output's dtype: the memory that the plan fixed for it, else a new tensor. Internal
  // error if `shape` is not the one that shape inference promised.
  Status AllocateOutput(int i, const Shape& shape, Tensor** output);
  // Allocates likewise, but takes over the buffer of input `from` where this node is its last reader and the bytes fit.
  Status ForwardOrAllocate(int from, int i, const Shape& shape, Tensor** output);
  // Makes output i share `value`.
  void SetOutput(int i, Tensor value) { out_[i] = std::move(value); }
  // Makes output i a ref to the variable, which must outlive the plan.
  void SetOutputRef(int i, Variable* variable) { out_[i] = Tensor::Reference(variable->dtype(), variable); }
  // Returns a buffer in the device's memory that lives for this call.
  Result<Tensor> AllocateTemp(DType dtype, const Shape& shape) {
    return Tensor::Allocate(device_->AllocatorFor(dtype), dtype, shape);
  }
  // Notes that the call has enqueued its work, in order, on the device's stream, and that it may be done only later.
  // Outputs in host memory are written all the same, the headers of all are set, and the kernel keeps host memory that
  // the work reads. Device::WhenDone() returns an error of the work.
  void SetEnqueued() { is_enqueued_ = true; }

  Device& device() const { return *device_; }
  Allocator& allocator() const { return device_->allocator(); }
  ThreadPool& pool() const { return *pool_; }
  const StepContext& step() const { return *step_; }
  // Returns the number of the iteration of a loop (and of the loops around it), the same for all nodes of one iteration
  // on all devices; 0 outside loops.
  uint64_t iteration() const { return iteration_; }

  // Members for ops that carry deadness across devices: whether the input of a Send is dead; the slot of a Recv's
  // output and the flag that it is dead, both set before `done` runs.
  bool is_dead() const { return is_dead_; }
  Tensor* output_slot(int i) { return &out_[i]; }
  bool* outputs_dead() { return &outputs_dead_; }

 private:
  friend class ExecutorAccess;  // src/executor fills this in
  Tensor* slots_ = nullptr;
  const uint32_t* in_ = nullptr;
  Tensor* out_ = nullptr;
  const NodeInfo* node_ = nullptr;
  Device* device_ = nullptr;
  ThreadPool* pool_ = nullptr;
  const StepContext* step_ = nullptr;
  uint64_t forwardable_ = 0;  // bit i: this node is the last reader of input i (inputs above 63: never)
  uint64_t iteration_ = 0;
  bool is_dead_ = false;
  bool outputs_dead_ = false;
  bool is_enqueued_ = false;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_KERNEL_OP_CONTEXT_H_
