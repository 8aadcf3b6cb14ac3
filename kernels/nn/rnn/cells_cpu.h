// The engine that recurrent cells use on CPUs. A kernel has an object of its device's engine, which is a class with:
//     explicit Cells(KernelSetup& setup);
//     template <class T> static Result<Tensor> FloatInput(OpContext& ctx, int i);     // input i, of T, as floats
//     template <class T, int n> using Outputs = ...;                                  // as FloatOutputs (float_io.h)
//     Status Multiply(ctx, shape, a, b, c);                                           // c = a b
//     static Status ForElements(ctx, rows, columns, element);                         // element(row, column) for all
//     static Status Zero(ctx, to, n), Copy(ctx, from, to, n);                         // floats
//     static Status SumColumns(ctx, sums, to), SumProducts(ctx, sums, by, to);        // by ColumnSums and StackedRows
#ifndef DFRUN_KERNELS_NN_RNN_CELLS_CPU_H_
#define DFRUN_KERNELS_NN_RNN_CELLS_CPU_H_

#include <algorithm>

#include "kernels/gemm/parallel_gemm.h"
#include "kernels/math/functions/element.h"
#include "kernels/nn/column_sums.h"
#include "kernels/nn/float_io.h"
#include "kernels/nn/rnn/stacked_rows.h"

namespace dfrun {

struct CpuCells {
  explicit CpuCells(KernelSetup&) {}

  template <class T>
  static Result<Tensor> FloatInput(OpContext& ctx, int i) {
    return dfrun::FloatInput<T>(ctx, i);
  }
  template <class T, int n>
  using Outputs = FloatOutputs<T, n>;

  // c overlaps neither factor. Small products stay on the calling thread.
  static Status Multiply(OpContext& ctx, const GemmShape& s, const float* a, const float* b, float* c) {
    if (!PrefersUnpackedGemm(s)) return RunSerial(s, a, b, c, ctx.pool(), ctx.allocator());
    UnpackedGemm<float>(s.m, s.k, s.n, ViewA(s, a), ViewB(s, b), {c, s.n, false});
    return Status();
  }

  // Elements are independent. A thread takes rows of Element::kBlock of them.
  template <class Element>
  static Status ForElements(OpContext& ctx, int64_t rows, int64_t columns, const Element& given) {
    const int64_t block = columns >= Element::kBlock ? 1 : Element::kBlock / (columns + 1) + 1;
    ctx.pool().ParallelFor(rows, block, [&](int64_t begin, int64_t end) {
      const Element element = given;  // a copy that no other store can change
      for (int64_t row = begin; row < end; ++row) {
        DF_INDEPENDENT_ITERATIONS
        for (int64_t j = 0; j < columns; ++j) element(row, j);
      }
    });
    return Status();
  }

  static Status Zero(OpContext&, float* to, int64_t n) {
    std::fill_n(to, n, 0.0F);
    return Status();
  }
  static Status Copy(OpContext&, const float* from, float* to, int64_t n) {
    std::copy_n(from, n, to);
    return Status();
  }

  static Status SumColumns(OpContext& ctx, const ColumnSums& sums, float* to) {
    sums.Add(ctx.pool(), to);
    return Status();
  }
  static Status SumProducts(OpContext& ctx, const ColumnSums& sums, const StackedRows& by, float* to) {
    sums.AddProducts(
        ctx.pool(), [&](int64_t row) { return by.Row(row, sums.columns); }, to);
    return Status();
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_RNN_CELLS_CPU_H_
