#include "kernels/linalg/matrix_batch.h"

#include <algorithm>

#include "kernels/matrix/batch_pairs.h"
#include "src/base/integers.h"

namespace dfrun {
namespace {

// The work of a block: about 20 us on one core, where decompositions of small matrices do some billion multiplications
// a second.
constexpr double kBlockWork = 20'000;

}  // namespace

Result<MatrixBatch> MatricesOf(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  if (shape.rank() < 2) return InvalidArgument("the input must be a batch of matrices, but has shape ", shape);
  MatrixBatch batch{1, shape[shape.rank() - 2], shape[shape.rank() - 1]};
  for (int64_t size : BatchDims(shape)) batch.count *= size;
  return batch;
}

Result<MatrixBatch> SquareMatricesOf(const Tensor& tensor) {
  DF_ASSIGN(const MatrixBatch batch, MatricesOf(tensor));
  if (batch.rows != batch.columns) return InvalidArgument("the matrices of shape ", tensor.shape(), " are not square");
  return batch;
}

Result<MatrixBatch> FactorsOf(const Tensor& factors, const Tensor& gradient) {
  DF_ASSIGN(const MatrixBatch batch, SquareMatricesOf(factors));
  if (factors.shape() != gradient.shape()) {
    return InvalidArgument("the factor has shape ", factors.shape(), ", but its gradient ", gradient.shape());
  }
  return batch;
}

Result<Shape> BatchShape(const Tensor& matrices, std::initializer_list<int64_t> dims) {
  const auto batch = BatchDims(matrices.shape());
  std::vector<int64_t> all(batch.begin(), batch.end());
  all.insert(all.end(), dims);
  return Shape::Create(all);
}

Status ForEachMatrix(ThreadPool& pool, int64_t count, double work, FunctionRef<Status(int64_t)> body) {
  const auto block = static_cast<int64_t>(std::max(1.0, kBlockWork / (work + 1)));
  std::vector<Status> statuses(static_cast<size_t>(CeilDiv(count, block)));
  pool.ParallelFor(count, block, [&](int64_t begin, int64_t end) {
    Status& status = statuses[static_cast<size_t>(begin / block)];
    for (int64_t i = begin; i < end && status.ok(); ++i) status = body(i);
  });
  for (Status& status : statuses) DF_TRY(std::move(status));
  return Status();
}

}  // namespace dfrun
