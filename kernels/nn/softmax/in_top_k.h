// InTopK on any device: true for a class that is among the k largest predictions of its row.
#ifndef DFRUN_KERNELS_NN_SOFTMAX_IN_TOP_K_H_
#define DFRUN_KERNELS_NN_SOFTMAX_IN_TOP_K_H_

#include <cmath>
#include <string_view>

#include "kernels/array/int_values.h"
#include "kernels/math/functions/element.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

// False where a prediction is not finite up to the point where k larger ones were seen.
DF_HOST_DEVICE inline bool IsInTop(const float* row, int64_t classes, int64_t target, int64_t k) {
  if (target < 0 || target >= classes || !std::isfinite(row[target])) return false;
  int64_t larger = 0;
  for (int64_t c = 0; c < classes && larger < k; ++c) {
    if (!std::isfinite(row[c])) return false;
    larger += row[c] > row[target] ? 1 : 0;
  }
  return larger < k;
}

// predictions, targets; k as an attr or an input.
class InTopKBase : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"k"};
  explicit InTopKBase(KernelSetup& setup) {
    if (setup.node().inputs.size() == 2) k_ = setup.attr<int64_t>("k");
  }

 protected:
  // k of a node whose inputs fit; InvalidArgument else.
  Result<int64_t> ReadK(const OpContext& ctx) const {
    const Shape& predictions = ctx.input(0).shape();
    const Shape& targets = ctx.input(1).shape();
    if (predictions.rank() != 2 || targets.rank() != 1 || predictions.dim(0) != targets.dim(0))
      return InvalidArgument("predictions ", predictions, " and targets ", targets,
                             " must be a matrix and a vector with an entry for each row");
    if (ctx.num_inputs() <= 2) return k_;
    if (ctx.input(2).shape().rank() != 0)
      return InvalidArgument("k has shape ", ctx.input(2).shape(), ", but must be a scalar");
    return IntValues(ctx.input(2))[0];
  }

 private:
  int64_t k_ = 0;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_SOFTMAX_IN_TOP_K_H_
