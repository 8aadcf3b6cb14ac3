#include "kernels/math/elementary.h"
#include "kernels/math/unary.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Exp", Unary<fn::Exp>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Expm1", Unary<fn::Expm1>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
