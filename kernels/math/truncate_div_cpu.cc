#include "kernels/math/binary.h"
#include "kernels/math/functors.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("TruncateDiv", Binary<fn::TruncateDiv>, DF_REAL);
CPU_KERNEL("Mod", Binary<fn::TruncateMod>, DF_FLOATS, int32_t, int64_t);
CPU_KERNEL("TruncateMod", Binary<fn::TruncateMod>, DF_FLOATS, int32_t, int64_t);

}  // namespace
}  // namespace dfrun
