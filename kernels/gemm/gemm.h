// C = A B for one shape: chooses the way (a product of the float family's own algorithms; for bfloat16 tile registers,
// else oneDNN; other 16-bit operands through wider ones) by the shape alone. So are the tiles of oneDNN's products;
// those of our own, whose elements have the same bits in any tile, follow the number of threads too.
#ifndef DFRUN_KERNELS_GEMM_GEMM_H_
#define DFRUN_KERNELS_GEMM_GEMM_H_

#include <cstdint>
#include <memory>
#include <span>

#include "src/base/status.h"
#include "src/base/threads.h"
#include "src/framework/values/allocator.h"

namespace dfrun {

// C is [m, n], A [m, k] ([k, m] in memory if transposed), B [k, n] ([n, k]); all row-major and dense.
struct GemmShape {
  int64_t m = 0;
  int64_t k = 0;
  int64_t n = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  bool operator==(const GemmShape& other) const {
    return m == other.m && k == other.k && n == other.n && transpose_a == other.transpose_a &&
           transpose_b == other.transpose_b;
  }
  // Multiplications; saturates.
  int64_t work() const;
};

// The product of the matrices in the last two dimensions of these shapes. InvalidArgument for a rank below 2 and for
// inner sizes that differ.
Result<GemmShape> MatchMatrices(std::span<const int64_t> a, std::span<const int64_t> b, bool transpose_a,
                                bool transpose_b);

// True where one thread's UnpackedGemm() is the fastest way: no plan is needed.
bool PrefersUnpackedGemm(const GemmShape& shape);

// Thread safety: Run from any thread, several at once. T: float, double, bfloat16, float16,
// int16_t, int32_t, int64_t, complex; integers wrap.
template <class T>
class Gemm {
 public:
  virtual ~Gemm() = default;
  // May take up to a millisecond where oneDNN generates code.
  static Result<std::shared_ptr<const Gemm>> Create(const GemmShape& shape);
  // C overlaps neither operand. Scratch memory comes from `allocator`.
  virtual Status Run(const T* a, const T* b, T* c, ThreadPool& pool, Allocator& allocator) const = 0;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_GEMM_H_
