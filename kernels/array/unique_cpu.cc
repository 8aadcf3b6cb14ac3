#include <string>
#include <unordered_map>
#include <vector>

#include "kernels/array/int_values.h"
#include "kernels/array/value_bits.h"
#include "src/framework/kernel.h"

namespace dfrun {
namespace {

template <class T>
class UniqueKernel : public Kernel {
 public:
  explicit UniqueKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    if (x.shape().rank() != 1) return InvalidArgument("Unique takes a vector, but x has shape ", x.shape());
    std::unordered_map<T, int64_t> places;
    std::vector<int64_t> place_of;
    std::vector<const T*> firsts;
    for (const T& v : x.values<T>()) {
      const auto [it, is_new] = places.emplace(v, static_cast<int64_t>(places.size()));
      if (is_new) firsts.push_back(&v);
      place_of.push_back(it->second);
    }
    Tensor* y = nullptr;
    Tensor* idx = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({static_cast<int64_t>(firsts.size())}), &y));
    DF_TRY(ctx.AllocateOutput(1, x.shape(), &idx));
    for (size_t i = 0; i < firsts.size(); ++i) y->data<T>()[i] = *firsts[i];
    return StoreInts(place_of, *idx);
  }
};

struct Unique {
  template <class T>
  using Kernel = UniqueKernel<ValueBits<T>>;
};

CPU_KERNEL("Unique", Unique, float, double, uint8_t, uint16_t, uint32_t, uint64_t, int8_t, int16_t, int32_t, int64_t,
           bool, std::string);

}  // namespace
}  // namespace dfrun
