#include "kernels/device/cpu_kernel.h"
#include "kernels/strings/parse_number.h"
#include "kernels/strings/string_map.h"

namespace dfrun {
namespace {

template <class T>
struct ToNumber {
  explicit ToNumber(KernelSetup&) {}
  Result<T> operator()(const std::string& text) const {
    T value = 0;
    if (ParseNumber(text, value)) return value;
    return InvalidArgument("the string '", text, "' is no ", DTypeOf<T>);
  }
};

struct StringToNumber {
  template <class T>
  using Kernel = MapStrings<ToNumber<T>>;
};

CPU_KERNEL_ATTR("StringToNumber", "out_type", StringToNumber, float, double, int32_t, int64_t, uint32_t, uint64_t);

}  // namespace
}  // namespace dfrun
