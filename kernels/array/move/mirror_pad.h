// Index arithmetic of mirrored borders: the element of a tensor at each position of its padded form, on any device.
#ifndef DFRUN_KERNELS_ARRAY_MOVE_MIRROR_PAD_H_
#define DFRUN_KERNELS_ARRAY_MOVE_MIRROR_PAD_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "src/framework/kernel/kernel.h"

namespace dfrun {

// The border of a dimension.
struct MirrorBorder {
  int64_t before = 0;
  int64_t after = 0;
  int64_t skipped = 0;  // 1: the first and the last slice are the mirrors and are not repeated (REFLECT)

  // The slice of an input of `size` that stands at `i` of the padded dimension.
  constexpr int64_t Source(int64_t i, int64_t size) const {
    if (i < before) return before - 1 - i + skipped;
    const int64_t at = i - before;
    return at < size ? at : 2 * size - 1 - at - skipped;
  }
  // Finds the positions of slice `i` of an input of `size` in the padded dimension, and returns their number: its own
  // comes first, then its mirrors before and behind the input.
  static constexpr int kMaxPlaces = 3;
  constexpr int PlacesOf(int64_t i, int64_t size, int64_t* places) const {
    int count = 0;
    places[count++] = before + i;
    const int64_t ahead = before - 1 - i + skipped;
    if (i >= skipped && ahead >= 0) places[count++] = ahead;
    const int64_t behind = before + 2 * size - 1 - i - skipped;
    if (i < size - skipped && behind < before + size + after) places[count++] = behind;
    return count;
  }
};

// Reads paddings [rank, 2]; InvalidArgument for another shape or negative ones.
Result<std::vector<MirrorBorder>> MirrorBorders(const Tensor& paddings, int rank, std::string_view mode);

// The size of a dimension with its border; InvalidArgument where there is not enough to mirror.
Result<int64_t> MirrorPaddedSize(int64_t size, const MirrorBorder& border);
// The size of a dimension without its border; InvalidArgument where no dimension has that border.
Result<int64_t> MirrorUnpaddedSize(int64_t size, const MirrorBorder& border);

// MirrorPad and its gradient.
class MirrorPadBase : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"paddings"};
  explicit MirrorPadBase(KernelSetup& setup) : mode_(setup.attr<std::string>("mode")) {}

 protected:
  // The borders that input 1 names, and input 0's shape with or without them, as `size_of` says.
  struct Plan {
    std::vector<MirrorBorder> borders;
    Shape shape;
  };
  Result<Plan> MakePlan(const OpContext& ctx,
                        Result<int64_t> (*size_of)(int64_t size, const MirrorBorder& border)) const;

 private:
  const std::string mode_;
};

// Elements are added up in a type of their own: 16-bit floating point in float; integers wrap around.
template <class T>
struct MirrorSumOf {
  using type = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
};
template <>
struct MirrorSumOf<bfloat16> {
  using type = float;
};
template <>
struct MirrorSumOf<float16> {
  using type = float;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_MOVE_MIRROR_PAD_H_
