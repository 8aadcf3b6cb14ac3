#include "kernels/math/binary.h"
#include "kernels/math/element_types.h"
#include "kernels/math/functors.h"

namespace dfrun {
namespace {

CPU_KERNEL("DivNoNan", Binary<fn::DivNoNan>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
