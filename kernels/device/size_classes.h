// Block sizes of the CPU pool.
//
// Up to 1 KiB in steps of a cache line, then four sizes a doubling, each with some lines added: a tensor of a power of
// two plus its header fits without waste, and neighbours do not start at the same offset in a page, where loads and
// stores of equal low address bits would stall each other.
#ifndef DFRUN_KERNELS_DEVICE_SIZE_CLASSES_H_
#define DFRUN_KERNELS_DEVICE_SIZE_CLASSES_H_

#include <array>
#include <bit>
#include <cstddef>

namespace dfrun::pool {

inline constexpr size_t kLine = 64;
inline constexpr size_t kFineLimit = 1024;  // bytes up to which classes are lines apart
inline constexpr size_t kFineClasses = kFineLimit / kLine;
inline constexpr int kFirstDoubling = 9;    // the first coarse class is just above 2^9
inline constexpr int kThreadDoublings = 9;  // up to 256 KiB: cached by threads
inline constexpr int kDoublings = 13;       // up to 4 MiB: carved from segments
inline constexpr size_t kThreadClasses = kFineClasses + 4 * kThreadDoublings;
inline constexpr size_t kClasses = kFineClasses + 4 * kDoublings;

// Lines added to a coarse class whose power-of-two part is `bytes`: odd, so that all offsets in a page occur, and
// several, so that a store does not meet the loads a line or two ahead of it. At most 7% of the block.
constexpr size_t StaggerLines(size_t bytes) {
  if (bytes < 4096) return 1;
  return bytes < 16384 ? 5 : 17;
}

// The class of a block of `bytes` > 0; kClasses or more where it is too large for one.
constexpr size_t SizeClass(size_t bytes) {
  if (bytes <= kFineLimit) return (bytes - 1) / kLine;
  const size_t last = bytes - kLine - 1;
  const int doubling = std::bit_width(last) - 1;
  const size_t quarter = (last >> (doubling - 2)) & 3;
  return kFineClasses + static_cast<size_t>(doubling - kFirstDoubling) * 4 + quarter;
}

constexpr size_t ComputeClassBytes(size_t index) {
  if (index < kFineClasses) return (index + 1) * kLine;
  const size_t doubling = kFirstDoubling + (index - kFineClasses) / 4;
  const size_t quarters = 5 + (index - kFineClasses) % 4;
  const size_t bytes = (quarters << doubling) / 4;
  return bytes + StaggerLines(bytes) * kLine;
}

inline constexpr std::array<size_t, kClasses> kClassBytes = [] {
  std::array<size_t, kClasses> bytes{};
  for (size_t i = 0; i < kClasses; ++i) bytes[i] = ComputeClassBytes(i);
  return bytes;
}();

}  // namespace dfrun::pool

#endif  // DFRUN_KERNELS_DEVICE_SIZE_CLASSES_H_
