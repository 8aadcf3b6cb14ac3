#include "kernels/math/binary.h"
#include "kernels/math/functors.h"

namespace dfrun {
namespace {

CPU_KERNEL("DivNoNan", Binary<fn::DivNoNan>, bfloat16, float16, float, double, std::complex<float>,
           std::complex<double>);

}  // namespace
}  // namespace dfrun
