#include "kernels/math/elementary.h"
#include "kernels/math/unary.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Sqrt", Unary<fn::Sqrt>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Rsqrt", Unary<fn::Rsqrt>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
