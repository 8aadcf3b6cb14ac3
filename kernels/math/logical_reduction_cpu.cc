#include "kernels/math/folding.h"

namespace dfrun {

const FoldLoops& red::All::Folds(DType dtype) {
  return FoldsOf<All, bool>(dtype);
}

const FoldLoops& red::Any::Folds(DType dtype) {
  return FoldsOf<Any, bool>(dtype);
}

namespace {

CPU_KERNEL_ANY("All", Reduction<red::All>::Kernel<bool>);
CPU_KERNEL_ANY("Any", Reduction<red::Any>::Kernel<bool>);

}  // namespace
}  // namespace dfrun
