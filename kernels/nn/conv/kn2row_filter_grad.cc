#include "kernels/nn/conv/kn2row_filter_grad.h"

#include <algorithm>
#include <vector>

#include "kernels/gemm/packed_gemm.h"
#include "kernels/gemm/parallel_gemm.h"
#include "kernels/nn/conv/image_blocks.h"
#include "kernels/nn/conv/tap_pixels.h"
#include "src/framework/values/tensor.h"

namespace dfrun {
namespace {

// The rows of channels of those pixels, in the order of the output.
class TapRows {
 public:
  static Result<TapRows> Create(const ConvShape& s, const TapPixels& pixels, const float* x, const float* dy,
                                Allocator& allocator) {
    TapRows rows;
    rows.count_ = s.images * pixels.of_image();
    const int64_t entries = rows.count_ + kRowsBeyond<float>;  // length of a table
    constexpr auto kEntryBytes = static_cast<int64_t>(sizeof(const float*));
    DF_ASSIGN(rows.space_, Tensor::Allocate(allocator, DType::kUint8, Shape({2 * entries * kEntryBytes})));
    rows.Fill(s, pixels, x, dy);
    return rows;
  }
  RowTable<float> x() const { return table(); }
  RowTable<float> dy() const { return table() + count_ + kRowsBeyond<float>; }

 private:
  TapRows() = default;

  RowTable<float> table() const { return static_cast<RowTable<float>>(space_.raw()); }

  void Fill(const ConvShape& s, const TapPixels& p, const float* x, const float* dy) {
    auto** from = static_cast<const float**>(space_.raw());
    const float** with = from + count_ + kRowsBeyond<float>;
    for (int64_t i = 0; i < s.images; ++i, x += s.input_image(), dy += s.output_image()) {
      p.ForEach(s, [&](int64_t in, int64_t out) {
        *from++ = x + in * s.in_channels;
        *with++ = dy + out * s.out_channels;
      });
    }
    std::fill_n(from, kRowsBeyond<float>, from[-1]);
    std::fill_n(with, kRowsBeyond<float>, with[-1]);
  }

  Tensor space_;
  int64_t count_ = 0;
};

class Kn2rowFilterGrad final : public Conv<float> {
 public:
  explicit Kn2rowFilterGrad(const ConvShape& shape) : s_(shape) {}

  Status Run(const float* x, const float* dy, float* result, ThreadPool& pool, Allocator& allocator) const override {
    if (const int64_t parts = PixelParts(); parts > 1) return RunByPixels(parts, x, dy, result, pool, allocator);
    const Grid tiles = GridForThreads(Product(s_.images * s_.out_pixels()), pool.num_threads(), /*packed=*/true);
    std::vector<Status> statuses(static_cast<size_t>(s_.taps() * tiles.count()));
    pool.RunBlocks(s_.taps() * tiles.count(), [&](int64_t i) {
      statuses[static_cast<size_t>(i)] = RunTile(i / tiles.count(), tiles, i % tiles.count(), x, dy, result, allocator);
    });
    for (Status& status : statuses) DF_TRY(std::move(status));
    return Status();
  }

 private:
  GemmShape Product(int64_t pixels) const { return {s_.in_channels, pixels, s_.out_channels, true, false}; }

  Status RunTile(int64_t tap, const Grid& tiles, int64_t i, const float* x, const float* dy, float* result,
                 Allocator& allocator) const {
    const TapPixels pixels(s_, tap);
    const int64_t count = s_.images * pixels.of_image();
    const Grid::Tile tile = tiles.At(Product(count), i);
    const MatrixView<float> whole{result + tap * s_.in_channels * s_.out_channels, s_.out_channels, false};
    const MatrixView<float> c = whole.At(tile.row, tile.column);
    if (count == 0) {
      for (int64_t row = 0; row < tile.rows; ++row) std::fill_n(c.data + row * c.stride, tile.columns, 0.0F);
      return Status();
    }
    const PackedGemm<float> gemm(tile.rows, count, tile.columns, {});
    DF_ASSIGN(Tensor scratch, Tensor::Allocate(allocator, DType::kFloat, Shape({gemm.scratch_elements()})));
    if (IsEveryPixel()) {
      const MatrixView<const float> a{x, s_.in_channels, true};
      gemm.Run(a.At(tile.row, 0), {dy + tile.column, s_.out_channels, false}, c, scratch.data<float>());
    } else {
      DF_ASSIGN(const TapRows rows, TapRows::Create(s_, pixels, x, dy, allocator));
      gemm.Run(rows.x(), tile.row, rows.dy(), tile.column, c, scratch.data<float>());
    }
    return Status();
  }

