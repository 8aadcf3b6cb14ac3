#include "kernels/math/binary.h"
#include "kernels/math/bitwise_functors.h"
#include "kernels/math/unary.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("BitwiseAnd", Binary<fn::BitwiseAnd>, DF_INTEGERS);
CPU_KERNEL("BitwiseOr", Binary<fn::BitwiseOr>, DF_INTEGERS);
CPU_KERNEL("BitwiseXor", Binary<fn::BitwiseXor>, DF_INTEGERS);
CPU_KERNEL("Invert", Unary<fn::Invert>, DF_INTEGERS);
CPU_KERNEL("LeftShift", Binary<fn::LeftShift>, DF_INTEGERS);
CPU_KERNEL("RightShift", Binary<fn::RightShift>, DF_INTEGERS);
CPU_KERNEL("PopulationCount", Unary<fn::PopulationCount>, DF_INTEGERS);

}  // namespace
}  // namespace dfrun
