// Products of bfloat16 of our own: sums are float, in the order of k, so no split of C changes its bits.
#ifndef DFRUN_KERNELS_MATRIX_BF16_GEMM_H_
#define DFRUN_KERNELS_MATRIX_BF16_GEMM_H_

#include "kernels/matrix/gemm.h"
#include "src/framework/dtype.h"

namespace dfrun {

enum class Bfloat16Unit {
  kTiles,  // the tile registers of AMX
  kPairs,  // vectors of pairs: AVX-512 BF16
};

// Null where this build or this machine lacks the unit. Products with work.
std::shared_ptr<const Gemm<bfloat16>> MakeBfloat16Gemm(const GemmShape& shape, Bfloat16Unit unit);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_BF16_GEMM_H_
