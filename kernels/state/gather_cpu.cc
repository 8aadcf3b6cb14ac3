// Parts of a variable behind a handle, copied under its lock.
#include <algorithm>

#include "kernels/array/coordinates.h"
#include "kernels/array/element_size.h"
#include "kernels/device/cpu_kernel.h"
#include "kernels/state/row_indices.h"
#include "kernels/state/variable_access.h"

namespace dfrun {
namespace {

// Copies slices of `row` elements.
void CopySlices(const Tensor& value, const std::vector<int64_t>& slices, int64_t row, Tensor& output) {
  VisitElement(value.dtype(), [&](auto tag) {
    using E = typename decltype(tag)::type;
    const E* from = static_cast<const E*>(value.raw());
    E* to = static_cast<E*>(output.raw());
    for (int64_t slice : slices) to = std::copy_n(from + slice * row, row, to);
  });
}

// The rows to copy, and the shape of the result.
struct Gathered {
  std::vector<int64_t> slices;
  int64_t row = 1;
  Shape shape;
};

class GatherKernel : public Kernel {
 public:
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(Variable* const variable, VariableInput(ctx, 0));
    MutexLock lock(variable->mu());
    if (!variable->initialized()) return NoValue(*variable);
    const Tensor& value = variable->value();
    if (value.dtype() != ctx.node().outputs[0].dtype) {
      return InvalidArgument("cannot gather ", ctx.node().outputs[0].dtype, " from the variable '", variable->name(),
                             "' of ", value.dtype());
    }
    DF_ASSIGN(const Gathered what, Read(ctx.input(1), value.shape()));
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, what.shape, &output));
    if (output->num_elements() > 0) CopySlices(value, what.slices, what.row, *output);
    return Status();
  }
  bool IsExpensive() const override { return true; }

 protected:
  virtual Result<Gathered> Read(const Tensor& indices, const Shape& variable) const = 0;
};

// Rows by number; within each batch of the first batch_dims dimensions by themselves.
class ResourceGatherKernel final : public GatherKernel {
 public:
  explicit ResourceGatherKernel(KernelSetup& setup) : batch_dims_(setup.attr<int64_t>("batch_dims")) {}

 protected:
  Result<Gathered> Read(const Tensor& indices, const Shape& variable) const override {
    DF_ASSIGN(const int axis, Axis(indices.shape(), variable));
    Gathered what;
    std::vector<int64_t> dims(indices.shape().dims().begin(), indices.shape().dims().end());
    dims.insert(dims.end(), variable.dims().begin() + axis + 1, variable.dims().end());
    DF_ASSIGN(what.shape, Shape::Create(dims));
    for (int d = axis + 1; d < variable.rank(); ++d) what.row *= variable[d];
    DF_ASSIGN(what.slices, ReadRowIndices(indices, variable[axis]));
    int64_t batches = 1;
    for (int d = 0; d < axis; ++d) batches *= variable[d];
    const auto count = static_cast<int64_t>(what.slices.size());
    const int64_t a_batch = std::max<int64_t>(1, count / std::max<int64_t>(1, batches));
    for (int64_t i = 0; i < count; ++i) what.slices[static_cast<size_t>(i)] += i / a_batch * variable[axis];
    return what;
  }

 private:
  Result<int> Axis(const Shape& indices, const Shape& variable) const {
    bool fits = batch_dims_ >= 0 && batch_dims_ <= indices.rank() && batch_dims_ < variable.rank();
    for (int d = 0; fits && d < batch_dims_; ++d) fits = indices[d] == variable[d];
    if (fits) return static_cast<int>(batch_dims_);
    return InvalidArgument("cannot gather from a variable of shape ", variable, " by indices of shape ", indices,
                           " with batch_dims ", batch_dims_);
  }

  const int64_t batch_dims_;
};

class ResourceGatherNdKernel final : public GatherKernel {
 public:
  explicit ResourceGatherNdKernel(KernelSetup&) {}

 protected:
  Result<Gathered> Read(const Tensor& indices, const Shape& variable) const override {
    if (variable.rank() == 0) return InvalidArgument("the variable is a scalar: it has no slices");
    DF_ASSIGN(CoordinateSlices named, ReadCoordinates(indices, variable));
    const auto depth = static_cast<int>(indices.shape().dim(indices.shape().rank() - 1));
    named.prefix.insert(named.prefix.end(), variable.dims().begin() + depth, variable.dims().end());
    DF_ASSIGN(Shape shape, Shape::Create(named.prefix));
    return Gathered{std::move(named.slices), named.row, std::move(shape)};
  }
};

CPU_KERNEL_ANY("ResourceGather", ResourceGatherKernel);
CPU_KERNEL_ANY("ResourceGatherNd", ResourceGatherNdKernel);

}  // namespace
}  // namespace dfrun
