// Products of bfloat16 by oneDNN.
#ifndef DFRUN_KERNELS_GEMM_ONEDNN_GEMM_H_
#define DFRUN_KERNELS_GEMM_ONEDNN_GEMM_H_

#include "kernels/gemm/gemm.h"
#include "src/framework/values/dtype.h"

namespace dfrun {

// Unimplemented where oneDNN is not built in or has no such product on this machine.
Result<std::shared_ptr<const Gemm<bfloat16>>> MakeOneDnnGemm(const GemmShape& shape);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_ONEDNN_GEMM_H_
