// Products by oneDNN, for float and bfloat16.
#ifndef DFRUN_KERNELS_MATRIX_ONEDNN_GEMM_H_
#define DFRUN_KERNELS_MATRIX_ONEDNN_GEMM_H_

#include "kernels/matrix/gemm.h"

namespace dfrun {

// Unimplemented where oneDNN is not built in or has no such product on this machine. T is float or bfloat16.
template <class T>
Result<std::shared_ptr<const Gemm<T>>> MakeOneDnnGemm(const GemmShape& shape);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_ONEDNN_GEMM_H_
