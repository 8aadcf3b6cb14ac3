#include <atomic>
#include <cmath>

#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/elementwise.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// The kinds of values that were found, as bits.
enum Found : unsigned { kNan = 1, kNegative = 2, kPositive = 4 };

template <class T>
unsigned Look(const T* values, int64_t n) {
  unsigned found = 0;
  for (int64_t i = 0; i < n; ++i) {
    const auto value = static_cast<double>(values[i]);
    if (std::isfinite(value)) continue;
    found |= std::isnan(value) ? kNan : value < 0 ? kNegative : kPositive;
  }
  return found;
}

// "NaN and +Inf".
std::string Describe(unsigned found) {
  std::string text;
  const auto add = [&](unsigned bit, const char* name) {
    if ((found & bit) == 0) return;
    if (!text.empty()) text += " and ";
    text += name;
  };
  add(kNan, "NaN");
  add(kNegative, "-Inf");
  add(kPositive, "+Inf");
  return text;
}

struct CheckNumerics {
  template <class T>
  class Kernel final : public dfrun::Kernel {
   public:
    static constexpr bool kSharesOutputs = true;
    explicit Kernel(KernelSetup& setup) : message_(setup.attr<std::string>("message")) {}

    Status Compute(OpContext& ctx) {
      const Tensor& input = ctx.input(0);
      std::atomic<unsigned> found{0};
      ctx.pool().ParallelFor(input.num_elements(), kElementBlock, [&](int64_t begin, int64_t end) {
        const unsigned here = Look(input.data<T>() + begin, end - begin);
        if (here != 0) found.fetch_or(here, std::memory_order_relaxed);
      });
      if (found.load() != 0) return InvalidArgument(message_, " : the tensor has ", Describe(found.load()), " values");
      ctx.SetOutput(0, input);
      return Status();
    }

   private:
    const std::string message_;
  };
};

CPU_KERNEL("CheckNumerics", CheckNumerics, DF_FLOATS);
CPU_KERNEL("CheckNumericsV2", CheckNumerics, DF_FLOATS);

}  // namespace
}  // namespace dfrun
