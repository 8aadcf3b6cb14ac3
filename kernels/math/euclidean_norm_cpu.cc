#include "kernels/math/reducers.h"
#include "kernels/math/reduction.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

CPU_KERNEL("EuclideanNorm", Reduction<red::EuclideanNorm>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
