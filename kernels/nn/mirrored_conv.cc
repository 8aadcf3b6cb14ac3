#include "kernels/nn/mirrored_conv.h"

#include <utility>

#include "kernels/matrix/panel_pack.h"
#include "kernels/nn/onednn_conv.h"
#include "src/framework/tensor.h"

namespace dfrun {
namespace {

bool StepsByOne(const WindowDim& d) {
  return d.stride == 1 && d.pad_before < d.extent() && d.pad_after() < d.extent();
}

WindowDim Mirrored(const WindowDim& d) {
  WindowDim mirrored = d;
  mirrored.input = d.output;
  mirrored.output = d.input;
  mirrored.pad_before = d.extent() - 1 - d.pad_before;
  return mirrored;
}

ConvShape Mirrored(const ConvShape& s) {
  ConvShape mirrored = s;
  std::swap(mirrored.in_channels, mirrored.out_channels);
  mirrored.depth = Mirrored(s.depth);
  mirrored.height = Mirrored(s.height);
  mirrored.width = Mirrored(s.width);
  return mirrored;
}

class MirroredConv final : public Conv<float> {
 public:
  MirroredConv(const ConvShape& shape, std::shared_ptr<const Conv<float>> forward)
      : s_(shape), forward_(std::move(forward)) {}

  Status Run(const float* dy, const float* filter, float* dx, ThreadPool& pool, Allocator& allocator) const override {
    DF_ASSIGN(Tensor mirrored, Tensor::Allocate(allocator, DType::kFloat, Shape({s_.filter_size()})));
    pool.ParallelFor(s_.taps(), 1, [&](int64_t begin, int64_t end) {
      for (int64_t tap = begin; tap < end; ++tap) MirrorTap(filter, tap, mirrored.data<float>());
    });
    return forward_->Run(dy, mirrored.data<float>(), dx, pool, allocator);
  }

 private:
  // [in, out] of a tap becomes [out, in] of the one opposite.
  void MirrorTap(const float* filter, int64_t tap, float* mirrored) const {
    const int64_t size = s_.in_channels * s_.out_channels;
    const float* from = filter + tap * size;
    float* to = mirrored + (s_.taps() - 1 - tap) * size;
    if (s_.in_channels % kLanes<float> == 0) {
      const int vectors = static_cast<int>(s_.in_channels) / kLanes<float>;
      PackPanel<float>({from, s_.out_channels, true}, s_.out_channels, s_.in_channels, to, vectors);
      return;
    }
    for (int64_t out = 0; out < s_.out_channels; ++out) {
      for (int64_t in = 0; in < s_.in_channels; ++in) to[out * s_.in_channels + in] = from[in * s_.out_channels + out];
    }
  }

  const ConvShape s_;
  const std::shared_ptr<const Conv<float>> forward_;
};

}  // namespace

std::shared_ptr<const Conv<float>> MakeMirroredConv(const ConvShape& shape) {
  const bool fits = shape.groups == 1 && !shape.format.channels_first && StepsByOne(shape.depth) &&
                    StepsByOne(shape.height) && StepsByOne(shape.width);
  if (!fits) return nullptr;
  auto forward = MakeOneDnnConv<float>(ConvKind::kForward, Mirrored(shape));
  if (!forward.ok()) return nullptr;
  return std::make_shared<MirroredConv>(shape, *std::move(forward));
}

}  // namespace dfrun