  // Parts of the pixels whose products are added up, of a small filter: threads that had tiles of it would copy an
  // operand each. Two threads then take 0.55 of one's time, not 0.58.
  int64_t PixelParts() const {
    constexpr int64_t kSmallFilter = 1 << 16;  // elements
    constexpr int64_t kPartPixels = 2048;
    constexpr int64_t kMaxParts = 16;
    if (!IsEveryPixel() || s_.filter_size() > kSmallFilter) return 1;
    return std::clamp<int64_t>(s_.images * s_.out_pixels() / kPartPixels, 1, kMaxParts);
  }
  Status RunByPixels(int64_t parts, const float* x, const float* dy, float* result, ThreadPool& pool,
                     Allocator& allocator) const {
    const int64_t pixels = s_.images * s_.out_pixels();
    const int64_t size = s_.filter_size();
    DF_ASSIGN(Tensor partials, Tensor::Allocate(allocator, DType::kFloat, Shape({parts, size})));
    std::vector<Status> statuses(static_cast<size_t>(parts));
    pool.RunBlocks(parts, [&](int64_t i) {
      const int64_t first = i * pixels / parts;
      const int64_t count = (i + 1) * pixels / parts - first;
      statuses[static_cast<size_t>(i)] = RunPixels(count, x + first * s_.in_channels, dy + first * s_.out_channels,
                                                   partials.data<float>() + i * size, allocator);
    });
    for (Status& status : statuses) DF_TRY(std::move(status));
    AddPartials(partials.data<float>(), parts, size, result, pool);
    return Status();
  }
  Status RunPixels(int64_t count, const float* x, const float* dy, float* result, Allocator& allocator) const {
    const PackedGemm<float> gemm(s_.in_channels, count, s_.out_channels, {});
    DF_ASSIGN(Tensor scratch, Tensor::Allocate(allocator, DType::kFloat, Shape({gemm.scratch_elements()})));
    gemm.Run({x, s_.in_channels, true}, {dy, s_.out_channels, false}, {result, s_.out_channels, false},
             scratch.data<float>());
    return Status();
  }

  // One tap over all pixels, which are those of the output.
  bool IsEveryPixel() const {
    return s_.taps() == 1 && s_.depth.input == s_.depth.output && s_.height.input == s_.height.output &&
           s_.width.input == s_.width.output && s_.depth.stride == 1 && s_.height.stride == 1 && s_.width.stride == 1;
  }

  const ConvShape s_;
};

// True where packing the operands of a product costs less than it saves beside the library's convolution.
bool PaysForPacking(int64_t m, int64_t k, int64_t n) {
  constexpr int64_t kMinRows = 64;
  constexpr int64_t kMinColumns = 240;
  constexpr int64_t kMinWork = int64_t{1} << 26;
  // Half of that work is enough if a copied element is used that often, as a mean of both operands.
  constexpr double kUsesOfSquares = 160;
  if (m < kMinRows || n < kMinColumns) return false;
  const int64_t work = GemmShape{m, k, n}.work();
  const auto rows = static_cast<double>(m);
  const auto columns = static_cast<double>(n);
  return work >= kMinWork || (work >= kMinWork / 2 && rows * columns >= kUsesOfSquares * (rows + columns));
}

// The products' share of oneDNN's time on one thread: strided 3x3 convolutions 0.76 to 0.95; those of one tap 0.75 to
// 1.0 where there are not many more input channels than output channels; others 0.88 on images of 7x7, 1.06 of 14x14
// and more of larger ones. The gradient of a large filter over few pixels is left to oneDNN: it would wait for partial
// sums, or occupy one thread.
bool IsWorthProducts(const ConvShape& s) {
  constexpr int64_t kLargeFilter = 1 << 18;  // elements
  constexpr int64_t kFewPixels = 8192;
  const int64_t pixels = s.images * s.out_pixels();
  if (!PaysForPacking(s.in_channels, pixels, s.out_channels) || s.in_channels > 2 * s.out_channels) return false;
  return s.taps() == 1 || s.is_strided() || (s.filter_size() >= kLargeFilter && pixels <= kFewPixels);
}

}  // namespace

std::shared_ptr<const Conv<float>> MakeKn2rowFilterGrad(const ConvShape& shape) {
  if (shape.groups != 1 || shape.format.channels_first || !IsWorthProducts(shape)) return nullptr;
  return std::make_shared<Kn2rowFilterGrad>(shape);
}

}  // namespace dfrun
