#include "kernels/nn/tap_products.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "kernels/matrix/gemm_plan.h"
#include "kernels/matrix/packed_walk.h"
#include "kernels/nn/tap_pixels.h"
#include "src/base/integers.h"

namespace dfrun {
namespace {

// A tap's part of the filter and the pixels of an image that it leads from and to.
struct TapProduct {
  struct Pixel {
    int64_t from;  // elements from the image's first
    int64_t to;
  };
  int64_t count() const { return static_cast<int64_t>(pixels.size()); }

  int64_t filter;  // elements before it
  std::vector<Pixel> pixels;
  bool continues;  // earlier taps have written all of the pixels; else none
};

class TapProducts final : public Conv<float> {
 public:
  TapProducts(ConvKind kind, const ConvShape& shape) : is_forward_(kind == ConvKind::kForward), s_(shape) {
    for (int64_t tap = 0; tap < s_.taps(); ++tap) AddTap(tap);
    // Those of most pixels first: few are then the first to write some pixels, but not the first for others.
    std::stable_sort(taps_.begin(), taps_.end(),
                     [](const TapProduct& a, const TapProduct& b) { return a.count() > b.count(); });
    FindFirstOfPixels();
    ChooseParts();
  }

  Status Run(const float* a, const float* filter, float* result, ThreadPool& pool,
             Allocator& allocator) const override {
    const Grid grid = GridFor(pool.num_threads());
    std::atomic<bool> failed{false};
    pool.RunBlocks(grid.count(), [&](int64_t i) {
      if (!RunTile(grid.images.At(i / grid.vectors.count()), grid.ColumnsOf(i % grid.vectors.count(), columns()), a,
                   filter, result, allocator)) {
        failed.store(true, std::memory_order_relaxed);
      }
    });
    if (!failed.load(std::memory_order_relaxed)) return Status();
    return Error(Code::kResourceExhausted, "no memory for copies of the operands of a convolution");
  }

 private:
  class Parts;

  // How the result is cut into tiles.
  struct Grid {
    int64_t count() const { return images.count() * vectors.count(); }
    Range ColumnsOf(int64_t i, int64_t columns) const {
      const Range range = vectors.At(i);
      const int64_t begin = range.begin * kLanes<float>;
      return {begin, std::min(range.size * kLanes<float>, columns - begin)};
    }
    EvenRanges images;
    EvenRanges vectors;  // of columns
  };

  int64_t depth() const { return is_forward_ ? s_.in_channels : s_.out_channels; }
  int64_t columns() const { return is_forward_ ? s_.out_channels : s_.in_channels; }
  int64_t from_image() const { return is_forward_ ? s_.input_image() : s_.output_image(); }
  int64_t to_image() const { return is_forward_ ? s_.output_image() : s_.input_image(); }

  void AddTap(int64_t tap) {
    TapProduct product{tap * s_.in_channels * s_.out_channels, {}, false};
    TapPixels(s_, tap).ForEach(s_, [&](int64_t in, int64_t out) {
      const TapProduct::Pixel forward{in * s_.in_channels, out * s_.out_channels};
      product.pixels.push_back(is_forward_ ? forward : TapProduct::Pixel{forward.to, forward.from});
    });
    if (!product.pixels.empty()) taps_.push_back(std::move(product));
  }

  // Pixels of which some tap is not the first to write all that it writes, or which no tap writes, begin as zeros.
  void FindFirstOfPixels() {
    std::vector<bool> is_written(static_cast<size_t>(to_image() / columns()));
    int64_t all_written = 0;
    for (TapProduct& tap : taps_) {
      int64_t written = 0;
      for (const TapProduct::Pixel& pixel : tap.pixels) {
        auto at = is_written[static_cast<size_t>(pixel.to / columns())];
        written += at ? 1 : 0;
        at = true;
      }
      tap.continues = written > 0;
      all_written += tap.count() - written;
      if (written > 0 && written < tap.count()) begins_with_zeros_ = true;
    }
    if (all_written < static_cast<int64_t>(is_written.size())) begins_with_zeros_ = true;
    if (!begins_with_zeros_) return;
    for (TapProduct& tap : taps_) tap.continues = true;
  }

