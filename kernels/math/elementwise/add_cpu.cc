#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/binary.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Add", cpu::Binary<fn::Add>, DF_FLOATS, DF_COMPLEX, DF_SIGNED, uint8_t, std::string);
CPU_KERNEL("AddV2", cpu::Binary<fn::Add>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
