#include "kernels/matrix/batch_pairs.h"

#include <algorithm>

#include "src/framework/op/inference.h"

namespace dfrun {
namespace {

// The number of the matrix of a side (batch sizes `dims`) that pair `index` of the batch `all` has.
int64_t MatrixOf(int64_t index, std::span<const int64_t> all, std::span<const int64_t> dims) {
  int64_t matrix = 0;
  int64_t stride = 1;
  for (size_t back = 1; back <= dims.size(); ++back) {
    const int64_t size = all[all.size() - back];
    const int64_t at = index % size;
    index /= size;
    const int64_t mine = dims[dims.size() - back];
    if (mine != 1) matrix += at * stride;
    stride *= mine;
  }
  return matrix;
}

bool IsByte(DType dtype) {
  return dtype == DType::kInt8 || dtype == DType::kUint8;
}

}  // namespace

Result<BatchPairs> PairMatrices(const Shape& x, const Shape& y) {
  DF_ASSIGN(const PartialShape both, BroadcastShapes(Shape(BatchDims(x)), Shape(BatchDims(y))));
  BatchPairs pairs;
  pairs.dims = both.dims();
  if (x.num_elements() == 0 || y.num_elements() == 0) return pairs;
  DF_ASSIGN(const Shape batch, Shape::Create(pairs.dims));
  for (int64_t i = 0; i < batch.num_elements(); ++i) {
    pairs.x.push_back(MatrixOf(i, pairs.dims, BatchDims(x)));
    pairs.y.push_back(MatrixOf(i, pairs.dims, BatchDims(y)));
  }
  return pairs;
}

Status CheckSameBatch(const Shape& x, const Shape& y) {
  const auto x_dims = BatchDims(x);
  const auto y_dims = BatchDims(y);
  if (std::equal(x_dims.begin(), x_dims.end(), y_dims.begin(), y_dims.end())) return Status();
  return InvalidArgument("the inputs are batches of different shapes: ", x, " and ", y);
}

bool IsProductOf(DType product, DType x, DType y) {
  if (x == product && y == product) return true;
  if (product == DType::kInt32) return IsByte(x) && IsByte(y);
  return product == DType::kBfloat16 && (x == product || IsByte(x)) && (y == product || IsByte(y)) &&
         !(IsByte(x) && IsByte(y));
}

}  // namespace dfrun
