#include "kernels/nn/conv/kn2row_conv.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>
#include <vector>

#include "kernels/gemm/overlapped_packing.h"
#include "kernels/gemm/parallel_gemm.h"
#include "kernels/nn/conv/tap_pixels.h"
#include "src/base/integers.h"

namespace dfrun {
namespace {

// The offset of a pixel that a tap leads to outside of the image.
constexpr int64_t kNowhere = -1;

// A tap's part of the filter and where it leads.
struct Tap {
  int64_t filter;           // elements before it
  int64_t pixels;           // number of an image's pixels that it leads from
  std::vector<int64_t> to;  // by the group's pixels: elements from the image's first, or kNowhere
};

// Taps that lead from the same pixels of an image, whose rows are copied once for all of them. Rows of a group: its
// pixels, each of all images.
struct TapGroup {
  // The pixel of a row. There are fewer rows than 2^32, and short divisions take half the time.
  static size_t PixelOf(int64_t row, int64_t images) {
    return static_cast<uint32_t>(row) / static_cast<uint32_t>(images);
  }
  // True where is(pixel) is for one of the rows.
  template <class Is>
  static bool AnyPixel(Range rows, int64_t images, Is&& is) {
    const size_t last = PixelOf(rows.end() - 1, images);
    for (size_t pixel = PixelOf(rows.begin, images); pixel <= last; ++pixel) {
      if (is(pixel)) return true;
    }
    return false;
  }
  bool LeadsFrom(size_t tap, Range rows, int64_t images) const {
    const std::vector<int64_t>& to = taps[tap].to;
    return AnyPixel(rows, images, [&](size_t pixel) { return to[pixel] != kNowhere; });
  }
  bool LedFromBefore(size_t tap, Range rows, int64_t images) const {
    return AnyPixel(rows, images, [&](size_t pixel) { return first_tap[pixel] < tap; });
  }

