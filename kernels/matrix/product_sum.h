// Sums of matrix products: a block of the sum stays in the caches while all products are added to it. Bits as those of
// products that are added up one after the other.
#ifndef DFRUN_KERNELS_MATRIX_PRODUCT_SUM_H_
#define DFRUN_KERNELS_MATRIX_PRODUCT_SUM_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <span>
#include <vector>

#include "kernels/matrix/gemm_plan.h"
#include "kernels/matrix/packed_gemm.h"
#include "src/base/integers.h"
#include "src/framework/kernel.h"

namespace dfrun {

// a b, one of the products.
template <class T>
struct ProductTerm {
  GemmShape shape;
  MatrixView<const T> a;
  MatrixView<const T> b;
};

// The products of one sum, all of one shape.
template <class T>
using ProductTerms = std::vector<ProductTerm<T>>;

// Of `count` inputs of `ctx` from `first` on by as many that follow them. InvalidArgument where they are no matrices
// that fit, or products have different shapes.
template <class T>
Result<ProductTerms<T>> ReadProductTerms(const OpContext& ctx, int first, int count, bool transpose_a,
                                         bool transpose_b) {
  ProductTerms<T> terms;
  terms.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    const Tensor& a = ctx.input(first + i);
    const Tensor& b = ctx.input(first + count + i);
    if (a.shape().rank() != 2 || b.shape().rank() != 2) {
      return InvalidArgument("product ", i, " is of a ", a.shape(), " and a ", b.shape(), ", which are no matrices");
    }
    DF_ASSIGN(const GemmShape s, MatchMatrices(a.shape().dims(), b.shape().dims(), transpose_a, transpose_b));
    if (!terms.empty() && (s.m != terms[0].shape.m || s.n != terms[0].shape.n)) {
      return InvalidArgument("products of different shapes are added up: product ", i, " is ", Shape({s.m, s.n}),
                             ", the first is ", Shape({terms[0].shape.m, terms[0].shape.n}));
    }
    terms.push_back({s, ViewA(s, a.data<T>()), ViewB(s, b.data<T>())});
  }
  return terms;
}

// Of the sum.
template <class T>
Shape ShapeOf(const ProductTerms<T>& terms) {
  return Shape({terms[0].shape.m, terms[0].shape.n});
}

namespace internal {

// Elements of a block of the sum.
inline constexpr int64_t kSumBlockElements = int64_t{1} << 17;

// c, which is the part of the sum that begins at `row` and `column`, (+)= the term's part. False without memory.
template <class T>
bool AddTerm(const ProductTerm<T>& term, int64_t row, int64_t column, int64_t rows, int64_t columns, bool first,
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
  return RunInScratch(gemm, term.a.At(row, 0), term.b.At(0, column), c, allocator);
}

template <class T>
int64_t TotalDepth(const ProductTerms<T>& terms) {
  int64_t depth = 0;
  for (const ProductTerm<T>& term : terms) depth += term.shape.k;
  return depth;
}

// Products of a few terms each, of a transpose by a matrix, are best taken as one: as if their operands lay below each
// other, every one in a segment of k, where zeros follow it. The length of a segment; 0: they are not such products.
template <class T>
int64_t StackedSegment(const ProductTerms<T>& terms) {
  constexpr int64_t kMostTerms = 256;
  const GemmShape& s = terms[0].shape;
  if (!s.transpose_a || s.transpose_b) return 0;
  int64_t longest = 0;
  for (const ProductTerm<T>& term : terms) longest = std::max(longest, term.shape.k);
  const int64_t segment = RoundUp(longest, kSegmentStep<T>);
  if (longest == 0 || longest > kMostTerms) return 0;
  const int64_t stacked = segment * static_cast<int64_t>(terms.size());
  const int64_t depth = TotalDepth(terms);
  const bool wastes_little = stacked - depth <= depth / 4;
  return wastes_little && PrefersPackedGemm(s.m, stacked, s.n) ? segment : 0;
}

// The rows of one operand of all terms, stacked.
template <class T>
class StackedRows {
 public:
  // zeros: a row of them.
  StackedRows(const ProductTerms<T>& terms, MatrixView<const T> ProductTerm<T>::*operand, int64_t segment,
              const T* zeros) {
    rows_.reserve(static_cast<size_t>(segment) * terms.size() + kRowsBeyond<T>);
    for (const ProductTerm<T>& term : terms) {
      const MatrixView<const T>& view = term.*operand;
      for (int64_t p = 0; p < segment; ++p) rows_.push_back(p < term.shape.k ? view.data + p * view.stride : zeros);
    }
    rows_.insert(rows_.end(), kRowsBeyond<T>, zeros);
  }
  RowTable<T> table() const { return rows_.data(); }

