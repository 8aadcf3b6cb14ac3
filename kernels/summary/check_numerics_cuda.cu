// The check of values on GPUs, which is known when the step ends.
#include <cmath>

#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/functions/element.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// The flags by which a kernel reports the values that it found.
struct FoundWords {
  int32_t* nan;
  int32_t* negative;
  int32_t* positive;
};

template <class T>
DF_DEVICE_KERNEL void LookAtElements(const T* x, int64_t n, FoundWords found) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  const auto value = static_cast<ComputeType<T>>(x[i]);
  if (std::isfinite(value)) return;
  *(std::isnan(value) ? found.nan : value < 0 ? found.negative : found.positive) = 1;
}

struct CheckNumerics {
  template <class T>
  class Kernel final : public dfrun::Kernel {
   public:
    static constexpr bool kSharesOutputs = true;
    explicit Kernel(KernelSetup& setup)
        : nan_(setup, TextOf(setup, "NaN")),
          negative_(setup, TextOf(setup, "-Inf")),
          positive_(setup, TextOf(setup, "+Inf")) {}

    Status Compute(OpContext& ctx) {
      const Tensor& input = ctx.input(0);
      DF_TRY(cuda::Launch(ctx, input.num_elements(), &LookAtElements<T>, input.data<T>(), input.num_elements(),
                          FoundWords{nan_.word(), negative_.word(), positive_.word()}));
      ctx.SetOutput(0, input);
      return Status();
    }

   private:
    static std::string TextOf(KernelSetup& setup, const char* values) {
      return StrCat(setup.attr<std::string>("message"), " : the tensor has ", values, " values");
    }

    const cuda::DeviceErrorFlag nan_;
    const cuda::DeviceErrorFlag negative_;
    const cuda::DeviceErrorFlag positive_;
  };
};

CUDA_KERNEL("CheckNumerics", CheckNumerics, DF_FLOATS);
CUDA_KERNEL("CheckNumericsV2", CheckNumerics, DF_FLOATS);

}  // namespace
}  // namespace dfrun
