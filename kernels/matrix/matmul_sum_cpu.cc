// A block of the sum stays in the second-level cache while all products are added to it.
#include <algorithm>
#include <atomic>
#include <vector>

#include "kernels/matrix/gemm_plan.h"
#include "src/framework/kernel_of.h"

namespace dfrun {
namespace {

// Elements of a block of the sum.
constexpr int64_t kBlockElements = int64_t{1} << 17;

template <class T>
struct Term {
  GemmShape shape;
  MatrixView<const T> a;
  MatrixView<const T> b;
};

// c, which is the part of the sum that begins at `row` and `column`, (+)= the term's part. False without memory.
template <class T>
bool AddTerm(const Term<T>& term, int64_t row, int64_t column, int64_t rows, int64_t columns, bool first,
             MatrixView<T> c, Allocator& allocator) {
  if (term.shape.k == 0) {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        T& to = c.data[i * c.stride + j];
        to = first ? T{0} : to + T{0};
      }
    }
    return true;
  }
  const BlockedGemm<T> gemm(rows, term.shape.k, columns, term.a.transposed, term.b.transposed,
                            {.into = first ? GemmInto::kStore : GemmInto::kAdd});
  const size_t bytes = static_cast<size_t>(gemm.scratch_elements()) * sizeof(T);
  void* const scratch = allocator.Allocate(bytes);
  if (scratch == nullptr) return false;
  gemm.Run(term.a.At(row, 0), term.b.At(0, column), c, static_cast<T*>(scratch));
  allocator.Free(scratch, bytes);
  return true;
}

template <class T>
class MatMulSumKernel final : public Kernel {
 public:
  explicit MatMulSumKernel(KernelSetup& setup)
      : transpose_a_(setup.attr<bool>("transpose_a")), transpose_b_(setup.attr<bool>("transpose_b")) {}
  bool IsExpensive() const override { return true; }

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const std::vector<Term<T>> terms, ReadTerms(ctx));
    const GemmShape& s = terms[0].shape;
    Tensor* sum = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({s.m, s.n}), &sum));
    if (sum->num_elements() == 0) return Status();
    const MatrixView<T> c{sum->data<T>(), s.n, false};
    const ThreadTiles tiles({s.m, TotalDepth(terms), s.n}, ctx.pool().num_threads());
    std::atomic<bool> failed{false};
    ctx.pool().RunBlocks(tiles.count(), [&](int64_t i) {
      const int64_t row = i / tiles.columns * s.m / tiles.rows;
      const int64_t row_end = (i / tiles.columns + 1) * s.m / tiles.rows;
      const int64_t column = i % tiles.columns * s.n / tiles.columns;
      const int64_t columns = (i % tiles.columns + 1) * s.n / tiles.columns - column;
      const int64_t block_rows = std::max<int64_t>(1, kBlockElements / columns);
      for (int64_t at = row; at < row_end; at += block_rows) {
        for (const Term<T>& term : terms) {
          const int64_t rows = std::min(block_rows, row_end - at);
          const MatrixView<T> block = c.At(at, column);
          if (!AddTerm(term, at, column, rows, columns, &term == &terms[0], block, ctx.allocator())) failed.store(true);
        }
      }
    });
    if (!failed.load()) return Status();
    return Error(Code::kResourceExhausted, "no memory for copies of the operands of matrix products");
  }

 private:
  static int64_t TotalDepth(const std::vector<Term<T>>& terms) {
    int64_t depth = 0;
    for (const Term<T>& term : terms) depth += term.shape.k;
    return depth;
  }

  Result<std::vector<Term<T>>> ReadTerms(const OpContext& ctx) const {
    const int count = ctx.num_inputs() / 2;
    std::vector<Term<T>> terms;
    terms.reserve(static_cast<size_t>(count));
    for (int i = 0; i < count; ++i) {
      const Tensor& a = ctx.input(i);
      const Tensor& b = ctx.input(count + i);
      if (a.shape().rank() != 2 || b.shape().rank() != 2) {
        return InvalidArgument("product ", i, " is of a ", a.shape(), " and a ", b.shape(), ", which are no matrices");
      }
      DF_ASSIGN(const GemmShape s, MatchMatrices(a.shape().dims(), b.shape().dims(), transpose_a_, transpose_b_));
      if (i > 0 && (s.m != terms[0].shape.m || s.n != terms[0].shape.n)) {
        return InvalidArgument("products of different shapes are added: product 0 is ",
                               Shape({terms[0].shape.m, terms[0].shape.n}), ", product ", i, " is ", Shape({s.m, s.n}));
      }
      terms.push_back({s, ViewA(s, a.data<T>()), ViewB(s, b.data<T>())});
    }
    return terms;
  }

  const bool transpose_a_;
  const bool transpose_b_;
};

CPU_KERNEL("_MatMulSum", KernelOf<MatMulSumKernel>, float, double);

}  // namespace
}  // namespace dfrun
