#include "kernels/math/reducers.h"
#include "kernels/math/reduction.h"

namespace dfrun {
namespace {

CPU_KERNEL_ANY("All", Reduction<red::All>::Kernel<bool>);
CPU_KERNEL_ANY("Any", Reduction<red::Any>::Kernel<bool>);

}  // namespace
}  // namespace dfrun
