#include "src/graph/partial_constant.h"

#include <utility>

namespace dfrun {

bool PartialConstant::complete() const {
  return tensor.initialized();
}

PartialShape PartialConstant::AsShape() const {
  std::vector<int64_t> dims;
  for (const Element& e : elements) dims.push_back(e && *e >= 0 ? *e : PartialShape::kUnknown);
  return PartialShape(std::move(dims));
}

}  // namespace dfrun
