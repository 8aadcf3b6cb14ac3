#include <algorithm>
#include <numeric>
#include <span>
#include <type_traits>

#include "kernels/array/sort/radix_order.h"
#include "kernels/device/cpu_kernel.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

template <class T>
bool IsNan(const T& value) {
  if constexpr (std::is_same_v<T, std::string> || std::is_integral_v<T>) {
    return false;
  } else {
    return !(value == value);
  }
}

// A strict weak order of all values of T, NaN after all others.
template <class T, bool kDescending>
bool ComesBefore(const T& a, const T& b) {
  if (IsNan(a) || IsNan(b)) return IsNan(b) && !IsNan(a);
  return kDescending ? b < a : a < b;
}

template <class T, bool kDescending>
void Sort(const T* values, std::span<int64_t> order) {
  if constexpr (!std::is_same_v<T, std::string>) {
    const auto count = static_cast<int64_t>(order.size());
    if (count >= kMinRadixValues && count <= INT32_MAX) {
      return RadixOrder<T>().Find(values, count, kDescending, order.data());
    }
  }
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [values](int64_t a, int64_t b) { return ComesBefore<T, kDescending>(values[a], values[b]); });
}

struct ArgSort {
  template <class T>
  class Kernel final : public ::dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup) : descending_(setup.attr<bool>("descending")) {}

    Status Compute(OpContext& ctx) {
      const Tensor& values = ctx.input(0);
      if (values.shape().rank() != 1) {
        return InvalidArgument("the values to sort must be a vector, but have shape ", values.shape());
      }
      Tensor* order = nullptr;
      DF_TRY(ctx.AllocateOutput(0, values.shape(), &order));
      const std::span<int64_t> indices(order->data<int64_t>(), static_cast<size_t>(values.num_elements()));
      if (descending_) {
        Sort<T, true>(values.data<T>(), indices);
      } else {
        Sort<T, false>(values.data<T>(), indices);
      }
      return Status();
    }
    bool IsExpensive() const override { return true; }

   private:
    const bool descending_;
  };
};

CPU_KERNEL("ArgSort", ArgSort, DF_REAL, std::string);

}  // namespace
}  // namespace dfrun
