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

// Sums of products that lie below each other.
template <class T>
using ProductSums = std::vector<std::vector<ProductTerm<T>>>;

// Of `count` inputs of `ctx` from `first` on by as many that follow them. parts: how many products each sum has; empty:
// one sum of all. InvalidArgument where they are no matrices that fit, or products that are added up have different
// shapes, or sums different columns.
template <class T>
Result<ProductSums<T>> ReadProductSums(const OpContext& ctx, int first, int count, std::span<const int64_t> parts,
                                       bool transpose_a, bool transpose_b) {
  const int64_t all = count;
  ProductSums<T> sums;
  int i = 0;
  for (const int64_t part : parts.empty() ? std::span(&all, 1) : parts) {
    std::vector<ProductTerm<T>>& terms = sums.emplace_back();
    terms.reserve(static_cast<size_t>(part));
    for (const auto end = i + part; i < end; ++i) {
      const Tensor& a = ctx.input(first + i);
      const Tensor& b = ctx.input(first + count + i);
      if (a.shape().rank() != 2 || b.shape().rank() != 2) {
        return InvalidArgument("product ", i, " is of a ", a.shape(), " and a ", b.shape(), ", which are no matrices");
      }
      DF_ASSIGN(const GemmShape s, MatchMatrices(a.shape().dims(), b.shape().dims(), transpose_a, transpose_b));
      const GemmShape& first_of_sum = terms.empty() ? s : terms[0].shape;
      const GemmShape& first_of_all = sums[0].empty() ? s : sums[0][0].shape;
      if (s.m != first_of_sum.m || s.n != first_of_all.n) {
        return InvalidArgument("products of different shapes are added up or put below each other: product ", i, " is ",
                               Shape({s.m, s.n}), ", the first of all is ", Shape({first_of_all.m, first_of_all.n}));
      }
      terms.push_back({s, ViewA(s, a.data<T>()), ViewB(s, b.data<T>())});
    }
  }
  return sums;
}

// Of all sums together.
template <class T>
Result<Shape> ShapeOf(const ProductSums<T>& sums) {
  int64_t rows = 0;
  for (const std::vector<ProductTerm<T>>& terms : sums) {
    if (__builtin_add_overflow(rows, terms[0].shape.m, &rows)) {
      return InvalidArgument("sums of products have more rows than a dimension can have");
    }
  }
  return Shape::Create(std::array{rows, sums[0][0].shape.n});
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
int64_t TotalDepth(const std::vector<ProductTerm<T>>& terms) {
  int64_t depth = 0;
  for (const ProductTerm<T>& term : terms) depth += term.shape.k;
  return depth;
}

// Products of a few terms each, of a transpose by a matrix, are best taken as one: as if their operands lay below each
// other, every one in a segment of k, where zeros follow it. The length of a segment; 0: they are not such products.
template <class T>
int64_t StackedSegment(const std::vector<ProductTerm<T>>& terms) {
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
  StackedRows(const std::vector<ProductTerm<T>>& terms, MatrixView<const T> ProductTerm<T>::*operand, int64_t segment,
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
Status SumByTerms(const std::vector<ProductTerm<T>>& terms, MatrixView<T> c, OpContext& ctx) {
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
Status SumStacked(const std::vector<ProductTerm<T>>& terms, int64_t segment, const GemmOutput<T>& output,
                  MatrixView<T> c, OpContext& ctx) {
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

}  // namespace internal

namespace internal {

template <class T>
Status SumProducts(const std::vector<ProductTerm<T>>& terms, MatrixView<T> c, OpContext& ctx) {
  const GemmShape& s = terms[0].shape;
  if (terms.size() == 1 && s.work() > 0) {
    return RunTiles(s, terms[0].a.data, terms[0].b.data, c.data, ctx.pool(), ctx.allocator(), {});
  }
  const int64_t segment = StackedSegment(terms);
  return segment > 0 ? SumStacked(terms, segment, {}, c, ctx) : SumByTerms(terms, c, ctx);
}

template <class T>
Status DescendByProducts(const std::vector<ProductTerm<T>>& terms, T rate, MatrixView<T> c, OpContext& ctx) {
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

// make(terms, c): of each sum whose part of c is not empty.
template <class T, class F>
Status ForEachSum(const ProductSums<T>& sums, T* c, F&& make) {
  for (const std::vector<ProductTerm<T>>& terms : sums) {
    const GemmShape& s = terms[0].shape;
    if (s.m * s.n > 0) DF_TRY(make(terms, MatrixView<T>{c, s.n, false}));
    c += s.m * s.n;
  }
  return Status();
}

}  // namespace internal

// c = the sums, or c = c - rate * them, by the pool; row-major.
template <class T>
Status StoreProductSums(const ProductSums<T>& sums, T* c, OpContext& ctx) {
  return internal::ForEachSum(
      sums, c, [&](const auto& terms, MatrixView<T> sum) { return internal::SumProducts(terms, sum, ctx); });
}
template <class T>
Status DescendByProductSums(const ProductSums<T>& sums, T rate, T* c, OpContext& ctx) {
  return internal::ForEachSum(sums, c, [&](const auto& terms, MatrixView<T> sum) {
    return internal::DescendByProducts(terms, rate, sum, ctx);
  });
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_PRODUCT_SUM_H_
