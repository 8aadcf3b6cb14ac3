#include "kernels/math/elementary.h"
#include "kernels/math/unary.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Sinh", Unary<fn::Sinh>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Cosh", Unary<fn::Cosh>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