  std::vector<int64_t> from;      // elements from the image's first
  std::vector<Tap> taps;          // in the order in which their products are added
  std::vector<size_t> first_tap;  // by pixel, of those that lead from it
};

// A tap's product over some of the channels.
struct TapStep {
  const TapGroup* group;
  size_t tap;  // index in the group
  Range depth;
  bool continues;  // earlier steps have written all of the tap's pixels; else none
};

class Kn2rowConv final : public Conv<float> {
 public:
  Kn2rowConv(ConvKind kind, const ConvShape& shape) : is_forward_(kind == ConvKind::kForward), s_(shape) {
    ChooseGroups();
    // Bits depend on it.
    const int64_t passes = CeilDiv(depth(), kPackedDepth);
    part_depth_ = RoundUp<int64_t>(CeilDiv(depth(), passes), kLanes<float>);
    const int64_t image_bytes = most_pixels() * part_depth_ * static_cast<int64_t>(sizeof(float));
    most_part_images_ =
        std::clamp<int64_t>(kCaches * PackedBytesOfA() / image_bytes, 1, std::max<int64_t>(1, s_.images));
    MakeSteps();
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

  // The size of the rows copied at a time, in second-level caches: each copy of the filter is used for more of them,
  // and rows are prefetched.
  static constexpr int64_t kCaches = 4;

  // The tiles of a result: ranges of images by ranges of vectors of its columns.
  struct Grid {
    int64_t count() const { return images.count() * vectors.count(); }
    Range ColumnsOf(int64_t i, int64_t columns) const {
      const Range range = vectors.At(i);
      const int64_t begin = range.begin * kLanes<float>;
      return {begin, std::min(range.size * kLanes<float>, columns - begin)};
    }
    EvenRanges images;
    EvenRanges vectors;  // vectors of columns
  };

  int64_t depth() const { return is_forward_ ? s_.in_channels : s_.out_channels; }
  int64_t columns() const { return is_forward_ ? s_.out_channels : s_.in_channels; }
  int64_t from_image() const { return is_forward_ ? s_.input_image() : s_.output_image(); }
  int64_t to_image() const { return is_forward_ ? s_.output_image() : s_.input_image(); }
  // The number of pixels of the largest group.
  int64_t most_pixels() const {
    int64_t most = 1;
    for (const TapGroup& group : groups_) most = std::max(most, static_cast<int64_t>(group.from.size()));
    return most;
  }

  // The number of a tap's group. A gradient has one group, since all taps lead from the same outputs; of a forward
  // convolution, taps lead from the same inputs where they are whole strides apart.
  int64_t GroupOfTap(int64_t tap) const {
    if (!is_forward_) return 0;
    const int64_t width = tap % s_.width.size * s_.width.dilation % s_.width.stride;
    const int64_t height = tap / s_.width.size % s_.height.size * s_.height.dilation % s_.height.stride;
    const int64_t depth = tap / (s_.width.size * s_.height.size) * s_.depth.dilation % s_.depth.stride;
    return (depth * s_.height.stride + height) * s_.width.stride + width;
  }

  // Tiles hold rows that some taps do not lead from, which are multiplied for nothing: many where images are few and
  // their edges long. Each tap is then a group.
  void ChooseGroups() {
    groups_ = MakeGroups(/*shared=*/true);
    std::vector<TapGroup> alone = MakeGroups(/*shared=*/false);
    if (Cost(alone) < Cost(groups_)) groups_ = std::move(alone);
  }
  // The cost of groups, in multiplications of a row by a column.
  int64_t Cost(const std::vector<TapGroup>& groups) const {
    constexpr int64_t kColumnsOfCopy = 16;  // take as long as a row's copy
    int64_t cost = 0;
    for (const TapGroup& group : groups) {
      const int64_t rows = s_.images * static_cast<int64_t>(group.from.size());
      const EvenRanges tiles(rows, CeilDiv<int64_t>(rows, kBlockRows));
      cost += rows * kColumnsOfCopy;
      for (size_t tap = 0; tap < group.taps.size(); ++tap) {
        for (int64_t i = 0; i < tiles.count(); ++i) {
          const Range tile = tiles.At(i);
          if (group.LeadsFrom(tap, tile, s_.images)) cost += tile.size * columns();
        }
      }
    }
    return cost;
  }

  std::vector<TapGroup> MakeGroups(bool shared) const {
    std::map<int64_t, std::vector<int64_t>> taps_of_groups;
    for (int64_t tap = 0; tap < s_.taps(); ++tap) {
      if (TapPixels(s_, tap).of_image() > 0) taps_of_groups[shared ? GroupOfTap(tap) : tap].push_back(tap);
    }
    std::vector<TapGroup> groups;
    groups.reserve(taps_of_groups.size());
    for (auto& [group, taps] : taps_of_groups) groups.push_back(MakeGroup(taps));
    // Groups of many pixels come first: then few later taps are the first to write some of their pixels but not all.
    std::stable_sort(groups.begin(), groups.end(),
                     [](const TapGroup& a, const TapGroup& b) { return a.taps[0].pixels > b.taps[0].pixels; });
    return groups;
  }

  TapGroup MakeGroup(std::vector<int64_t>& taps) const {
    std::stable_sort(taps.begin(), taps.end(),
                     [&](int64_t a, int64_t b) { return TapPixels(s_, a).of_image() > TapPixels(s_, b).of_image(); });
    // The target of each tap, by the pixel that the taps lead from.
    std::map<int64_t, std::vector<int64_t>> targets;
    for (size_t i = 0; i < taps.size(); ++i) {
      TapPixels(s_, taps[i]).ForEach(s_, [&](int64_t in, int64_t out) {
        const int64_t input = in * s_.in_channels;
        const int64_t output = out * s_.out_channels;
        std::vector<int64_t>& to = targets[is_forward_ ? input : output];
        to.resize(taps.size(), kNowhere);
        to[i] = is_forward_ ? output : input;
      });
    }
    TapGroup group;
    for (const auto& [from, to] : targets) group.from.push_back(from);
    // Pixels of the same taps lie together, the first tap's before others, with the first tile: a tile of rows is
    // multiplied if a tap leads from one of them.
    std::stable_sort(group.from.begin(), group.from.end(), [&](int64_t a, int64_t b) {
      const std::vector<int64_t>& a_to = targets[a];
      const std::vector<int64_t>& b_to = targets[b];
      return std::lexicographical_compare(a_to.begin(), a_to.end(), b_to.begin(), b_to.end(),
                                          [](int64_t x, int64_t y) { return x != kNowhere && y == kNowhere; });
    });
    for (size_t i = 0; i < taps.size(); ++i) {
      Tap tap{taps[i] * s_.in_channels * s_.out_channels, TapPixels(s_, taps[i]).of_image(), {}};
      for (const int64_t from : group.from) tap.to.push_back(targets[from][i]);
      group.taps.push_back(std::move(tap));
    }
    for (const int64_t from : group.from) {
      const std::vector<int64_t>& to = targets[from];
      const auto first = std::find_if(to.begin(), to.end(), [](int64_t target) { return target != kNowhere; });
      group.first_tap.push_back(static_cast<size_t>(first - to.begin()));
    }
    return group;
  }

  // The order in which products are added. Pixels of which some tap is not the first to write all that it writes, or
  // which no tap writes, begin as zeros.
  void MakeSteps() {
    std::vector<bool> is_written(static_cast<size_t>(to_image() / columns()));
    int64_t all_written = 0;
    for (const TapGroup& group : groups_) {
      for (int64_t p = 0; p < depth(); p += part_depth_) {
        for (size_t tap = 0; tap < group.taps.size(); ++tap) {
          int64_t written = 0;
          for (const int64_t to : group.taps[tap].to) {
            if (to == kNowhere) continue;
            auto at = is_written[static_cast<size_t>(to / columns())];
            written += at ? 1 : 0;
            at = true;
          }
          const int64_t pixels = group.taps[tap].pixels;
          steps_.push_back({&group, tap, {p, std::min(part_depth_, depth() - p)}, written > 0});
          all_written += pixels - written;
          if (written > 0 && written < pixels) begins_with_zeros_ = true;
        }
      }
    }
    if (all_written < static_cast<int64_t>(is_written.size())) begins_with_zeros_ = true;
    if (!begins_with_zeros_) return;
    for (TapStep& step : steps_) step.continues = true;
  }

  // The tiles for `threads` threads. Each tile copies its images and its part of the filter, so the larger of the two
  // is divided, until parts are small. Bits are the same in any tiles.
  Grid GridFor(int64_t threads) const {
    constexpr int64_t kMinRows = 256;
    constexpr int64_t kMinVectors = kMaxVectors;
    const int64_t rows = s_.images * (groups_.empty() ? 0 : groups_[0].taps[0].pixels);
    const int64_t vectors = CeilDiv<int64_t>(columns(), kLanes<float>);
    const int64_t most_in_images = std::clamp<int64_t>(rows / kMinRows, 1, std::max<int64_t>(1, s_.images));
    const int64_t most_in_columns = std::max<int64_t>(1, vectors / kMinVectors);
    int64_t in_images = 1;
    int64_t in_columns = 1;
    if (s_.images * from_image() > s_.filter_size()) {
      in_images = std::min(threads, most_in_images);
      in_columns = std::clamp<int64_t>(threads / in_images, 1, most_in_columns);
    } else {
      in_columns = std::min(threads, most_in_columns);
      in_images = std::clamp<int64_t>(threads / in_columns, 1, most_in_images);
    }
    return {EvenRanges(s_.images, in_images), EvenRanges(vectors, in_columns)};
  }

  bool RunTile(Range images, Range columns, const float* a, const float* filter, float* result,
               Allocator& allocator) const;

  const bool is_forward_;
  const ConvShape s_;
  std::vector<TapGroup> groups_;
  std::vector<TapStep> steps_;  // for some of the images, in order
  bool begins_with_zeros_ = false;
  int64_t part_depth_ = 0;  // channels
  int64_t most_part_images_ = 0;
};

// The parts of a tile: some of its images in all steps, then the next.
class Kn2rowConv::Parts {
 public:
  struct Part : PackedPart {
    const Tap& tap() const { return step->group->taps[step->tap]; }

