#include "kernels/array/copy/axis_copy.h"

#include <algorithm>
#include <cstring>

#include "kernels/array/copy/strided_copy.h"

namespace dfrun {
namespace {

// Bytes that one thread copies at least.
constexpr int64_t kBlockBytes = int64_t{1} << 17;
// Shorter runs are not worth a call each.
constexpr int64_t kMinRunBytes = 64;

}  // namespace

bool AxisParts::AreCopiedByRows() const {
  const auto size = static_cast<int64_t>(DTypeSize(dtype_));
  return IsPlain(dtype_) && split_.outer > 1 && parts_.size() > 1 &&
         std::all_of(parts_.begin(), parts_.end(), [&](const Part& p) { return p.run * size >= kMinRunBytes; });
}

// The whole is copied in memory order, which suits the CPU's prefetchers: in a part by part copy rows are pages apart.
void AxisParts::CopyRows(ThreadPool& pool, std::byte* whole, bool into_whole) const {
  const auto size = static_cast<int64_t>(DTypeSize(dtype_));
  const int64_t block = std::max<int64_t>(1, kBlockBytes / (row_ * size));
  pool.ParallelFor(split_.outer, block, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      std::byte* at = whole + row * row_ * size;
      for (const Part& part : parts_) {
        const int64_t bytes = part.run * size;
        std::byte* const of_part = part.data + row * bytes;
        std::memcpy(into_whole ? at : of_part, into_whole ? of_part : at, static_cast<size_t>(bytes));
        at += bytes;
      }
    }
  });
}

void AxisParts::Copy(ThreadPool& pool, const Tensor& whole, bool into_whole) const {
  auto* const data = static_cast<std::byte*>(const_cast<void*>(whole.raw()));
  if (whole.num_elements() == 0) return;
  if (AreCopiedByRows()) return CopyRows(pool, data, into_whole);
  int64_t begin = 0;
  for (const Part& part : parts_) {
    void* const at = ElementAt(data, dtype_, begin);
    if (into_whole) {
      StridedCopy(pool, dtype_, part.data, at, {{split_.outer, part.run, row_}, {part.run, 1, 1}});
    } else {
      StridedCopy(pool, dtype_, at, part.data, {{split_.outer, row_, part.run}, {part.run, 1, 1}});
    }
    begin += part.run;
  }
}

}  // namespace dfrun