  // Passes over channels so short that the pixels of all images stay in the cache, if they need not be very short.
  void ChooseParts() {
    constexpr int64_t kLeastDepth = 256;
    const int64_t cached = CachedBytesOfA() / static_cast<int64_t>(sizeof(float));
    const int64_t pixels = taps_.empty() ? 1 : taps_[0].count();
    const int64_t most = std::clamp(cached / (pixels * s_.images), kLeastDepth, kMaxPackedDepth);
    part_depth_ = RoundUp<int64_t>(CeilDiv(depth(), CeilDiv(depth(), most)), kLanes<float>);
    most_part_images_ = std::clamp<int64_t>(cached / (pixels * part_depth_), 1, s_.images);
  }

  // Images first, where they are rows enough for copies of the whole filter. Bits are the same in any tiles.
  Grid GridFor(int64_t threads) const {
    constexpr int64_t kTileRows = 256;
    constexpr int64_t kTileVectors = kMaxVectors;
    const int64_t rows = s_.images * (taps_.empty() ? 0 : taps_[0].count());
    const int64_t vectors = CeilDiv<int64_t>(columns(), kLanes<float>);
    const int64_t in_images = std::clamp<int64_t>(rows / kTileRows, 1, std::min(threads, s_.images));
    const int64_t in_columns =
        std::clamp<int64_t>(threads / in_images, 1, std::max<int64_t>(1, vectors / kTileVectors));
    return {EvenRanges(s_.images, in_images), EvenRanges(vectors, in_columns)};
  }

  bool RunTile(Range images, Range columns, const float* a, const float* filter, float* result,
               Allocator& allocator) const;

  const bool is_forward_;
  const ConvShape s_;
  std::vector<TapProduct> taps_;  // that lead to a pixel, in the order in which their products are added
  bool begins_with_zeros_ = false;
  int64_t part_depth_ = 0;  // channels
  int64_t most_part_images_ = 0;
};

// The parts of a tile: some of its images under one tap after the other, then the next.
class TapProducts::Parts {
 public:
  Parts(const TapProducts& conv, Range images, Range columns, const float* a, const float* filter, float* result)
      : conv_(conv),
        chunks_(images.size, CeilDiv(images.size, conv.most_part_images_)),
        columns_(columns),
        a_(a + images.begin * conv.from_image()),
        filter_(filter),
        c_(result + images.begin * conv.to_image() + columns.begin) {}

  PackedPart First() const { return At(0, 0); }
  PackedPart After(const PackedPart& part) const {
    return part.depth.end() < conv_.depth() ? At(part.pass, part.depth.end()) : At(part.pass + 1, 0);
  }
  PanelCopy<float> CopyOfPanel(const PackedPart& part, Range columns, float* to, int64_t width) const {
    const MatrixView<const float> tap{filter_ + TapOf(part).filter, conv_.s_.out_channels, !conv_.is_forward_};
    return {tap.At(part.depth.begin, columns_.begin + columns.begin), part.depth.size, columns.size, to, width};
  }
  TileCopy<float> CopyOfTile(const PackedPart& part, Range rows, float* to) const {
    TileCopy<float> copy(rows.size, part.depth.size, to);
    const float* const from = a_ + part.depth.begin;
    ForRows(TapOf(part), rows, [&](int64_t i, int64_t image, const TapProduct::Pixel& pixel) {
      copy.SetRow(i, from + image * conv_.from_image() + pixel.from);
    });
    return copy;
  }
  void RowsOfC(const PackedPart& part, Range rows, int64_t column, float** to) const {
    ForRows(TapOf(part), rows, [&](int64_t i, int64_t image, const TapProduct::Pixel& pixel) {
      to[i] = c_ + image * conv_.to_image() + pixel.to + column;
    });
  }