    int64_t index;
    const TapStep* step;
    Range images;
  };

  Parts(const Kn2rowConv& conv, Range images, Range columns, const float* a, const float* filter, float* result)
      : conv_(conv),
        chunks_(images.size, CeilDiv(images.size, conv.most_part_images_)),
        columns_(columns),
        a_(a + images.begin * conv.from_image()),
        filter_(filter),
        c_(result + images.begin * conv.to_image() + columns.begin) {}

  Part First() const { return At(0); }
  Part After(const Part& part) const { return At(part.index + 1); }
  PanelPacker<float> PackerOfPanel(const Part& part, Range columns, float* to, int64_t width) const {
    const MatrixView<const float> tap{filter_ + part.tap().filter, conv_.s_.out_channels, !conv_.is_forward_};
    return {tap.At(part.depth.begin, columns_.begin + columns.begin), part.depth.size, columns.size, to, width};
  }
  TilePacker<float> PackerOfTile(const Part& part, Range rows, float* to) const {
    TilePacker<float> copy(rows.size, part.depth.size, to);
    const float* const from = a_ + part.depth.begin;
    ForRows(part, rows, [&](int64_t i, int64_t image, size_t pixel) {
      copy.SetRow(i, from + image * conv_.from_image() + part.step->group->from[pixel]);
    });
    return copy;
  }
  void RowsOfC(const Part& part, Range rows, int64_t column, float** to) const {
    if (rows.size == 0) return;
    const std::vector<int64_t>& pixels = part.tap().to;
    ForRows(part, rows, [&](int64_t i, int64_t image, size_t pixel) {
      to[i] = pixels[pixel] == kNowhere ? nowhere_ : c_ + image * conv_.to_image() + pixels[pixel] + column;
    });
  }
  bool UsesTile(const Part& part, Range rows) const {
    return part.step->group->LeadsFrom(part.step->tap, rows, part.images.size);
  }
  bool KeepsTile(const Part& part, Range rows) const {
    return part.step->group->LedFromBefore(part.step->tap, rows, part.images.size);
  }

