#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/equal.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("NotEqual", cpu::Equality<fn::NotEqual>, DF_NUMBERS, DF_QUANTIZED, bool, std::string);

}  // namespace
}  // namespace dfrun
