#include <cstring>

#include "kernels/state/row_indices.h"
#include "kernels/state/variable_access.h"

namespace dfrun {
namespace {

// Rows of the variable into the output, copied under the lock.
class ResourceGatherKernel final : public Kernel {
 public:
  explicit ResourceGatherKernel(KernelSetup& setup) {
    if (setup.attr<int64_t>("batch_dims") != 0) setup.Fail(Unimplemented("ResourceGather with batch_dims"));
  }

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(Variable* const variable, VariableInput(ctx, 0));
    MutexLock lock(variable->mu());
    if (!variable->initialized()) return NoValue(*variable);
    const Tensor& value = variable->value();
    if (value.shape().rank() == 0 || !IsPlain(value.dtype()) || value.dtype() != ctx.node().outputs[0].dtype) {
      return InvalidArgument("cannot gather rows of ", ctx.node().outputs[0].dtype, " from the variable '",
                             variable->name(), "' ", value.dtype(), value.shape());
    }
    DF_ASSIGN(const std::vector<int64_t> rows, ReadRowIndices(ctx.input(1), value.shape()[0]));
    DF_ASSIGN(const Shape shape, RowsShape(ctx.input(1).shape(), value.shape()));
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &output));
    if (output->num_elements() > 0) CopyRows(value, rows, *output);
    return Status();
  }
  bool IsExpensive() const override { return true; }

 private:
  static Result<Shape> RowsShape(const Shape& indices, const Shape& variable) {
    std::vector<int64_t> dims(indices.dims().begin(), indices.dims().end());
    dims.insert(dims.end(), variable.dims().begin() + 1, variable.dims().end());
    return Shape::Create(dims);
  }

  static void CopyRows(const Tensor& value, const std::vector<int64_t>& rows, Tensor& output) {
    const size_t row_bytes = output.num_bytes() / rows.size();
    const auto* from = static_cast<const std::byte*>(value.raw());
    auto* to = static_cast<std::byte*>(output.raw());
    for (int64_t row : rows) {
      std::memcpy(to, from + static_cast<size_t>(row) * row_bytes, row_bytes);
      to += row_bytes;
    }
  }
};

CPU_KERNEL_ANY("ResourceGather", ResourceGatherKernel);

}  // namespace
}  // namespace dfrun
