#include <complex>

#include "kernels/array/copy/movement_cuda.h"
#include "kernels/array/copy/pick_cuda.h"
#include "kernels/array/move/mirror_pad.h"

namespace dfrun {
namespace {

// A tensor and its mirrored border, outermost dimension first; neighbours without a border are one.
struct MirrorLoops {
  static constexpr int kMaxDims = 8;
  struct Dim {
    int64_t size;
    MirrorBorder border;
    constexpr int64_t padded() const { return border.before + size + border.after; }
  };
  int rank = 0;
  int inner = -1;  // the tensor's last dimension
  Dim dims[kMaxDims];

  // Unimplemented for more dimensions than there are.
  static Result<MirrorLoops> Of(const Shape& shape, const std::vector<MirrorBorder>& borders) {
    MirrorLoops loops;
    for (int d = 0; d < shape.rank(); ++d) DF_TRY(loops.Add({shape.dim(d), borders[static_cast<size_t>(d)]}));
    loops.inner = loops.rank - 1;
    return loops;
  }
  Status Add(const Dim& dim) {
    const auto is_plain = [](const Dim& d) { return d.border.before == 0 && d.border.after == 0; };
    if (rank > 0 && is_plain(dim) && is_plain(dims[rank - 1])) {
      dims[rank - 1].size *= dim.size;
      return Status();
    }
    if (rank == kMaxDims) return Unimplemented("borders in more than ", kMaxDims, " dimensions on GPUs");
    dims[rank++] = dim;
    return Status();
  }
};

struct MirrorSource {
  MirrorLoops loops;
  constexpr int64_t operator()(int64_t i) const {
    int64_t source = 0;
    int64_t stride = 1;
    for (int d = loops.rank - 1; d >= 0; --d) {
      // nvcc 13.0 reads the last member of a referenced one of four or more dimensions eight bytes too far.
      const MirrorLoops::Dim dim = loops.dims[d];
      source += dim.border.Source(i % dim.padded(), dim.size) * stride;
      i /= dim.padded();
      stride *= dim.size;
    }
    return source;
  }
};

// The places of one element in the padded tensor, dimension by dimension.
struct MirrorPlaces {
  int count[MirrorLoops::kMaxDims];
  int64_t offsets[MirrorLoops::kMaxDims][MirrorBorder::kMaxPlaces];
  int taken[MirrorLoops::kMaxDims] = {};

  constexpr MirrorPlaces(const MirrorLoops& loops, int64_t i) {
    int64_t stride = 1;
    for (int d = loops.rank - 1; d >= 0; --d) {
      const MirrorLoops::Dim& dim = loops.dims[d];
      count[d] = dim.border.PlacesOf(i % dim.size, dim.size, offsets[d]);
      for (int k = 0; k < count[d]; ++k) offsets[d][k] *= stride;
      i /= dim.size;
      stride *= dim.padded();
    }
  }
  constexpr int64_t Offset(int rank) const {
    int64_t offset = 0;
    for (int d = 0; d < rank; ++d) offset += offsets[d][taken[d]];
    return offset;
  }
  // The next in the order in which CPUs add them: the tensor's last dimension changes first, then the others, outermost
  // first. False after the last.
  constexpr bool Next(int inner) {
    for (int step = 0; step <= inner; ++step) {
      const int d = step == 0 ? inner : step - 1;
      if (++taken[d] < count[d]) return true;
      taken[d] = 0;
    }
    return false;
  }
};

template <class T>
DF_DEVICE_KERNEL void SumMirrors(const T* dy, T* dx, int64_t n, MirrorLoops loops) {
  using Sum = typename MirrorSumOf<T>::type;
  const int64_t i = cuda::GlobalThreadId();
  if (i >= n) return;
  MirrorPlaces places(loops, i);
  Sum sum = Sum();
  do sum += static_cast<Sum>(dy[places.Offset(loops.rank)]);
  while (places.Next(loops.inner));
  dx[i] = static_cast<T>(sum);
}

class MirrorPadKernel : public MirrorPadBase {
 public:
  using MirrorPadBase::MirrorPadBase;
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const Plan plan, MakePlan(ctx, MirrorPaddedSize));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, plan.shape, &y));
    DF_ASSIGN(const MirrorLoops loops, MirrorLoops::Of(ctx.input(0).shape(), plan.borders));
    return cuda::Pick(ctx, ctx.input(0).raw(), *y, MirrorSource{loops});
  }
};

// The kernel for numbers whose kParts parts are of type T: a complex number has two.
template <class T, int kParts>
class MirrorPadGradKernel : public MirrorPadBase {
 public:
  using MirrorPadBase::MirrorPadBase;
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const Plan plan, MakePlan(ctx, MirrorUnpaddedSize));
    Tensor* dx = nullptr;
    DF_TRY(ctx.AllocateOutput(0, plan.shape, &dx));
    DF_ASSIGN(MirrorLoops loops, MirrorLoops::Of(plan.shape, plan.borders));
    if (kParts > 1) DF_TRY(loops.Add({kParts, MirrorBorder()}));
    const int64_t n = dx->num_elements() * kParts;
    return cuda::Launch(ctx, n, &SumMirrors<T>, static_cast<const T*>(ctx.input(0).raw()), static_cast<T*>(dx->raw()),
                        n, loops);
  }
};

template <class T>
struct MirrorPadGradOf {
  using Kernel = MirrorPadGradKernel<T, 1>;
};
template <class T>
struct MirrorPadGradOf<std::complex<T>> {
  using Kernel = MirrorPadGradKernel<T, 2>;
};
struct MirrorPadGrad {
  template <class T>
  using Kernel = typename MirrorPadGradOf<T>::Kernel;
};

CUDA_KERNEL("MirrorPad", cuda::ByBytes<MirrorPadKernel>, DF_PLAIN);
CUDA_KERNEL("MirrorPadGrad", MirrorPadGrad, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
