#include "kernels/math/folding.h"
#include "src/framework/element_types.h"

namespace dfrun {

const FoldLoops& red::EuclideanNorm::Folds(DType dtype) {
  return FoldsOf<EuclideanNorm, DF_NUMBERS>(dtype);
}

namespace {

CPU_KERNEL("EuclideanNorm", Reduction<red::EuclideanNorm>, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
