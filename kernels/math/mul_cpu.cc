#include "kernels/math/binary.h"
#include "kernels/math/functors.h"

namespace dfrun {
namespace {

CPU_KERNEL("Mul", Binary<fn::Mul>, bfloat16, float16, float, double, uint8_t, int8_t, uint16_t, int16_t, int32_t,
           uint32_t, uint64_t, int64_t, std::complex<float>, std::complex<double>);

}  // namespace
}  // namespace dfrun
