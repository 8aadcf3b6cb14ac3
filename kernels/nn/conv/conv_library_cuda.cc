#include "kernels/nn/conv/conv_library_cuda.h"

#include <utility>
#include <vector>

#include "kernels/array/copy/movement_cuda.h"
#include "kernels/device/cuda/library/library.h"
#include "kernels/nn/conv/conv_library_shape_cuda.h"

namespace dfrun::cuda {
namespace {

// The number of multiplications below which the project's own kernel is done before the library's call has returned.
constexpr double kLibraryWork = 1 << 22;

// Copies a filter between its order here, [taps, in, out], and the library's: [out, taps, in], or with channels first
// [out, in, taps].
Status TurnFilter(OpContext& ctx, const ConvShape& s, DType dtype, const void* from, void* to, bool to_library) {
  const int64_t in = s.group_inputs();
  const int64_t out = s.out_channels;
  const int64_t taps = s.taps();
  const int64_t tap_stride = s.format.channels_first ? 1 : in;
  const int64_t in_stride = s.format.channels_first ? taps : 1;
  std::vector<CopyDim> dims = {{out, 1, taps * in}, {taps, in * out, tap_stride}, {in, out, in_stride}};
  if (s.format.channels_first) std::swap(dims[1], dims[2]);
  if (!to_library) {
    for (CopyDim& dim : dims) std::swap(dim.from_stride, dim.to_stride);
  }
  return Movement::Copy(ctx, dtype, from, to, dims);
}

}  // namespace

Result<std::shared_ptr<const LibraryConv>> ConvByLibrary::PlanFor(const ConvShape& s, DType dtype, int gpu) {
  const ConvResult result = kind_ == ConvKind::kForward         ? ConvResult::kOutput
                            : kind_ == ConvKind::kBackpropInput ? ConvResult::kInput
                                                                : ConvResult::kFilter;
  return plans_.Get(s, [&] {
    return LibraryConv::Create({result, epilogue_, LibraryShapeOf(s), dtype, arithmetic_}, gpu);
  });
}

Result<bool> ConvByLibrary::Run(OpContext& ctx, const ConvShape& s, const Tensor& a, const Tensor& b, const void* bias,
                                Tensor& result) {
  const DType dtype = result.dtype();
  if (!IsFloating(dtype) || static_cast<double>(s.images) * s.image_work() < kLibraryWork || !Cudnn::Get().ok()) {
    return false;
  }
  for (const void* const data : {a.raw(), b.raw(), bias, static_cast<const void*>(result.raw())}) {
    if (!IsForLibraries(data)) return false;
  }
  Gpu& gpu = GpuOf(ctx);
  gpu.MakeCurrent();
  const auto plan = PlanFor(s, dtype, gpu.index());
  if (plan.status().code() == Code::kUnimplemented) return false;
  DF_TRY(plan.status());
  const bool makes_filter = kind_ == ConvKind::kBackpropFilter;
  DF_ASSIGN(Tensor filter, ctx.AllocateTemp(dtype, Shape({s.filter_size()})));
  if (!makes_filter) DF_TRY(TurnFilter(ctx, s, dtype, b.raw(), filter.raw(), /*to_library=*/true));
  switch (kind_) {
    case ConvKind::kForward:
      DF_TRY((*plan)->Run(ctx, {a.raw(), filter.raw(), result.raw(), bias}));
      break;
    case ConvKind::kBackpropInput:
      DF_TRY((*plan)->Run(ctx, {result.raw(), filter.raw(), a.raw()}));
      break;
    case ConvKind::kBackpropFilter:
      DF_TRY((*plan)->Run(ctx, {a.raw(), filter.raw(), b.raw()}));
      DF_TRY(TurnFilter(ctx, s, dtype, filter.raw(), result.raw(), /*to_library=*/false));
      break;
  }
  return true;
}

}  // namespace dfrun::cuda
