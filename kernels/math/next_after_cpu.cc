#include <cmath>

#include "kernels/device/cpu_kernel.h"
#include "kernels/math/binary.h"

namespace dfrun {
namespace {

struct NextAfter {
  template <class T>
  T operator()(T x, T towards) const {
    return std::nextafter(x, towards);
  }
};

CPU_KERNEL("NextAfter", cpu::Binary<NextAfter>, float, double);

}  // namespace
}  // namespace dfrun
