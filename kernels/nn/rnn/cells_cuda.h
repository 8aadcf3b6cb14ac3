// The engine that recurrent cells use on GPUs. kernels/nn/rnn/cells_cpu.h says what an engine has.
#ifndef DFRUN_KERNELS_NN_RNN_CELLS_CUDA_H_
#define DFRUN_KERNELS_NN_RNN_CELLS_CUDA_H_

#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/functions/element.h"
#include "kernels/matrix/product_cuda.h"
#include "kernels/nn/column_sums.h"
#include "kernels/nn/float_io_cuda.h"
#include "kernels/nn/rnn/stacked_rows.h"

namespace dfrun::cuda {

template <class Element>
DF_DEVICE_KERNEL void ElementsOfRows(Element element, int64_t n, int64_t columns) {
  const int64_t i = GlobalThreadId();
  if (i >= n) return;
  const int64_t row = i / columns;
  element(row, i - row * columns);
}

class Cells {
 public:
  explicit Cells(KernelSetup& setup) : product_(setup) {}

  template <class T>
  static Result<Tensor> FloatInput(OpContext& ctx, int i) {
    return AsFloat(ctx, ctx.input(i));
  }
  template <class T, int n>
  using Outputs = FloatOutputs<n>;

  Status Multiply(OpContext& ctx, const GemmShape& s, const float* a, const float* b, float* c) {
    return product_.Run(ctx, s, OnePair(), a, b, c);
  }

  template <class Element>
  static Status ForElements(OpContext& ctx, int64_t rows, int64_t columns, const Element& element) {
    return Launch(ctx, rows * columns, &ElementsOfRows<Element>, element, rows * columns, columns);
  }

  static Status Zero(OpContext& ctx, float* to, int64_t n) {
    return EnqueueZeros(ctx, to, static_cast<size_t>(n) * sizeof(float));
  }
  static Status Copy(OpContext& ctx, const float* from, float* to, int64_t n) {
    return EnqueueBytes(ctx, from, to, static_cast<size_t>(n) * sizeof(float));
  }

  static Status SumColumns(OpContext& ctx, const ColumnSums& sums, float* to);
  static Status SumProducts(OpContext& ctx, const ColumnSums& sums, const StackedRows& by, float* to);

 private:
  Product<float> product_;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_NN_RNN_CELLS_CUDA_H_
