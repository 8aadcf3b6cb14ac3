#include "kernels/linalg/svd.h"

namespace dfrun {

template void SingularValues(const std::complex<double>*, int64_t, int64_t, bool, bool, std::complex<double>*,
                             std::complex<double>*, std::complex<double>*);

}  // namespace dfrun
