#include "kernels/math/equal.h"

namespace dfrun {
namespace {

CPU_KERNEL("Equal", Equality<fn::Equal>, bfloat16, float16, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t,
           uint16_t, uint32_t, uint64_t, std::complex<float>, std::complex<double>, bool, std::string);

}  // namespace
}  // namespace dfrun
