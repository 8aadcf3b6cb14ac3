#include "kernels/array/copy/movement_cuda.h"
#include "kernels/array/copy/pick_cuda.h"
#include "kernels/array/move/matrix_diag_kernel.h"

namespace dfrun {
namespace {

// Maps an element of matrices to that of the packed diagonals, or to -1.
struct FromPacked {
  Band band;
  constexpr int64_t operator()(int64_t i) const {
    const int64_t row = i / band.cols;
    const int64_t matrix = row / band.rows;
    const int64_t at = band.InBand(row - matrix * band.rows, i - row * band.cols);
    return at < 0 ? -1 : matrix * band.size() + at;
  }
};

// Maps an element of packed diagonals to that of the matrices, or to -1.
struct FromMatrices {
  Band band;
  constexpr int64_t operator()(int64_t i) const {
    const int64_t matrix = i / band.size();
    const int64_t at = band.InMatrix(i - matrix * band.size());
    return at < 0 ? -1 : matrix * band.rows * band.cols + at;
  }
};

struct FromKept {
  KeptBand kept;
  constexpr int64_t operator()(int64_t i) const {
    const int64_t row = i / kept.cols;
    const int64_t right = i - row * kept.cols - row % kept.rows;  // distance from the main diagonal
    return right < -kept.lower || right > kept.upper ? -1 : i;
  }
};

struct Bands {
  static Status Unpack(OpContext& ctx, const Band& band, const Tensor& x, const void* padding, Tensor& y) {
    return cuda::Pick(ctx, x.raw(), y, FromPacked{band}, {padding, 0});
  }
  static Status Pack(OpContext& ctx, const Band& band, const Tensor& x, const void* padding, Tensor& y) {
    return cuda::Pick(ctx, x.raw(), y, FromMatrices{band}, {padding, 0});
  }
  static Status Replace(OpContext& ctx, const Band& band, const Tensor& x, const Tensor& diagonals, Tensor& y) {
    return cuda::Pick(ctx, diagonals.raw(), y, FromPacked{band}, {x.raw(), 1});
  }
  static Status Keep(OpContext& ctx, const KeptBand& kept, const Tensor& x, Tensor& y) {
    return cuda::Pick(ctx, x.raw(), y, FromKept{kept});
  }
};

CUDA_KERNEL("MatrixDiag", cuda::ByBytes<MatrixDiagKernel<Bands>>, DF_PLAIN);
CUDA_KERNEL("MatrixDiagV2", cuda::ByBytes<MatrixDiagKernel<Bands>>, DF_PLAIN);
CUDA_KERNEL("MatrixDiagV3", cuda::ByBytes<MatrixDiagKernel<Bands>>, DF_PLAIN);
CUDA_KERNEL("MatrixDiagPart", cuda::ByBytes<MatrixDiagPartKernel<Bands>>, DF_PLAIN);
CUDA_KERNEL("MatrixDiagPartV2", cuda::ByBytes<MatrixDiagPartKernel<Bands>>, DF_PLAIN);
CUDA_KERNEL("MatrixDiagPartV3", cuda::ByBytes<MatrixDiagPartKernel<Bands>>, DF_PLAIN);
CUDA_KERNEL("MatrixSetDiag", cuda::ByBytes<MatrixSetDiagKernel<Bands>>, DF_PLAIN);
CUDA_KERNEL("MatrixSetDiagV2", cuda::ByBytes<MatrixSetDiagKernel<Bands>>, DF_PLAIN);
CUDA_KERNEL("MatrixSetDiagV3", cuda::ByBytes<MatrixSetDiagKernel<Bands>>, DF_PLAIN);
CUDA_KERNEL("MatrixBandPart", cuda::ByBytes<MatrixBandPartKernel<Bands>>, DF_PLAIN);

}  // namespace
}  // namespace dfrun
