#include "kernels/math/binary.h"
#include "kernels/math/element_types.h"
#include "kernels/math/functors.h"

namespace dfrun {
namespace {

CPU_KERNEL("SquaredDifference", Binary<fn::SquaredDifference>, DF_FLOATS, DF_COMPLEX, int32_t, int64_t);

}  // namespace
}  // namespace dfrun
