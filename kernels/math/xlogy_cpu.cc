#include "kernels/math/binary.h"
#include "kernels/math/elementary.h"

namespace dfrun {
namespace {

CPU_KERNEL("Xlogy", Binary<fn::Xlogy>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>);
CPU_KERNEL("Xdivy", Binary<fn::Xdivy>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>);

}  // namespace
}  // namespace dfrun
