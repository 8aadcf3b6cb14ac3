#include "kernels/linalg/svd.h"

namespace dfrun {

template void SingularValues(const double*, int64_t, int64_t, bool, bool, double*, double*, double*);

}  // namespace dfrun
