// Sums of matrix products: a block of the sum stays in the caches while all products are added to it. Bits as those of
// products that are added up one after the other.
#ifndef DFRUN_KERNELS_GEMM_PRODUCT_SUM_H_
#define DFRUN_KERNELS_GEMM_PRODUCT_SUM_H_

#include <vector>

#include "kernels/gemm/epilogue.h"
#include "kernels/gemm/gemm.h"

namespace dfrun {

// a b, one of the products.
template <class T>
struct ProductTerm {
  GemmShape shape;
  MatrixView<const T> a;
  MatrixView<const T> b;
};

// The products of one sum, all of one shape; at least one.
template <class T>
using ProductTerms = std::vector<ProductTerm<T>>;

// C = alpha * (the sum) + beta * C by the pool; row-major and dense. `epilogue` says no more than that. T: float,
// double.
template <class T>
Status SumProducts(const ProductTerms<T>& terms, T* c, const Epilogue<T>& epilogue, ThreadPool& pool,
                   Allocator& allocator);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_PRODUCT_SUM_H_
