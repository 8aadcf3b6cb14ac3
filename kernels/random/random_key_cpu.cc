#include "kernels/device/cpu_kernel.h"
#include "kernels/random/seed.h"

namespace dfrun {
namespace {

Status PutAlgorithm(OpContext& ctx, int output) {
  Tensor* algorithm = nullptr;
  DF_TRY(ctx.AllocateOutput(output, Shape(), &algorithm));
  *algorithm->data<int32_t>() = kAlgorithmPhilox;
  return Status();
}

class KeyOfSeedKernel final : public Kernel {
 public:
  explicit KeyOfSeedKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const RandomKey of_seed, RandomKeyOf(ctx.input(0)));
    Tensor* key = nullptr;
    Tensor* counter = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({1}), &key));
    DF_TRY(ctx.AllocateOutput(1, Shape({2}), &counter));
    *key->data<uint64_t>() = of_seed.key;
    counter->data<uint64_t>()[0] = 0;
    counter->data<uint64_t>()[1] = of_seed.counter_high;
    return ctx.num_outputs() > 2 ? PutAlgorithm(ctx, 2) : Status();
  }
};

class AlgorithmKernel final : public Kernel {
 public:
  explicit AlgorithmKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) { return PutAlgorithm(ctx, 0); }
};

CPU_KERNEL_ANY("StatelessRandomGetKeyCounter", KeyOfSeedKernel);
CPU_KERNEL_ANY("StatelessRandomGetKeyCounterAlg", KeyOfSeedKernel);
CPU_KERNEL_ANY("StatelessRandomGetAlg", AlgorithmKernel);

}  // namespace
}  // namespace dfrun