 private:
  std::vector<const T*> rows_;
};

inline Status NoMemoryForCopies() {
  return Error(Code::kResourceExhausted, "no memory for copies of the operands of matrix products");
}

template <class T>
Status SumByTerms(const ProductTerms<T>& terms, MatrixView<T> c, OpContext& ctx) {
  const GemmShape& s = terms[0].shape;
  const ThreadTiles tiles({s.m, TotalDepth(terms), s.n}, ctx.pool().num_threads());
  std::atomic<bool> failed{false};
  ctx.pool().RunBlocks(tiles.count(), [&](int64_t i) {
    const ThreadTiles::Tile tile = tiles.At(s, i);
    const int64_t block_rows = std::max<int64_t>(1, kSumBlockElements / tile.columns);
    for (int64_t at = 0; at < tile.rows; at += block_rows) {
      const int64_t rows = std::min(block_rows, tile.rows - at);
      const MatrixView<T> block = c.At(tile.row + at, tile.column);
      for (const ProductTerm<T>& term : terms) {
        const bool first = &term == &terms[0];
        if (!AddTerm(term, tile.row + at, tile.column, rows, tile.columns, first, block, ctx.allocator())) {
          failed.store(true);
        }
      }
    }
  });
  return failed.load() ? NoMemoryForCopies() : Status();
}

// `output`: what becomes of the sum; nothing that it points at.
template <class T>
Status SumStacked(const ProductTerms<T>& terms, int64_t segment, const GemmOutput<T>& output, MatrixView<T> c,
                  OpContext& ctx) {
  const GemmShape& s = terms[0].shape;
  const int64_t depth = segment * static_cast<int64_t>(terms.size());
  DF_ASSIGN(Tensor zeros, ctx.AllocateTemp(DTypeOf<T>, Shape({std::max(s.m, s.n)})));
  std::fill_n(zeros.data<T>(), zeros.num_elements(), T{0});
  const StackedRows<T> a(terms, &ProductTerm<T>::a, segment, zeros.data<T>());
  const StackedRows<T> b(terms, &ProductTerm<T>::b, segment, zeros.data<T>());
  const ThreadTiles tiles({s.m, depth, s.n}, ctx.pool().num_threads(), true);
  std::atomic<bool> failed{false};
  ctx.pool().RunBlocks(tiles.count(), [&](int64_t i) {
    const ThreadTiles::Tile tile = tiles.At({s.m, depth, s.n}, i);
    const PackedGemm<T> gemm(tile.rows, depth, tile.columns, output, segment);
    const bool is_done = WithScratch(gemm, ctx.allocator(), [&](T* scratch) {
      gemm.Run(a.table(), tile.row, b.table(), tile.column, c.At(tile.row, tile.column), scratch);
    });
    if (!is_done) failed.store(true);
  });
  return failed.load() ? NoMemoryForCopies() : Status();
}

template <class T>
Status SumProducts(const ProductTerms<T>& terms, MatrixView<T> c, OpContext& ctx) {
  const GemmShape& s = terms[0].shape;
  if (terms.size() == 1 && s.work() > 0) {
    return RunTiles(s, terms[0].a.data, terms[0].b.data, c.data, ctx.pool(), ctx.allocator(), {});
  }
  const int64_t segment = StackedSegment(terms);
  return segment > 0 ? SumStacked(terms, segment, {}, c, ctx) : SumByTerms(terms, c, ctx);
}

template <class T>
Status DescendByProducts(const ProductTerms<T>& terms, T rate, MatrixView<T> c, OpContext& ctx) {
  const GemmShape& s = terms[0].shape;
  if (terms.size() == 1 && s.work() > 0) {
    return RunTiles(s, terms[0].a.data, terms[0].b.data, c.data, ctx.pool(), ctx.allocator(),
                    {GemmInto::kDescend, rate});
  }
  const int64_t segment = StackedSegment(terms);
  if (segment > 0) return SumStacked(terms, segment, {GemmInto::kDescend, rate}, c, ctx);
  DF_ASSIGN(Tensor sum, ctx.AllocateTemp(DTypeOf<T>, Shape({s.m, s.n})));
  const MatrixView<T> whole{sum.data<T>(), s.n, false};
  DF_TRY(SumByTerms(terms, whole, ctx));
  constexpr int64_t kBlock = 32768;  // elements
  ctx.pool().ParallelFor(s.m, kBlock / s.n + 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T* const to = c.At(i, 0).data;
      const T* const from = whole.At(i, 0).data;
      for (int64_t j = 0; j < s.n; ++j) to[j] -= rate * from[j];
    }
  });
  return Status();
}

}  // namespace internal

// c = the sum, or c = c - rate * it, by the pool; row-major.
template <class T>
Status StoreProductSum(const ProductTerms<T>& terms, T* c, OpContext& ctx) {
  const GemmShape& s = terms[0].shape;
  return s.m * s.n > 0 ? internal::SumProducts(terms, MatrixView<T>{c, s.n, false}, ctx) : Status();
}
template <class T>
Status DescendByProductSum(const ProductTerms<T>& terms, T rate, T* c, OpContext& ctx) {
  const GemmShape& s = terms[0].shape;
  return s.m * s.n > 0 ? internal::DescendByProducts(terms, rate, MatrixView<T>{c, s.n, false}, ctx) : Status();
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_PRODUCT_SUM_H_
