#include <algorithm>

#include "kernels/device/cpu_kernel.h"
#include "src/checkpoint/fingerprint.h"

namespace dfrun {
namespace {

class VariableFingerprints final : public Kernel {
 public:
  explicit VariableFingerprints(KernelSetup& setup) {
    int i = 0;
    for (const DType dtype : setup.attr<std::vector<DType>>("T")) {
      if (IsHandle(dtype)) setup.Fail(InvalidArgument("input ", i, " is a ", dtype, ", which has no fingerprint"));
      elements_ += std::max<int64_t>(setup.input_shape(i++).num_elements(), 0);
    }
  }

  Status Compute(OpContext& ctx) {
    Tensor* out = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({ctx.num_inputs()}), &out));
    auto* const fingerprints = out->data<uint64_t>();
    for (int i = 0; i < ctx.num_inputs(); ++i) fingerprints[i] = FingerprintOf(ctx.input(i), ctx.pool());
    return Status();
  }

  bool IsExpensive() const override { return elements_ >= kExpensiveElements; }

 private:
  static constexpr int64_t kExpensiveElements = int64_t{1} << 15;

  int64_t elements_ = 0;  // elements of known shape
};

CPU_KERNEL_ANY("_VariableFingerprints", VariableFingerprints);

}  // namespace
}  // namespace dfrun
