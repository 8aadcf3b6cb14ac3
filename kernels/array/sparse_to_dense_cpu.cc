#include <algorithm>

#include "kernels/array/element_size.h"
#include "kernels/array/int_values.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

class SparseToDenseKernel : public Kernel {
 public:
  explicit SparseToDenseKernel(KernelSetup& setup) : validate_(setup.attr<bool>("validate_indices")) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const Shape shape, ShapeValue(ctx.input(1), "the output's shape"));
    DF_TRY(Check(ctx, shape));
    DF_ASSIGN(const std::vector<int64_t> offsets, Offsets(ctx.input(0), shape));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    VisitElement(y->dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      E* to = static_cast<E*>(y->raw());
      std::fill_n(to, shape.num_elements(), *static_cast<const E*>(ctx.input(3).raw()));
      const E* values = static_cast<const E*>(ctx.input(2).raw());
      const bool one = ctx.input(2).shape().rank() == 0;
      for (size_t i = 0; i < offsets.size(); ++i) to[offsets[i]] = values[one ? 0 : i];
    });
    return Status();
  }

 private:
  // Indices are a scalar or a vector for a vector, else a matrix with a row for each value.
  static Status Check(const OpContext& ctx, const Shape& shape) {
    const Shape& indices = ctx.input(0).shape();
    const Shape& values = ctx.input(2).shape();
    const int64_t count = indices.rank() == 0 ? 1 : indices.dim(0);
    const int64_t depth = indices.rank() > 1 ? indices.dim(1) : 1;
    if (indices.rank() > 2 || depth != shape.rank())
      return InvalidArgument("sparse_indices of shape ", indices, " do not name elements of ", shape);
    if (!(values.rank() == 0 || (values.rank() == 1 && values.dim(0) == count)))
      return InvalidArgument("sparse_values has shape ", values, ", but must be a scalar or hold ", count, " values");
    if (ctx.input(3).shape().rank() == 0) return Status();
    return InvalidArgument("default_value has shape ", ctx.input(3).shape(), ", but must be a scalar");
  }

  Result<std::vector<int64_t>> Offsets(const Tensor& indices, const Shape& shape) const {
    const std::vector<int64_t> values = IntValues(indices);
    const int64_t count = indices.shape().rank() == 0 ? 1 : indices.shape().dim(0);
    std::vector<int64_t> offsets;
    for (int64_t i = 0; i < count; ++i) {
      int64_t offset = 0;
      for (int d = 0; d < shape.rank(); ++d) {
        const int64_t at = values[i * shape.rank() + d];
        if (at < 0 || at >= shape.dim(d))
          return InvalidArgument("sparse_indices[", i, "] names ", at, " in dimension ", d, " of ", shape);
        offset = offset * shape.dim(d) + at;
      }
      if (validate_ && !offsets.empty() && offsets.back() >= offset)
        return InvalidArgument("sparse_indices[", i, "] is ", offsets.back() == offset ? "repeated" : "out of order");
      offsets.push_back(offset);
    }
    return offsets;
  }

  const bool validate_;
};

CPU_KERNEL_ANY("SparseToDense", SparseToDenseKernel);

}  // namespace
}  // namespace dfrun
