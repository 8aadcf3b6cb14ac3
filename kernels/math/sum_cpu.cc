#include "kernels/math/folding.h"
#include "src/framework/element_types.h"

namespace dfrun {

const FoldLoops& red::Sum::Folds(DType dtype) {
  return FoldsOf<Sum, DF_NUMBERS>(dtype);
}

namespace {

CPU_KERNEL("Sum", Reduction<red::Sum>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
