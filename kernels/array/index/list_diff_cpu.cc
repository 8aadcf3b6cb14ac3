#include "kernels/array/index/list_diff.h"

#include <string>
#include <unordered_set>
#include <vector>

#include "kernels/array/int_values.h"
#include "kernels/array/value_bits.h"
#include "kernels/device/cpu_kernel.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

template <class T>
class ListDiffKernel : public Kernel {
 public:
  explicit ListDiffKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    const Tensor& y = ctx.input(1);
    DF_TRY(CheckListDiff(x, y));
    const std::unordered_set<HashedAs<T>> dropped(y.values<T>().begin(), y.values<T>().end());
    std::vector<int64_t> kept;
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      if (dropped.count(x.data<T>()[i]) == 0) kept.push_back(i);
    }
    Tensor* out = nullptr;
    Tensor* idx = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({static_cast<int64_t>(kept.size())}), &out));
    DF_TRY(ctx.AllocateOutput(1, Shape({static_cast<int64_t>(kept.size())}), &idx));
    for (size_t i = 0; i < kept.size(); ++i) out->data<T>()[i] = x.data<T>()[kept[i]];
    return StoreInts(kept, *idx);
  }
};

struct ListDiff {
  template <class T>
  using Kernel = ListDiffKernel<ValueBits<T>>;
};

CPU_KERNEL("ListDiff", ListDiff, DF_REAL, std::string);

}  // namespace
}  // namespace dfrun
