#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/binary.h"
#include "kernels/math/functions/elementary.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Xlogy", cpu::Binary<fn::Xlogy>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Xlog1py", cpu::Binary<fn::Xlog1py>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Xdivy", cpu::Binary<fn::Xdivy>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
