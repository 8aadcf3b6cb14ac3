// UniqueBase: the axis of Unique and its kin, on any device. Input 1, if there is one, is the axis; output 2, if there
// is one, holds the counts.
#ifndef DFRUN_KERNELS_ARRAY_INDEX_UNIQUE_SLICES_H_
#define DFRUN_KERNELS_ARRAY_INDEX_UNIQUE_SLICES_H_

#include <string_view>

#include "src/framework/kernel/kernel.h"

namespace dfrun {

class UniqueBase : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"axis"};
  explicit UniqueBase(KernelSetup&) {}

 protected:
  static Result<int64_t> ReadAxis(const OpContext& ctx);
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_INDEX_UNIQUE_SLICES_H_
