#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/binary.h"
#include "kernels/math/functions/elementary.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Pow", cpu::Binary<fn::Pow>, DF_FLOATS, DF_COMPLEX, DF_SIGNED);

}  // namespace
}  // namespace dfrun
