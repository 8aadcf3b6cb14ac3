#include "kernels/gemm/product_sum.h"

#include <algorithm>

#include "kernels/gemm/packed_gemm.h"
#include "kernels/gemm/parallel_gemm.h"
#include "kernels/gemm/tuning.h"
#include "src/base/integers.h"
#include "src/framework/tensor.h"

namespace dfrun {
namespace {

// c, which is the part of the sum that begins at `row` and `column`, becomes the term's part, which is added where the
// term is not the first. False without memory.
template <class T>
bool AddTerm(const ProductTerm<T>& term, const Grid::Tile& tile, bool is_first, MatrixView<T> c, Allocator& allocator) {
  if (term.shape.k == 0) {
    for (int64_t i = 0; i < tile.rows; ++i) {
      T* const row = c.At(i, 0).data;
      std::transform(row, row + tile.columns, row, [&](T was) { return is_first ? T{0} : was + T{0}; });
    }
    return true;
  }
  const SerialGemm<T> gemm(tile.rows, term.shape.k, tile.columns, term.a.transposed, term.b.transposed,
                           {.beta = is_first ? T{0} : T{1}});
  return WithScratch(gemm, allocator,
                     [&](T* scratch) { gemm.Run(term.a.At(tile.row, 0), term.b.At(0, tile.column), c, scratch); });
}

template <class T>
int64_t TotalDepth(const ProductTerms<T>& terms) {
  int64_t depth = 0;
  for (const ProductTerm<T>& term : terms) depth += term.shape.k;
  return depth;
}

// Term after term for a block of the sum.
template <class T>
Status SumByTerms(const ProductTerms<T>& terms, MatrixView<T> c, ThreadPool& pool, Allocator& allocator) {
  const GemmShape& s = terms[0].shape;
  const Grid grid = GridForThreads({s.m, TotalDepth(terms), s.n}, pool.num_threads(), false);
  return RunTiles(grid.count(), pool, [&](int64_t i) {
    const Grid::Tile tile = grid.At(s, i);
    const int64_t block_rows = std::max<int64_t>(1, kSumBlockElements / tile.columns);
    bool is_done = true;
    for (int64_t at = 0; at < tile.rows; at += block_rows) {
      const Grid::Tile block{tile.row + at, std::min(block_rows, tile.rows - at), tile.column, tile.columns};
      for (const ProductTerm<T>& term : terms) {
        is_done &= AddTerm(term, block, &term == &terms[0], c.At(block.row, block.column), allocator);
      }
    }
    return is_done;
  });
}

// The same for an epilogue that wants the whole sum.
template <class T>
Status ScaleSumByTerms(const ProductTerms<T>& terms, MatrixView<T> c, const Epilogue<T>& epilogue, ThreadPool& pool,
                       Allocator& allocator) {
  const GemmShape& s = terms[0].shape;
  DF_ASSIGN(Tensor sum, Tensor::Allocate(allocator, DTypeOf<T>, Shape({s.m * s.n})));
  DF_TRY(SumByTerms(terms, MatrixView<T>{sum.data<T>(), s.n, false}, pool, allocator));
  constexpr int64_t kBlock = 32768;  // elements
  pool.ParallelFor(s.m * s.n, kBlock, [&, from = sum.data<T>()](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) c.data[i] = epilogue.beta * c.data[i] + epilogue.alpha * from[i];
  });
  return Status();
}

// Products of a few steps over k each, of a transpose by a matrix, are best taken as one: as if their operands lay
// below each other, every one in a segment of k, where zeros follow it. The length of a segment; 0: they are not such
// products.
template <class T>
int64_t StackedSegment(const ProductTerms<T>& terms) {
  const GemmShape& s = terms[0].shape;
  if (!s.transpose_a || s.transpose_b) return 0;
  int64_t longest = 0;
  for (const ProductTerm<T>& term : terms) longest = std::max(longest, term.shape.k);
  if (longest == 0 || longest > kMostStackedDepth) return 0;
  const int64_t segment = RoundUp(longest, kSegmentStep<T>);
  const int64_t stacked = segment * static_cast<int64_t>(terms.size());
  const int64_t depth = TotalDepth(terms);
  const bool wastes_little = stacked - depth <= depth / 4;
  const bool is_packed = SerialGemm<T>(s.m, stacked, s.n, true, false).algorithm() == GemmAlgorithm::kPacked;
  return wastes_little && is_packed ? segment : 0;
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

template <class T>
Status SumStacked(const ProductTerms<T>& terms, int64_t segment, MatrixView<T> c, const Epilogue<T>& epilogue,
                  ThreadPool& pool, Allocator& allocator) {
  const GemmShape s{terms[0].shape.m, segment * static_cast<int64_t>(terms.size()), terms[0].shape.n};
  DF_ASSIGN(Tensor zeros, Tensor::Allocate(allocator, DTypeOf<T>, Shape({std::max(s.m, s.n)})));
  std::fill_n(zeros.data<T>(), zeros.num_elements(), T{0});
  const StackedRows<T> a(terms, &ProductTerm<T>::a, segment, zeros.data<T>());
  const StackedRows<T> b(terms, &ProductTerm<T>::b, segment, zeros.data<T>());
  const Grid grid = GridForThreads(s, pool.num_threads(), true);
  return RunTiles(grid.count(), pool, [&](int64_t i) {
    const Grid::Tile tile = grid.At(s, i);
    const PackedGemm<T> gemm(tile.rows, s.k, tile.columns, epilogue, segment);
    return WithScratch(gemm, allocator, [&](T* scratch) {
      gemm.Run(a.table(), tile.row, b.table(), tile.column, c.At(tile.row, tile.column), scratch);
    });
  });
}

}  // namespace

template <class T>
Status SumProducts(const ProductTerms<T>& terms, T* c, const Epilogue<T>& epilogue, ThreadPool& pool,
                   Allocator& allocator) {
  const GemmShape& s = terms[0].shape;
  if (s.m * s.n == 0) return Status();
  if (terms.size() == 1 && s.work() > 0) {
    return RunSerial(s, terms[0].a.data, terms[0].b.data, c, pool, allocator, epilogue);
  }
  const MatrixView<T> view{c, s.n, false};
  if (const int64_t segment = StackedSegment(terms); segment > 0) {
    return SumStacked(terms, segment, view, epilogue, pool, allocator);
  }
  return epilogue.scales() ? ScaleSumByTerms(terms, view, epilogue, pool, allocator)
                           : SumByTerms(terms, view, pool, allocator);
}

template Status SumProducts(const ProductTerms<float>&, float*, const Epilogue<float>&, ThreadPool&, Allocator&);
template Status SumProducts(const ProductTerms<double>&, double*, const Epilogue<double>&, ThreadPool&, Allocator&);

}  // namespace dfrun
