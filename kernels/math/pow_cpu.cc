#include "kernels/math/binary.h"
#include "kernels/math/elementary.h"

namespace dfrun {
namespace {

CPU_KERNEL("Pow", Binary<fn::Pow>, bfloat16, float16, float, double, std::complex<float>, std::complex<double>, int8_t,
           int16_t, int32_t, int64_t);

}  // namespace
}  // namespace dfrun
