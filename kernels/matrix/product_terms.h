// The products that ops on sums of products add up.
#ifndef DFRUN_KERNELS_MATRIX_PRODUCT_TERMS_H_
#define DFRUN_KERNELS_MATRIX_PRODUCT_TERMS_H_

#include "kernels/gemm/parallel_gemm.h"
#include "kernels/gemm/product_sum.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

// The products of `count` inputs of `ctx`, from `first` on, with as many that follow them. InvalidArgument unless they
// are matrices that fit, with products of one shape.
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

// The shape of the sum.
template <class T>
Shape ShapeOf(const ProductTerms<T>& terms) {
  return Shape({terms[0].shape.m, terms[0].shape.n});
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_PRODUCT_TERMS_H_
