#include "kernels/math/folding.h"
#include "src/framework/element_types.h"

namespace dfrun {

const FoldLoops& red::Min::Folds(DType dtype) {
  return FoldsOf<Min, DF_REAL>(dtype);
}

namespace {

CPU_KERNEL("Min", Reduction<red::Min>, DF_REAL);

}  // namespace
}  // namespace dfrun
