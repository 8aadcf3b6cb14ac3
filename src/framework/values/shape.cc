#include "src/framework/values/shape.h"

#include <algorithm>

namespace dfrun {
namespace {

std::string InBrackets(std::span<const int64_t> dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ',';
    text += dims[i] == PartialShape::kUnknown ? "?" : std::to_string(dims[i]);
  }
  return text + "]";
}

}  // namespace

Shape::Shape(std::span<const int64_t> dims) : rank_(static_cast<uint8_t>(dims.size())) {
  DF_CHECK(dims.size() <= kMaxRank);
  if (rank_ > kInlineDims) heap_ = new int64_t[rank_];
  std::copy(dims.begin(), dims.end(), data());
}

void Shape::CopyHeap(const Shape& other) {
  rank_ = other.rank_;
  heap_ = new int64_t[rank_];
  std::copy(other.heap_, other.heap_ + rank_, heap_);
}

Result<Shape> Shape::Create(std::span<const int64_t> dims) {
  if (dims.size() > kMaxRank) return InvalidArgument("a shape of rank ", dims.size(), ": at most ", kMaxRank);
  int64_t product = 1;
  bool overflow = false;
  for (int64_t d : dims) {
    if (d < 0) return InvalidArgument("a shape with the negative size ", d, ": ", InBrackets(dims));
    // Sizes of 0 do not count, since kernels multiply any of the others.
    overflow |= __builtin_mul_overflow(product, std::max<int64_t>(d, 1), &product);
  }
  if (overflow) return InvalidArgument("a shape whose sizes multiply to 2^63 or more: ", InBrackets(dims));
  return Shape(dims);
}

std::string Shape::ToString() const {
  return InBrackets(dims());
}

bool PartialShape::IsFullyDefined() const {
  return known_rank_ && std::all_of(dims_.begin(), dims_.end(), [](int64_t d) { return d != kUnknown; });
}

int64_t PartialShape::num_elements() const {
  if (!IsFullyDefined()) return kUnknown;
  int64_t n = 1;
  for (int64_t d : dims_) {
    if (__builtin_mul_overflow(n, d, &n)) return kUnknown;
  }
  return n;
}

Result<Shape> PartialShape::ToShape() const {
  if (!IsFullyDefined()) return InvalidArgument("the shape ", ToString(), " is not fully known");
  return Shape::Create(dims_);
}

bool PartialShape::IsCompatibleWith(const PartialShape& other) const {
  if (!known_rank_ || !other.known_rank_) return true;
  if (dims_.size() != other.dims_.size()) return false;
  for (size_t i = 0; i < dims_.size(); ++i) {
    if (dims_[i] != kUnknown && other.dims_[i] != kUnknown && dims_[i] != other.dims_[i]) return false;
  }
  return true;
}

Result<PartialShape> PartialShape::Merge(const PartialShape& other) const {
  if (!IsCompatibleWith(other)) return InvalidArgument("shapes ", ToString(), " and ", other.ToString(), " differ");
  if (!known_rank_) return other;
  if (!other.known_rank_) return *this;
  PartialShape merged = *this;
  for (size_t i = 0; i < dims_.size(); ++i) {
    if (dims_[i] == kUnknown) merged.dims_[i] = other.dims_[i];
  }
  return merged;
}

std::string PartialShape::ToString() const {
  return known_rank_ ? InBrackets(dims_) : "<unknown>";
}

}  // namespace dfrun
