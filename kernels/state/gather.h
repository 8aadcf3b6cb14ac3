// Gathers from variables behind handles, under their locks, on any device.
#ifndef DFRUN_KERNELS_STATE_GATHER_H_
#define DFRUN_KERNELS_STATE_GATHER_H_

#include "kernels/array/index/coordinates.h"
#include "kernels/array/index/gather_loops.h"
#include "kernels/state/variable_access.h"

namespace dfrun {

class VariableGatherKernel : public Kernel {
 public:
  Status Compute(OpContext& ctx);
  bool IsExpensive() const override { return true; }

 protected:
  // Makes output 0 from the variable's value.
  virtual Status GatherFrom(OpContext& ctx, const Tensor& value) const = 0;
};

// Rows by number; within each batch of the first batch_dims dimensions by themselves.
class ResourceGatherBase : public VariableGatherKernel {
 public:
  explicit ResourceGatherBase(KernelSetup& setup) : batch_dims_(setup.attr<int64_t>("batch_dims")) {}

 protected:
  // Gathers the slices that the indices of input 1 name; InvalidArgument where one is out of range.
  virtual Status Gather(OpContext& ctx, const Tensor& value, const GatherLoops& loops, Tensor& output) const = 0;

 private:
  Status GatherFrom(OpContext& ctx, const Tensor& value) const override;

  const int64_t batch_dims_;
};

// Slices by the coordinates of input 1.
class ResourceGatherNdBase : public VariableGatherKernel {
 public:
  explicit ResourceGatherNdBase(KernelSetup&) {}

 protected:
  virtual Status Gather(OpContext& ctx, const Tensor& value, const CoordinatePlan& plan, Tensor& output) const = 0;

 private:
  Status GatherFrom(OpContext& ctx, const Tensor& value) const override;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STATE_GATHER_H_
