#include "kernels/math/elementary.h"
#include "kernels/math/unary.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Sin", Unary<fn::Sin>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Cos", Unary<fn::Cos>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Tan", Unary<fn::Tan>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
