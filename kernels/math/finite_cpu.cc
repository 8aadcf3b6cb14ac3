#include "kernels/math/functors.h"
#include "kernels/math/unary.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("IsNan", Unary<fn::IsNan>, DF_FLOATS);
CPU_KERNEL("IsInf", Unary<fn::IsInf>, DF_FLOATS);
CPU_KERNEL("IsFinite", Unary<fn::IsFinite>, DF_FLOATS);

}  // namespace
}  // namespace dfrun
