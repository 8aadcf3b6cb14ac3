#include "kernels/math/binary.h"
#include "kernels/math/functors.h"

namespace dfrun {
namespace {

CPU_KERNEL("Add", Binary<fn::Add>, bfloat16, float16, float, double, uint8_t, int8_t, int16_t, int32_t, int64_t,
           std::complex<float>, std::complex<double>, std::string);
CPU_KERNEL("AddV2", Binary<fn::Add>, bfloat16, float16, float, double, uint8_t, uint16_t, uint32_t, uint64_t, int8_t,
           int16_t, int32_t, int64_t, std::complex<float>, std::complex<double>);

}  // namespace
}  // namespace dfrun
