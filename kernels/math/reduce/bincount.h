// Bases of the kernels that count values, with the checks of their inputs: values, the number of bins, weights.
#ifndef DFRUN_KERNELS_MATH_REDUCE_BINCOUNT_H_
#define DFRUN_KERNELS_MATH_REDUCE_BINCOUNT_H_

#include <string_view>

#include "src/framework/kernel/kernel.h"

namespace dfrun {

class BincountBase : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"size"};

 protected:
  // The number of bins, where the shapes fit together.
  static Result<int64_t> ReadBins(const OpContext& ctx);
};

// Rows of values that are counted by themselves.
class DenseBincountBase : public BincountBase {
 public:
  explicit DenseBincountBase(KernelSetup& setup) : binary_(setup.attr<bool>("binary_output")) {}

 protected:
  struct Rows {
    int64_t count;
    Shape counted;  // the shape of all bins
  };
  static Result<Rows> ReadRows(const OpContext& ctx);
  const bool binary_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_REDUCE_BINCOUNT_H_
