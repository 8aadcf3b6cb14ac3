// Complex products as one real product of twice the sides: of [re A; im A] and [re B, im B], whose four blocks are the
// terms. Complex multiplication of the language looks for NaN in every product and does not vectorise.
#ifndef DFRUN_KERNELS_GEMM_COMPLEX_GEMM_H_
#define DFRUN_KERNELS_GEMM_COMPLEX_GEMM_H_

#include <complex>
#include <memory>
#include <utility>

#include "kernels/gemm/gemm.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// R: float or double.
template <class R>
class ComplexGemm final : public Gemm<std::complex<R>> {
 public:
  using Complex = std::complex<R>;

  static Result<std::shared_ptr<const Gemm<Complex>>> Create(const GemmShape& shape) {
    GemmShape real = shape;
    if (__builtin_mul_overflow(shape.m, 2, &real.m) || __builtin_mul_overflow(shape.n, 2, &real.n)) {
      return InvalidArgument("a complex product of ", shape.m, " by ", shape.n, " elements is too large");
    }
    DF_ASSIGN(std::shared_ptr<const Gemm<R>> gemm, Gemm<R>::Create(real));
    return std::shared_ptr<const Gemm<Complex>>(std::make_shared<ComplexGemm>(shape, std::move(gemm)));
  }

  ComplexGemm(const GemmShape& shape, std::shared_ptr<const Gemm<R>> gemm) : shape_(shape), gemm_(std::move(gemm)) {}

  Status Run(const Complex* a, const Complex* b, Complex* c, ThreadPool& pool, Allocator& allocator) const override {
    const GemmShape& s = shape_;
    DF_ASSIGN(Tensor parts_a, Space(2 * s.m * s.k, allocator));
    DF_ASSIGN(Tensor parts_b, Space(2 * s.k * s.n, allocator));
    DF_ASSIGN(Tensor blocks, Space(4 * s.m * s.n, allocator));
    if (s.transpose_a) {
      SideBySide(a, s.k, s.m, parts_a.data<R>());
    } else {
      SideBySide(a, 1, s.m * s.k, parts_a.data<R>());
    }
    if (s.transpose_b) {
      SideBySide(b, 1, s.k * s.n, parts_b.data<R>());
    } else {
      SideBySide(b, s.k, s.n, parts_b.data<R>());
    }
    DF_TRY(gemm_->Run(parts_a.data<R>(), parts_b.data<R>(), blocks.data<R>(), pool, allocator));
    Combine(blocks.data<R>(), c);
    return Status();
  }

 private:
  static Result<Tensor> Space(int64_t count, Allocator& allocator) {
    return Tensor::Allocate(allocator, DTypeOf<R>, Shape({count}));
  }

  // Each row's real parts and then its imaginary parts; all of one row: one matrix above the other.
  static void SideBySide(const Complex* from, int64_t rows, int64_t columns, R* to) {
    for (int64_t i = 0; i < rows; ++i, from += columns, to += 2 * columns) {
      for (int64_t j = 0; j < columns; ++j) {
        to[j] = from[j].real();
        to[columns + j] = from[j].imag();
      }
    }
  }

  void Combine(const R* blocks, Complex* c) const {
    const int64_t n = shape_.n;
    const R* imaginary_rows = blocks + 2 * shape_.m * n;
    for (int64_t i = 0; i < shape_.m; ++i, blocks += 2 * n, imaginary_rows += 2 * n, c += n) {
      for (int64_t j = 0; j < n; ++j) {
        c[j] = Complex(blocks[j] - imaginary_rows[n + j], blocks[n + j] + imaginary_rows[j]);
      }
    }
  }

  const GemmShape shape_;
  const std::shared_ptr<const Gemm<R>> gemm_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_COMPLEX_GEMM_H_
