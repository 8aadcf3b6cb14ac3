// SparseToDenseBase: the checks of SparseToDense's inputs, on any device: indices, shape, values, the value of all
// others.
#ifndef DFRUN_KERNELS_ARRAY_INDEX_SPARSE_TO_DENSE_H_
#define DFRUN_KERNELS_ARRAY_INDEX_SPARSE_TO_DENSE_H_

#include <string_view>

#include "src/framework/kernel/kernel.h"

namespace dfrun {

class SparseToDenseBase : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"output_shape"};
  explicit SparseToDenseBase(KernelSetup& setup) : validate_(setup.attr<bool>("validate_indices")) {}

 protected:
  // The output's shape, which the other inputs fit.
  static Result<Shape> ReadShape(const OpContext& ctx);
  // The number of indices in a tensor of this shape.
  static int64_t CountOf(const Shape& indices) { return indices.rank() == 0 ? 1 : indices.dim(0); }

  const bool validate_;  // indices increase
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_INDEX_SPARSE_TO_DENSE_H_
