// The largest and the smallest of segments.
#include "kernels/math/segment_cuda.h"
#include "kernels/math/segment_reducers.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

template <class R>
struct Segment {
  template <class T>
  struct Kernel : cuda::SegmentOnCard {
    explicit Kernel(KernelSetup& setup) : SegmentOnCard(setup, &cuda::LaunchGroupFold<R, T>, /*empty_is_zero=*/true) {}
  };
};
template <class R>
using Unsorted = cuda::FoldingGroups<cuda::UnsortedSegmentOnCard, R>;

CUDA_KERNEL("SegmentMax", Segment<red::Max>, DF_REAL);
CUDA_KERNEL("SegmentMin", Segment<red::Min>, DF_REAL);
CUDA_KERNEL("SegmentMaxV2", Unsorted<red::FiniteMax>, DF_REAL);
CUDA_KERNEL("SegmentMinV2", Unsorted<red::FiniteMin>, DF_REAL);
CUDA_KERNEL("UnsortedSegmentMax", Unsorted<red::FiniteMax>, DF_REAL);
CUDA_KERNEL("UnsortedSegmentMin", Unsorted<red::FiniteMin>, DF_REAL);

}  // namespace
}  // namespace dfrun
