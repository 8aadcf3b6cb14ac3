// FakeParam on any device: a value in place of one that a branch does not give. Movement is the device's
// (movement_cpu.h).
#ifndef DFRUN_KERNELS_CONTROL_FAKE_PARAM_H_
#define DFRUN_KERNELS_CONTROL_FAKE_PARAM_H_

#include "src/framework/kernel/kernel.h"

namespace dfrun {

// Zeros; sizes that the attr leaves open are 0.
template <class Movement>
class FakeParamKernel final : public Kernel {
 public:
  explicit FakeParamKernel(KernelSetup& setup) : shape_(setup.attr<PartialShape>("shape")) {}
  Status Compute(OpContext& ctx) {
    PartialShape known = shape_.known_rank() ? shape_ : PartialShape({0});
    for (int i = 0; i < known.rank(); ++i) {
      if (known.dim(i) == PartialShape::kUnknown) known.set_dim(i, 0);
    }
    Tensor* output = nullptr;
    DF_ASSIGN(const Shape shape, known.ToShape());
    DF_TRY(ctx.AllocateOutput(0, shape, &output));
    return output->num_elements() == 0 ? Status() : Movement::Fill(ctx, *output, nullptr);
  }

 private:
  const PartialShape shape_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_CONTROL_FAKE_PARAM_H_
