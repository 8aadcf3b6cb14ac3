#include "kernels/math/functors.h"
#include "kernels/math/unary.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Reciprocal", Unary<fn::Reciprocal>, DF_FLOATS, DF_COMPLEX, DF_SIGNED);
CPU_KERNEL("Inv", Unary<fn::Reciprocal>, DF_FLOATS, DF_COMPLEX, DF_SIGNED);

}  // namespace
}  // namespace dfrun
