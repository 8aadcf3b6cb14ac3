// Outputs that share their inputs' buffers.
#ifndef DFRUN_KERNELS_ARRAY_IDENTITY_H_
#define DFRUN_KERNELS_ARRAY_IDENTITY_H_

#include "src/framework/kernel/kernel.h"

namespace dfrun {

// Output i is input i. Any number of both, none included.
class IdentityKernel final : public Kernel {
 public:
  static constexpr bool kSharesOutputs = true;
  explicit IdentityKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    for (int i = 0; i < ctx.num_inputs(); ++i) ctx.SetOutput(i, ctx.input(i));
    return Status();
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_IDENTITY_H_
