// Helpers of kernels on batches of matrices: the tensor's last two dimensions are the matrices.
#ifndef DFRUN_KERNELS_LINALG_MATRIX_BATCH_H_
#define DFRUN_KERNELS_LINALG_MATRIX_BATCH_H_

#include <algorithm>
#include <initializer_list>

#include "kernels/math/functions/element.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

struct MatrixBatch {
  int64_t count = 0;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t elements() const { return rows * columns; }  // size of one matrix
};

// InvalidArgument for a tensor of rank below 2.
Result<MatrixBatch> MatricesOf(const Tensor& tensor);
// InvalidArgument where the matrices are not square, too.
Result<MatrixBatch> SquareMatricesOf(const Tensor& tensor);
// The matrices of Cholesky factors; InvalidArgument where their gradient has another shape, too.
Result<MatrixBatch> FactorsOf(const Tensor& factors, const Tensor& gradient);

// The leading dimensions of a batch of matrices with others instead of the last two. InvalidArgument where that is
// too large for any tensor.
Result<Shape> BatchShape(const Tensor& matrices, std::initializer_list<int64_t> dims);

// Calls body(i) for every matrix over the pool, where one costs about `work` multiplications. The first error in order.
Status ForEachMatrix(ThreadPool& pool, int64_t count, double work, FunctionRef<Status(int64_t)> body);

// Linear algebra is computed in double, of complex numbers in complex128: Eigen's code takes up to a minute to compile
// for each type.
template <class T>
using WideType = std::conditional_t<kIsComplex<T>, std::complex<double>, double>;

// The tensor of elements T in elements of the type that computes, C: the tensor itself where they are the same.
template <class T, class C>
Result<Tensor> Widened(OpContext& ctx, const Tensor& tensor) {
  if constexpr (std::is_same_v<C, T>) {
    return tensor;
  } else {
    DF_ASSIGN(Tensor wide, ctx.AllocateTemp(DTypeOf<C>, tensor.shape()));
    std::transform(tensor.data<T>(), tensor.data<T>() + tensor.num_elements(), wide.data<C>(),
                   [](const T& value) { return static_cast<C>(value); });
    return wide;
  }
}

// An output of elements T that is computed in C and rounded once.
template <class T, class C>
class WideOutput {
 public:
  Status Allocate(OpContext& ctx, int i, const Shape& shape) {
    DF_TRY(ctx.AllocateOutput(i, shape, &output_));
    if constexpr (!std::is_same_v<C, T>) {
      DF_ASSIGN(wide_, ctx.AllocateTemp(DTypeOf<C>, shape));
    }
    return Status();
  }
  C* data() {
    if constexpr (std::is_same_v<C, T>) {
      return output_->data<T>();
    } else {
      return wide_.data<C>();
    }
  }
  void Round() {
    if constexpr (!std::is_same_v<C, T>) {
      std::transform(data(), data() + wide_.num_elements(), output_->data<T>(),
                     [](const C& value) { return static_cast<T>(value); });
    }
  }

 private:
  Tensor* output_ = nullptr;
  Tensor wide_;
};

// Computes for each square matrix of the input, of elements T, one of its size: body(from, n, to) reads n x n elements
// and writes n x n, in the type that computes. One costs about `work(n)` multiplications. The first error in order.
template <class T, class Work, class Body>
Status MapSquareMatrices(OpContext& ctx, const Work& work, const Body& body) {
  using C = WideType<T>;
  DF_ASSIGN(const MatrixBatch batch, SquareMatricesOf(ctx.input(0)));
  WideOutput<T, C> y;
  DF_TRY(y.Allocate(ctx, 0, ctx.input(0).shape()));
  DF_ASSIGN(const Tensor x, (Widened<T, C>(ctx, ctx.input(0))));
  DF_TRY(ForEachMatrix(ctx.pool(), batch.count, work(batch.rows), [&](int64_t i) -> Status {
    const int64_t at = i * batch.elements();
    return body(x.data<C>() + at, batch.rows, y.data() + at);
  }));
  y.Round();
  return Status();
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_LINALG_MATRIX_BATCH_H_
