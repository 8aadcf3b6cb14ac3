#include "kernels/state/apply/ftrl.h"

#include "kernels/state/apply/apply_kernels.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

DF_APPLY("Ftrl", rule::Ftrl, DF_FLOATS);
DF_APPLY("FtrlV2", rule::FtrlV2, DF_FLOATS);
DF_SPARSE_APPLY("Ftrl", rule::Ftrl, DF_FLOATS);
DF_SPARSE_APPLY("FtrlV2", rule::FtrlV2, DF_FLOATS);

}  // namespace
}  // namespace dfrun
