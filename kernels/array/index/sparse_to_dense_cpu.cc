#include <algorithm>

#include "kernels/array/element_size.h"
#include "kernels/array/index/sparse_to_dense.h"
#include "kernels/array/int_values.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

class SparseToDenseKernel : public SparseToDenseBase {
 public:
  using SparseToDenseBase::SparseToDenseBase;
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const Shape shape, ReadShape(ctx));
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
  Result<std::vector<int64_t>> Offsets(const Tensor& indices, const Shape& shape) const {
    const std::vector<int64_t> values = IntValues(indices);
    const int64_t count = CountOf(indices.shape());
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
};

CPU_KERNEL_ANY("SparseToDense", SparseToDenseKernel);

}  // namespace
}  // namespace dfrun