 private:
  Part At(int64_t index) const {
    const auto steps = static_cast<int64_t>(conv_.steps_.size());
    Part part{};
    if (index == chunks_.count() * steps) return part;
    part.index = index;
    part.step = &conv_.steps_[static_cast<size_t>(index % steps)];
    part.images = chunks_.At(index / steps);
    part.rows = {0, part.images.size * static_cast<int64_t>(part.step->group->from.size())};
    part.used_rows = part.images.size * part.tap().pixels;
    part.depth = part.step->depth;
    part.continues = part.step->continues;
    part.keeps_tiles = part.step->tap > 0;
    return part;
  }
  template <class Row>
  void ForRows(const Part& part, Range rows, Row&& row) const {
    size_t pixel = TapGroup::PixelOf(rows.begin, part.images.size);
    int64_t image = rows.begin - static_cast<int64_t>(pixel) * part.images.size;
    for (int64_t i = 0; i < rows.size; ++i) {
      row(i, part.images.begin + image, pixel);
      if (++image < part.images.size) continue;
      image = 0;
      ++pixel;
    }
  }

  const Kn2rowConv& conv_;
  const EvenRanges chunks_;  // ranges of images
  const Range columns_;
  const float* const a_;
  const float* const filter_;
  float* const c_;
  alignas(64) mutable float nowhere_[kPanelColumns<float>]{};  // a row of C that does not count
};

// False without memory.
bool Kn2rowConv::RunTile(Range images, Range columns, const float* a, const float* filter, float* result,
                         Allocator& allocator) const {
  if (begins_with_zeros_) {
    for (int64_t i = images.begin * to_image(); i < images.end() * to_image(); i += this->columns()) {
      std::fill_n(result + i + columns.begin, columns.size, 0.0F);
    }
  }
  if (steps_.empty()) return true;
  const PackedSpace<float> space(std::min(images.size, most_part_images_) * most_pixels(), part_depth_);
  const Epilogue<float> epilogue;
  const Parts parts(*this, images, columns, a, filter, result);
  return WithScratch<float>(space.scratch_elements(), allocator, [&](float* scratch) {
    OverlappedPacking<float, Parts> policy(parts, /*transposed_a=*/false, columns.size, epilogue, space, scratch);
    RunLoopNest(policy);
  });
}

// The products' share of oneDNN's time on an Emerald Rapids, where oneDNN reorders the filter first and multiplies by
// some of the padding: with filters of 1,000 elements a pixel 0.85 to 0.95, of 10,000 0.7 to 0.8, on images of a few
// pixels 0.15 to 0.6; strided ones of 750 elements a pixel 0.94. With smaller filters, and with 64 channels, it is 1.05
// to 2.
bool IsWorthProducts(ConvKind kind, const ConvShape& s) {
  constexpr int64_t kMinChannels = 128;
  constexpr int64_t kFilterOfPixel = 1024;  // elements
  constexpr int64_t kFilterOfStridedPixel = 640;
  constexpr int64_t kWhole = kLanes<float>;
  const bool has_squares = s.in_channels % kWhole == 0 && s.out_channels % kWhole == 0;
  if (kind == ConvKind::kBackpropInput && !has_squares) return false;
  const int64_t worth = s.is_strided() ? kFilterOfStridedPixel : kFilterOfPixel;
  return std::min(s.in_channels, s.out_channels) >= kMinChannels &&
         s.filter_size() / worth >= s.images * s.out_pixels();
}

}  // namespace

std::shared_ptr<const Conv<float>> MakeKn2rowConv(ConvKind kind, const ConvShape& shape) {
  if (shape.groups != 1 || shape.format.channels_first || !IsWorthProducts(kind, shape)) return nullptr;
  return std::make_shared<Kn2rowConv>(kind, shape);
}

}  // namespace dfrun
