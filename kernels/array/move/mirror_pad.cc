#include "kernels/array/move/mirror_pad.h"

#include "kernels/array/int_values.h"

namespace dfrun {

Result<std::vector<MirrorBorder>> MirrorBorders(const Tensor& paddings, int rank, std::string_view mode) {
  if (!(paddings.shape() == Shape({rank, 2})))
    return InvalidArgument("the paddings have shape ", paddings.shape(), ", but must be [", rank, ",2]");
  const std::vector<int64_t> values = IntValues(paddings);
  std::vector<MirrorBorder> borders;
  for (int d = 0; d < rank; ++d) {
    const int64_t before = values[2 * d];
    const int64_t after = values[2 * d + 1];
    if (before < 0 || after < 0)
      return InvalidArgument("paddings must not be negative, but those of dimension ", d, " are ", before, " and ",
                             after);
    borders.push_back({before, after, mode == "REFLECT" ? 1 : 0});
  }
  return borders;
}

Result<int64_t> MirrorPaddedSize(int64_t size, const MirrorBorder& border) {
  const int64_t most = size - border.skipped;
  if (border.before > most || border.after > most)
    return InvalidArgument("a dimension of ", size, " cannot be mirrored for paddings of ", border.before, " and ",
                           border.after, ": at most ", most);
  int64_t padded = 0;
  if (__builtin_add_overflow(size, border.before, &padded) || __builtin_add_overflow(padded, border.after, &padded))
    return InvalidArgument("a dimension of ", size, " with its paddings is beyond int64");
  return padded;
}

Result<int64_t> MirrorUnpaddedSize(int64_t size, const MirrorBorder& border) {
  int64_t both = 0;
  const bool overflow = __builtin_add_overflow(border.before, border.after, &both);
  const int64_t inside = overflow ? -1 : size - both;
  const int64_t most = inside - border.skipped;
  if (inside < 0 || border.before > most || border.after > most)
    return InvalidArgument("no dimension has size ", size, " after paddings of ", border.before, " and ", border.after);
  return inside;
}

Result<MirrorPadBase::Plan> MirrorPadBase::MakePlan(const OpContext& ctx,
                                                    Result<int64_t> (*size_of)(int64_t size,
                                                                               const MirrorBorder& border)) const {
  const Shape& x = ctx.input(0).shape();
  Plan plan;
  DF_ASSIGN(plan.borders, MirrorBorders(ctx.input(1), x.rank(), mode_));
  std::vector<int64_t> sizes;
  for (int d = 0; d < x.rank(); ++d) {
    DF_ASSIGN(const int64_t size, size_of(x.dim(d), plan.borders[d]));
    sizes.push_back(size);
  }
  DF_ASSIGN(plan.shape, Shape::Create(sizes));
  return plan;
}

}  // namespace dfrun
