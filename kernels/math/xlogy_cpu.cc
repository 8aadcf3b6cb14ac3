#include "kernels/math/binary.h"
#include "kernels/math/elementary.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Xlogy", Binary<fn::Xlogy>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Xlog1py", Binary<fn::Xlog1py>, DF_FLOATS, DF_COMPLEX);
CPU_KERNEL("Xdivy", Binary<fn::Xdivy>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
