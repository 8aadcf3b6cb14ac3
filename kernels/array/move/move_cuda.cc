// Kernels that move elements, on GPUs.
#include "kernels/array/copy/movement_cuda.h"
#include "kernels/array/move/concat.h"
#include "kernels/array/move/diag.h"
#include "kernels/array/move/pad.h"
#include "kernels/array/move/repeat.h"
#include "kernels/array/move/reverse.h"
#include "kernels/array/move/roll.h"
#include "kernels/array/move/slice.h"
#include "kernels/array/move/space.h"
#include "kernels/array/move/split.h"
#include "kernels/array/move/transpose.h"

namespace dfrun {
namespace {

using cuda::ByBytes;
using cuda::Movement;

CUDA_KERNEL("Slice", ByBytes<SliceKernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("StridedSlice", ByBytes<StridedSliceKernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("StridedSliceGrad", ByBytes<StridedSliceGradKernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("Pad", ByBytes<PadKernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("PadV2", ByBytes<PadKernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("Transpose", ByBytes<TransposeKernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("BroadcastTo", ByBytes<BroadcastToKernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("Tile", ByBytes<TileKernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("Concat", ByBytes<ConcatKernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("ConcatV2", ByBytes<ConcatV2Kernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("Pack", ByBytes<PackKernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("Split", ByBytes<SplitKernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("SplitV", ByBytes<SplitVKernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("Unpack", ByBytes<UnpackKernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("Diag", ByBytes<DiagKernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("DiagPart", ByBytes<DiagPartKernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("Reverse", ByBytes<ReverseKernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("ReverseV2", ByBytes<ReverseV2Kernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("Roll", ByBytes<RollKernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("SpaceToDepth", ByBytes<SpaceToDepthKernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("DepthToSpace", ByBytes<DepthToSpaceKernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("SpaceToBatch", ByBytes<SpaceToBatchKernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("SpaceToBatchND", ByBytes<SpaceToBatchKernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("BatchToSpace", ByBytes<BatchToSpaceKernel<Movement>>, DF_PLAIN);
CUDA_KERNEL("BatchToSpaceND", ByBytes<BatchToSpaceKernel<Movement>>, DF_PLAIN);

}  // namespace
}  // namespace dfrun
