#include "kernels/math/element_types.h"
#include "kernels/math/reducers.h"
#include "kernels/math/reduction.h"

namespace dfrun {
namespace {

CPU_KERNEL("Min", Reduction<red::Min>, DF_REAL);

}  // namespace
}  // namespace dfrun
