#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/array/element_size.h"
#include "kernels/device/cpu_kernel.h"
#include "kernels/random/random_state.h"

namespace dfrun {
namespace {

class RandomShuffleKernel : public Kernel {
 public:
  explicit RandomShuffleKernel(KernelSetup& setup) : state_(setup) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &y));
    if (x.num_elements() <= 1 || x.shape().dim(0) <= 1) {
      CopyElements(x, *y);
      return Status();
    }
    const int64_t rows = x.shape().dim(0);
    const int64_t row = x.num_elements() / rows;
    const std::vector<int64_t> order = RandomOrder(ctx.step(), rows);
    VisitElement(x.dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      const E* from = static_cast<const E*>(x.raw());
      E* to = static_cast<E*>(y->raw());
      for (int64_t i = 0; i < rows; ++i) std::copy_n(from + order[i] * row, row, to + i * row);
    });
    return Status();
  }

 private:
  // A permutation of n rows: row i is swapped with one of the rows from i on. That takes n - 1 numbers, four a block.
  std::vector<int64_t> RandomOrder(const StepContext& step, int64_t n) {
    PhiloxNumbers numbers(state_.Reserve(step, static_cast<uint64_t>(n - 1 + 3) / 4));
    std::vector<int64_t> order(static_cast<size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    for (int64_t i = 0; i < n - 1; ++i) std::swap(order[i], order[i + numbers.Next() % static_cast<uint32_t>(n - i)]);
    return order;
  }

  RandomState state_;
};

CPU_KERNEL_ANY("RandomShuffle", RandomShuffleKernel);

}  // namespace
}  // namespace dfrun
