#include "kernels/math/binary.h"
#include "kernels/math/functors.h"

namespace dfrun {
namespace {

CPU_KERNEL("SquaredDifference", Binary<fn::SquaredDifference>, bfloat16, float16, float, double, std::complex<float>,
           std::complex<double>, int32_t, int64_t);

}  // namespace
}  // namespace dfrun
