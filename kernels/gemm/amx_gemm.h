// Products of bfloat16 on the tile registers of AMX: sums are float, in the order of k, so no split of C changes its
// bits.
#ifndef DFRUN_KERNELS_GEMM_AMX_GEMM_H_
#define DFRUN_KERNELS_GEMM_AMX_GEMM_H_

#include "kernels/gemm/gemm.h"
#include "src/framework/values/dtype.h"

namespace dfrun {

// Null where this build or this machine has no such registers. Products with work.
std::shared_ptr<const Gemm<bfloat16>> MakeAmxGemm(const GemmShape& shape);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_AMX_GEMM_H_
