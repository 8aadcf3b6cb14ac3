#include "kernels/nn/sliced_conv.h"

#ifdef DFRUN_ONEDNN
#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/nn/onednn_conv_primitive.h"
#include "src/framework/tensor.h"

namespace dfrun {
namespace {

constexpr int64_t kWidth = 64;             // output channels of a slice: oneDNN's kernels take as many at once
constexpr int64_t kPixels = 1024;          // of a slice's result at once: they stay in the cache beside its filter
constexpr int64_t kLargeFilter = 1 << 20;  // elements: twice a usual L2 cache
constexpr double kBlockWork = 1e8;         // multiplications: 20 times what it costs to put a slice's filter in order

// The first kWidth channels of pixels.
void CopySlice(const float* from, int64_t from_channels, int64_t pixels, float* to, int64_t to_channels) {
  for (int64_t p = 0; p < pixels; ++p) std::copy_n(from + p * from_channels, kWidth, to + p * to_channels);
}

// `total` in parts of about the same size, `most` at most: that size.
int64_t EqualParts(int64_t total, int64_t most) {
  const int64_t parts = (total + most - 1) / most;
  return (total + parts - 1) / parts;
}

ConvShape SliceOf(const ConvShape& shape) {
  ConvShape slice = shape;
  slice.out_channels = kWidth;
  return slice;
}

class SlicedConv final : public Conv<float> {
 public:
  SlicedConv(ConvKind kind, const ConvShape& shape) : kind_(kind), s_(shape), images_(shape.images) {
    if (kind == ConvKind::kBackpropFilter) return;
    images_ = EqualParts(shape.images, std::max<int64_t>(1, kPixels / shape.out_pixels()));
    const double slice_work = SliceOf(shape).image_work() * static_cast<double>(images_);
    const double enough = kBlockWork / slice_work + 1;
    const int64_t parts = (shape.images + images_ - 1) / images_;
    parts_ = enough < static_cast<double>(parts) ? EqualParts(parts, static_cast<int64_t>(enough)) : parts;
  }

  // Parts of the images, and the smaller one at the end, with filters of the same order.
  Status Make() {
    DF_ASSIGN(whole_, MakeFor(images_, nullptr));
    if (s_.images % images_ != 0) {
      DF_ASSIGN(last_, MakeFor(s_.images % images_, &whole_->filter_order()));
    }
    filter_bytes_ = static_cast<int64_t>(whole_->filter_order().get_size());
    return whole_->reorders_filter() ? Status() : Unimplemented("oneDNN takes slices of this filter as they are");
  }

  Status Run(const float* a, const float* b, float* result, ThreadPool& pool, Allocator& allocator) const override {
    const int64_t slices = s_.out_channels / kWidth;
    const int64_t images = images_ * parts_;  // of a block
    const int64_t blocks = (s_.images + images - 1) / images * slices;
    std::vector<Status> statuses(static_cast<size_t>(blocks));
    pool.RunBlocks(blocks, [&](int64_t block) {
      const int64_t first = block / slices * images;
      const int64_t channel = block % slices * kWidth;
      statuses[static_cast<size_t>(block)] =
          kind_ == ConvKind::kForward
              ? Forward(a, b + channel, result + channel, first, std::min(first + images, s_.images), pool, allocator)
              : BackpropFilter(a, b + channel, result + channel, pool, allocator);
    });
    for (Status& status : statuses) DF_TRY(std::move(status));
    return Status();
  }

 private:
  using Primitive = std::unique_ptr<const OneDnnConvPrimitive>;

  Result<Primitive> MakeFor(int64_t images, const dnnl::memory::desc* filter_order) const {
    return CatchOneDnn("a convolution", [&]() -> Primitive {
      return std::make_unique<const OneDnnConvPrimitive>(kind_, SliceOf(s_).WithImages(images), s_,
                                                         dnnl::memory::data_type::f32, filter_order);
    });
  }

  Result<Tensor> FilterSpace(Allocator& allocator) const {
    return Tensor::Allocate(allocator, DType::kUint8, Shape({filter_bytes_}));
  }

  // Of the images in [first, end). `filter` and `y`: from the slice's first channel.
  Status Forward(const float* x, const float* filter, float* y, int64_t first, int64_t end, ThreadPool& pool,
                 Allocator& allocator) const {
    const int64_t pixels = s_.out_pixels();
    DF_ASSIGN(Tensor ordered, FilterSpace(allocator));
    DF_ASSIGN(Tensor part, Tensor::Allocate(allocator, DType::kFloat, Shape({images_ * pixels, kWidth})));
    DF_TRY(whole_->ReorderFilter(filter, ordered.raw(), pool, allocator));
    for (int64_t i = first; i < end; i += images_) {
      const int64_t count = std::min(images_, end - i);
      DF_TRY((count == images_ ? whole_ : last_)->Run(x + i * s_.input_image(), ordered.raw(), part.raw(), allocator));
      CopySlice(part.data<float>(), kWidth, count * pixels, y + i * s_.output_image(), s_.out_channels);
    }
    return Status();
  }

  // `dy` and `filter`: from the slice's first channel.
  Status BackpropFilter(const float* x, const float* dy, float* filter, ThreadPool& pool, Allocator& allocator) const {
    const int64_t pixels = s_.images * s_.out_pixels();
    DF_ASSIGN(Tensor ordered, FilterSpace(allocator));
    DF_ASSIGN(Tensor part, Tensor::Allocate(allocator, DType::kFloat, Shape({pixels, kWidth})));
    CopySlice(dy, s_.out_channels, pixels, part.data<float>(), kWidth);
    DF_TRY(whole_->Run(x, part.raw(), ordered.raw(), allocator));
    return whole_->ReorderFilter(ordered.raw(), filter, pool, allocator);
  }

  const ConvKind kind_;
  const ConvShape s_;
  int64_t images_;     // at once
  int64_t parts_ = 1;  // of so many images are one thread's
  int64_t filter_bytes_ = 0;
  Primitive whole_;
  Primitive last_;  // null where the images divide
};

// With many pixels a block of images uses each element of the filter often enough. With filters of one pixel the copies
// of slices cost a tenth of the time: worth it where there would be few blocks.
bool IsWorthSlices(ConvKind kind, const ConvShape& s) {
  switch (kind) {
    case ConvKind::kForward:
      return s.taps() > 1 && s.filter_size() >= kLargeFilter && s.out_pixels() <= kPixels;
    case ConvKind::kBackpropFilter:
      return s.filter_size() >= kLargeFilter / 4 && s.images * s.out_pixels() <= 8 * kPixels &&
             (s.taps() > 1 || s.images < 4 * ImagesInFilterBlock(s));
    default:
      return false;
  }
}

}  // namespace

std::shared_ptr<const Conv<float>> MakeSlicedConv(ConvKind kind, const ConvShape& shape) {
  if (shape.groups != 1 || shape.format.channels_first || shape.out_channels % kWidth != 0) return nullptr;
  if (!IsWorthSlices(kind, shape) || !OneDnnConvPrimitive::Has(shape)) return nullptr;
  auto conv = std::make_shared<SlicedConv>(kind, shape);
  return conv->Make().ok() ? conv : nullptr;
}

}  // namespace dfrun

#else
namespace dfrun {

std::shared_ptr<const Conv<float>> MakeSlicedConv(ConvKind, const ConvShape&) {
  return nullptr;
}

}  // namespace dfrun
#endif  // DFRUN_ONEDNN
