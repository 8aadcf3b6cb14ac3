#include "kernels/math/element_types.h"
#include "kernels/math/elementary.h"
#include "kernels/math/unary.h"

namespace dfrun {
namespace {

CPU_KERNEL("Exp", Unary<fn::Exp>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Expm1", Unary<fn::Expm1>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
