#include "kernels/math/reducers.h"
#include "kernels/math/reduction.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("Sum", Reduction<red::Sum>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
