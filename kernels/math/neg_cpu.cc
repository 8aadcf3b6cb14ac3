#include "kernels/math/functors.h"
#include "kernels/math/unary.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Neg", Unary<fn::Neg>, DF_FLOATS, DF_COMPLEX, DF_SIGNED);
CPU_KERNEL("Square", Unary<fn::Square>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
