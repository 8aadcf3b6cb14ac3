// The largest and the smallest of segments.
#include "kernels/math/segment/segment_cuda.h"
#include "kernels/math/segment/segment_reducers.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

template <class R>
struct SegmentExtreme {
  template <class T>
  struct Kernel : cuda::SegmentOnGpu {
    explicit Kernel(KernelSetup& setup) : SegmentOnGpu(setup, &cuda::LaunchGroupReduce<R, T>, /*empty_is_zero=*/true) {}
  };
};
template <class R>
using UnsortedExtreme = cuda::FoldingGroups<cuda::UnsortedSegmentOnGpu, R>;

CUDA_KERNEL("SegmentMax", SegmentExtreme<red::Max>, DF_REAL);
CUDA_KERNEL("SegmentMin", SegmentExtreme<red::Min>, DF_REAL);
CUDA_KERNEL("SegmentMaxV2", UnsortedExtreme<red::FiniteMax>, DF_REAL);
CUDA_KERNEL("SegmentMinV2", UnsortedExtreme<red::FiniteMin>, DF_REAL);
CUDA_KERNEL("UnsortedSegmentMax", UnsortedExtreme<red::FiniteMax>, DF_REAL);
CUDA_KERNEL("UnsortedSegmentMin", UnsortedExtreme<red::FiniteMin>, DF_REAL);

}  // namespace
}  // namespace dfrun
