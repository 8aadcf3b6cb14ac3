#include <algorithm>
#include <cstring>

#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/binary.h"
#include "kernels/math/elementwise/elementwise.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

class AddNKernel : public Kernel {
 public:
  AddNKernel(KernelSetup& setup, cpu::BinaryLoops::Run add)
      : add_(add), expensive_(setup.output_shape(0).num_elements() >= kExpensiveCount) {}
  bool IsExpensive() const override { return expensive_; }

  Status Compute(OpContext& ctx) {
    const Tensor& first = ctx.input(0);
    const size_t size = DTypeSize(first.dtype());
    for (int i = 1; i < ctx.num_inputs(); ++i) {
      if (!(ctx.input(i).shape() == first.shape())) {
        return InvalidArgument("AddN of different shapes: input 0 has ", first.shape(), ", input ", i, " has ",
                               ctx.input(i).shape());
      }
    }
    Tensor* sum = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(0, 0, first.shape(), &sum));
    const bool streams = !sum->SharesBufferWith(first) && IsStreamed(first.num_elements(), size);
    MakeElements(ctx.pool(), sum->raw(), size, first.num_elements(), streams, [&](int64_t begin, int64_t n, void* to) {
      // The terms are added block by block, so that the partial sum stays in the cache.
      for (int64_t at = 0; at < n; at += kBlock)
        AddBlock(ctx, begin + at, std::min(kBlock, n - at), At(to, at, size), size);
    });
    return Status();
  }

 private:
  static constexpr int64_t kBlock = 8192;
  void AddBlock(const OpContext& ctx, int64_t begin, int64_t n, void* to, size_t size) const {
    const void* from = At(ctx.input(0).raw(), begin, size);
    if (ctx.num_inputs() == 1 && to != from) std::memcpy(to, from, static_cast<size_t>(n) * size);
    for (int i = 1; i < ctx.num_inputs(); ++i) add_(i == 1 ? from : to, At(ctx.input(i).raw(), begin, size), to, n);
  }
  const cpu::BinaryLoops::Run add_;
  const bool expensive_;
};

struct AddN {
  template <class T>
  struct Kernel : AddNKernel {
    explicit Kernel(KernelSetup& setup) : AddNKernel(setup, &cpu::BinaryOf<fn::Add, T>::RunBoth) {}
  };
};

CPU_KERNEL("AddN", AddN, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
