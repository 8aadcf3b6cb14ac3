#include "kernels/checkpoint/tensor_slice.h"

#include <algorithm>

#include "kernels/array/copy/strided_copy.h"
#include "src/base/text.h"

namespace dfrun {
namespace {

std::vector<std::string_view> SplitAt(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

bool ParseSize(std::string_view text, int64_t& value) {
  value = ParseAs<int64_t>(text).value_or(-1);
  return value >= 0;
}

// "-" or "start,length" of a dimension.
bool ParseRange(std::string_view text, int64_t size, int64_t& start, int64_t& length) {
  start = 0;
  length = size;
  if (text == "-") return true;
  const size_t comma = text.find(',');
  return comma != std::string_view::npos && ParseSize(text.substr(0, comma), start) &&
         ParseSize(text.substr(comma + 1), length) && start <= size && length <= size - start;
}

// The offset of element 0 of `part` in a tensor that holds just `whole`.
int64_t Offset(const TensorSlice& part, const TensorSlice& whole, const std::vector<int64_t>& strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < strides.size(); ++d) offset += (part.start[d] - whole.start[d]) * strides[d];
  return offset;
}

}  // namespace

Result<TensorSlice> TensorSlice::Parse(std::string_view text) {
  const Status wrong = InvalidArgument("'", text, "' is no shape and slice, such as '4 5 0,2:-'");
  std::vector<std::string_view> words = SplitAt(text, ' ');
  const std::string_view ranges = words.back();
  words.pop_back();
  std::vector<int64_t> full(words.size());
  for (size_t d = 0; d < full.size(); ++d) {
    if (!ParseSize(words[d], full[d])) return wrong;
  }
  const std::vector<std::string_view> parts = ranges.empty() ? std::vector<std::string_view>() : SplitAt(ranges, ':');
  if (parts.size() != full.size()) return wrong;
  TensorSlice slice;
  DF_ASSIGN(slice.full, Shape::Create(full));
  slice.start.resize(full.size());
  slice.extent = slice.full;
  for (size_t d = 0; d < full.size(); ++d) {
    int64_t length = 0;
    if (!ParseRange(parts[d], full[d], slice.start[d], length)) return wrong;
    slice.extent.set_dim(static_cast<int>(d), length);
  }
  return slice;
}

TensorSlice TensorSlice::Whole(const Shape& full) {
  return {full, std::vector<int64_t>(static_cast<size_t>(full.rank()), 0), full};
}

std::string TensorSlice::ToString() const {
  std::string text;
  for (int64_t size : full.dims()) text += StrCat(size, " ");
  for (int d = 0; d < full.rank(); ++d) {
    if (d > 0) text += ":";
    const bool whole = start[static_cast<size_t>(d)] == 0 && extent[d] == full[d];
    text += whole ? "-" : StrCat(start[static_cast<size_t>(d)], ",", extent[d]);
  }
  return text;
}

std::optional<TensorSlice> Intersect(const TensorSlice& a, const TensorSlice& b) {
  TensorSlice common = a;
  for (int d = 0; d < a.full.rank(); ++d) {
    const auto i = static_cast<size_t>(d);
    const int64_t begin = std::max(a.start[i], b.start[i]);
    const int64_t end = std::min(a.start[i] + a.extent[d], b.start[i] + b.extent[d]);
    if (end <= begin) return std::nullopt;
    common.start[i] = begin;
    common.extent.set_dim(d, end - begin);
  }
  return common;
}

void CopyCommon(ThreadPool& pool, const TensorSlice& from_part, const Tensor& from, const TensorSlice& to_part,
                Tensor& to) {
  const std::optional<TensorSlice> common = Intersect(from_part, to_part);
  if (!common) return;
  const std::vector<int64_t> from_strides = RowMajorStrides(from_part.extent);
  const std::vector<int64_t> to_strides = RowMajorStrides(to_part.extent);
  std::vector<CopyDim> dims;
  dims.reserve(from_strides.size());
  for (int d = 0; d < common->full.rank(); ++d) {
    dims.push_back({common->extent[d], from_strides[static_cast<size_t>(d)], to_strides[static_cast<size_t>(d)]});
  }
  StridedCopy(pool, from.dtype(), ElementAt(from.raw(), from.dtype(), Offset(*common, from_part, from_strides)),
              ElementAt(to.raw(), to.dtype(), Offset(*common, to_part, to_strides)), std::move(dims));
}

}  // namespace dfrun
