#include "kernels/math/elementary.h"
#include "kernels/math/unary.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Asinh", Unary<fn::Asinh>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Acosh", Unary<fn::Acosh>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Atanh", Unary<fn::Atanh>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
