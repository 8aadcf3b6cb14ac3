#include "kernels/math/elementwise/select.h"

#include <vector>

namespace dfrun {

Result<Shape> ConditionOfSelect(const Shape& condition, const Shape& t, const Shape& e) {
  if (!(t == e)) return InvalidArgument("Select between different shapes: ", t, " and ", e);
  if (condition.rank() == 0 || condition == t) return condition;
  if (condition.rank() != 1 || t.rank() == 0 || condition.dim(0) != t.dim(0))
    return InvalidArgument("Select: the condition ", condition, " does not choose rows of ", t);
  std::vector<int64_t> rows(static_cast<size_t>(t.rank()), 1);
  rows[0] = condition.dim(0);
  return Shape(std::span<const int64_t>(rows));
}

}  // namespace dfrun
