#include "kernels/gemm/product_sum.h"

#include <algorithm>

#include "kernels/gemm/parallel_gemm.h"
#include "kernels/gemm/tuning.h"

namespace dfrun {
namespace {

// The block of the sum becomes the term's part, which is added where the term is not the first. False without memory.
template <class T>
bool AddTerm(const ProductTerm<T>& term, const Grid::Tile& block, bool is_first, MatrixView<T> sum,
             Allocator& allocator) {
  const SerialGemm<T> gemm(block.rows, term.shape.k, block.columns, term.a.transposed, term.b.transposed,
                           {.beta = is_first ? T{0} : T{1}});
  return WithScratch<T>(gemm.scratch_elements(), allocator, [&](T* scratch) {
    gemm.Run(term.a.At(block.row, 0), term.b.At(0, block.column), sum, scratch);
  });
}

// One row of a sum becomes C's.
template <class T>
void PutRow(const T* sum, int64_t columns, const Epilogue<T>& epilogue, T* row) {
  if (!epilogue.scales()) {
    std::copy_n(sum, columns, row);
    return;
  }
  for (int64_t j = 0; j < columns; ++j) row[j] = epilogue.beta * row[j] + epilogue.alpha * sum[j];
}

// Term after term, in scratch memory, since rows of C may lie a multiple of 4 KiB apart.
template <class T>
bool SumBlock(const ProductTerms<T>& terms, const Grid::Tile& block, MatrixView<T> c, const Epilogue<T>& epilogue,
              Allocator& allocator) {
  bool is_done = true;
  const bool has_space = WithScratch<T>(block.rows * block.columns, allocator, [&](T* sum) {
    for (const ProductTerm<T>& term : terms) {
      is_done &= AddTerm<T>(term, block, &term == terms.data(), {sum, block.columns, false}, allocator);
    }
    for (int64_t i = 0; i < block.rows; ++i) {
      PutRow(sum + i * block.columns, block.columns, epilogue, c.At(block.row + i, block.column).data);
    }
  });
  return has_space && is_done;
}

template <class T>
bool SumTile(const ProductTerms<T>& terms, const Grid::Tile& tile, MatrixView<T> c, const Epilogue<T>& epilogue,
             Allocator& allocator) {
  bool is_done = true;
  for (int64_t j = 0; j < tile.columns; j += kSumBlockColumns) {
    for (int64_t i = 0; i < tile.rows; i += kSumBlockRows) {
      const Grid::Tile block{tile.row + i, std::min(kSumBlockRows, tile.rows - i), tile.column + j,
                             std::min(kSumBlockColumns, tile.columns - j)};
      is_done &= SumBlock(terms, block, c, epilogue, allocator);
    }
  }
  return is_done;
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
  int64_t depth = 0;
  for (const ProductTerm<T>& term : terms) depth += term.shape.k;
  const Grid grid = GridForThreads({s.m, depth, s.n}, pool.num_threads(), false);
  return RunTiles(grid.count(), pool, [&](int64_t i) {
    return SumTile<T>(terms, grid.At(s, i), {c, s.n, false}, epilogue, allocator);
  });
}

template Status SumProducts(const ProductTerms<float>&, float*, const Epilogue<float>&, ThreadPool&, Allocator&);
template Status SumProducts(const ProductTerms<double>&, double*, const Epilogue<double>&, ThreadPool&, Allocator&);

}  // namespace dfrun
