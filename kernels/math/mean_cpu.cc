#include "kernels/math/folding.h"
#include "src/framework/element_types.h"

namespace dfrun {

const FoldLoops& red::Mean::Folds(DType dtype) {
  return FoldsOf<Mean, DF_NUMBERS>(dtype);
}

namespace {

CPU_KERNEL("Mean", Reduction<red::Mean>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
