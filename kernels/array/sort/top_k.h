// The largest entries of rows, on any device.
#ifndef DFRUN_KERNELS_ARRAY_SORT_TOP_K_H_
#define DFRUN_KERNELS_ARRAY_SORT_TOP_K_H_

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "src/framework/kernel/kernel.h"

namespace dfrun {

// The first k positions of a row of n > k, as a heap whose root is the last of them; `positions` holds k + 1. The order
// of the heap is TensorFlow's, which shows where `sorted` is false. `before` orders positions totally.
template <class Before>
constexpr void SelectPositions(const Before& before, int32_t n, int32_t k, int32_t* positions) {
  for (int32_t i = 0; i <= k; ++i) positions[i] = i;
  std::make_heap(positions, positions + k + 1, before);
  std::pop_heap(positions, positions + k + 1, before);
  for (int32_t i = k + 1; i < n; ++i) {
    if (!before(i, positions[0])) continue;
    std::pop_heap(positions, positions + k, before);
    positions[k - 1] = i;
    std::push_heap(positions, positions + k, before);
  }
}

class TopKBase : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"k"};
  explicit TopKBase(KernelSetup& setup) : sorted_(setup.attr<bool>("sorted")) {
    if (setup.node().inputs.size() == 1) k_ = setup.attr<int64_t>("k");
  }

 protected:
  // The attr or input 1; InvalidArgument where rows of input 0 have not so many entries, or too many for the indices.
  Result<int64_t> ReadK(const OpContext& ctx) const;
  const bool sorted_;

 private:
  int64_t k_ = 0;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_SORT_TOP_K_H_
