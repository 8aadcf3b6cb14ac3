#include "kernels/math/reducers.h"
#include "kernels/math/reduction.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Min", Reduction<red::Min>, DF_REAL);

}  // namespace
}  // namespace dfrun