 private:
  const TapProduct& TapOf(const PackedPart& part) const {
    return conv_.taps_[static_cast<size_t>(part.pass) % conv_.taps_.size()];
  }
  PackedPart At(int64_t pass, int64_t p) const {
    const auto taps = static_cast<int64_t>(conv_.taps_.size());
    if (pass == chunks_.count() * taps) return {};
    const TapProduct& tap = conv_.taps_[static_cast<size_t>(pass % taps)];
    const Range images = chunks_.At(pass / taps);
    const Range depth{p, std::min(conv_.part_depth_, conv_.depth() - p)};
    return {pass, {images.begin * tap.count(), images.size * tap.count()}, depth, tap.continues || p > 0, false};
  }
  template <class Row>
  void ForRows(const TapProduct& tap, Range rows, Row&& row) const {
    int64_t image = rows.begin / tap.count();
    int64_t pixel = rows.begin % tap.count();
    for (int64_t i = 0; i < rows.size; ++i) {
      row(i, image, tap.pixels[static_cast<size_t>(pixel)]);
      if (++pixel < tap.count()) continue;
      pixel = 0;
      ++image;
    }
  }

  const TapProducts& conv_;
  const EvenRanges chunks_;  // of the images
  const Range columns_;
  const float* const a_;
  const float* const filter_;
  float* const c_;
};

// False without memory.
bool TapProducts::RunTile(Range images, Range columns, const float* a, const float* filter, float* result,
                          Allocator& allocator) const {
  if (begins_with_zeros_) {
    for (int64_t i = images.begin * to_image(); i < images.end() * to_image(); i += this->columns()) {
      std::fill_n(result + i + columns.begin, columns.size, 0.0F);
    }
  }
  if (taps_.empty()) return true;
  const int64_t rows = std::min(images.size, most_part_images_) * taps_[0].count();
  const PackedSpace<float> space(rows, part_depth_);
  const GemmOutput<float> output;
  const Parts parts(*this, images, columns, a, filter, result);
  return WithScratch(space, allocator, [&](float* scratch) {
    PackedWalk<float, Parts>(parts, /*transposed_a=*/false, columns.size, output, /*segment=*/0, space, scratch).Run();
  });
}

// Of oneDNN's time on an Emerald Rapids, which puts the filter in order first and multiplies by some of the padding: by
// filters of 1,000 elements a pixel 0.85 to 0.95, of 10,000 0.7 to 0.8, on images of a few pixels 0.15 to 0.6; strided
// ones of 750 elements a pixel 0.94. By fewer, and of 64 channels, it is 1.05 to 2.
bool IsWorthProducts(ConvKind kind, const ConvShape& s) {
  constexpr int64_t kLeastChannels = 128;
  constexpr int64_t kFilterOfPixel = 1024;  // elements
  constexpr int64_t kFilterOfStridedPixel = 640;
  constexpr int64_t kWhole = kLanes<float>;
  const bool has_squares = s.in_channels % kWhole == 0 && s.out_channels % kWhole == 0;
  if (kind == ConvKind::kBackpropInput && !has_squares) return false;
  const int64_t worth = s.is_strided() ? kFilterOfStridedPixel : kFilterOfPixel;
  return std::min(s.in_channels, s.out_channels) >= kLeastChannels &&
         s.filter_size() / worth >= s.images * s.out_pixels();
}

}  // namespace

std::shared_ptr<const Conv<float>> MakeTapProducts(ConvKind kind, const ConvShape& shape) {
  if (shape.groups != 1 || shape.format.channels_first || !IsWorthProducts(kind, shape)) return nullptr;
  return std::make_shared<TapProducts>(kind, shape);
}

}  // namespace dfrun
