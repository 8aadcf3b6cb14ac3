#include "kernels/math/element_types.h"
#include "kernels/math/reducers.h"
#include "kernels/math/reduction.h"

namespace dfrun {
namespace {

CPU_KERNEL("EuclideanNorm", Reduction<red::EuclideanNorm>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
