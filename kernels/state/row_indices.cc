#include "kernels/state/row_indices.h"

namespace dfrun {

Result<std::vector<int64_t>> ReadRowIndices(const Tensor& indices, int64_t rows) {
  std::vector<int64_t> list;
  const bool is_index = VisitDType<int32_t, int64_t>(indices.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    list.assign(indices.data<T>(), indices.data<T>() + indices.num_elements());
  });
  if (!is_index) return InvalidArgument("indices must be int32 or int64, but are ", indices.dtype());
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] < 0 || list[i] >= rows) {
      return InvalidArgument("indices[", i, "] = ", list[i], " is not in [0, ", rows, ")");
    }
  }
  return list;
}

}  // namespace dfrun
