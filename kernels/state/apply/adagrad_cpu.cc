#include "kernels/state/apply/adagrad.h"

#include "kernels/state/apply/apply_kernels.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

DF_APPLY("Adagrad", rule::Adagrad, DF_FLOATS, DF_COMPLEX);
DF_APPLY("AdagradV2", rule::AdagradV2, DF_FLOATS, DF_COMPLEX);
DF_APPLY("Adadelta", rule::Adadelta, DF_FLOATS, DF_COMPLEX);
DF_SPARSE_APPLY("Adagrad", rule::Adagrad, DF_FLOATS, DF_COMPLEX);
DF_SPARSE_APPLY("AdagradV2", rule::AdagradV2, DF_FLOATS, DF_COMPLEX);
DF_SPARSE_APPLY("Adadelta", rule::Adadelta, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
