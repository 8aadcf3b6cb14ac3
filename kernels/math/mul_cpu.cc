#include "kernels/math/binary.h"
#include "kernels/math/functors.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Mul", Binary<fn::Mul>, DF_NUMBERS);
CPU_KERNEL("MulNoNan", Binary<fn::MulNoNan>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
