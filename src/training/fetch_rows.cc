#include "src/training/fetch_rows.h"

namespace dfrun {
namespace {

bool KnowsRows(const PartialShape& shape) {
  return shape.known_rank() && (shape.rank() == 0 || shape.dim(0) >= 0);
}

bool HasRows(const ShapeAtBatch& at) {
  return at.shape.rank() > 0 && at.shape.dim(0) == at.samples;
}

// Whether the sizes behind the first may be the same in both.
bool HaveSameRows(const PartialShape& a, const PartialShape& b) {
  if (a.rank() != b.rank()) return false;
  for (int i = 1; i < a.rank(); ++i) {
    if (a.dim(i) >= 0 && b.dim(i) >= 0 && a.dim(i) != b.dim(i)) return false;
  }
  return true;
}

}  // namespace

FetchRows RowsByShapes(const ShapeAtBatch& at, const std::optional<ShapeAtBatch>& other, bool reads_samples) {
  if (!KnowsRows(at.shape)) return FetchRows::kUnknown;
  if (!HasRows(at)) return FetchRows::kOther;
  if (!other) return reads_samples ? FetchRows::kSamples : FetchRows::kOther;
  if (!KnowsRows(other->shape)) return FetchRows::kUnknown;
  return HasRows(*other) && HaveSameRows(at.shape, other->shape) ? FetchRows::kSamples : FetchRows::kOther;
}

}  // namespace dfrun
