#include "src/framework/op/inference.h"

#include <algorithm>

namespace dfrun {

Result<PartialShape> InferenceContext::WithRank(int i, int rank) const {
  const PartialShape& shape = input(i);
  if (!shape.known_rank()) return PartialShape::UnknownOfRank(rank);
  if (shape.rank() != rank)
    return InvalidArgument("input ", i, " has shape ", shape, ", but rank ", rank, " is needed");
  return shape;
}

Result<PartialShape> InferenceContext::WithRankAtLeast(int i, int rank) const {
  const PartialShape& shape = input(i);
  if (shape.known_rank() && shape.rank() < rank) {
    return InvalidArgument("input ", i, " has shape ", shape, ", but rank ", rank, " or more is needed");
  }
  return shape;
}

ShapeFn SameAsInput(int i) {
  return [i](InferenceContext& c) {
    for (int o = 0; o < c.num_outputs(); ++o) c.set_output(o, c.input(i));
    return Status();
  };
}

ShapeFn ScalarOutputs() {
  return [](InferenceContext& c) {
    for (int o = 0; o < c.num_outputs(); ++o) c.set_output(o, PartialShape::Scalar());
    return Status();
  };
}

ShapeFn BroadcastOfInputs() {
  return [](InferenceContext& c) -> Status {
    DF_ASSIGN(PartialShape shape, BroadcastShapes(c.input(0), c.input(1)));
    c.set_output(0, std::move(shape));
    return Status();
  };
}

ShapeFn SameAsHandle(int i) {
  return [i](InferenceContext& c) {
    for (int o = 0; o < c.num_outputs(); ++o) c.set_output(o, c.handle_shape(i));
    return Status();
  };
}

ShapeFn UnknownOutputs() {
  return [](InferenceContext&) { return Status(); };
}

ShapeFn ShapeFromAttr(std::string attr) {
  return [attr = std::move(attr)](InferenceContext& c) -> Status {
    DF_ASSIGN(PartialShape shape, c.attr<PartialShape>(attr));
    for (int o = 0; o < c.num_outputs(); ++o) c.set_output(o, shape);
    return Status();
  };
}

Result<PartialShape> BroadcastShapes(const PartialShape& a, const PartialShape& b) {
  if (!a.known_rank() || !b.known_rank()) return PartialShape();
  const int rank = std::max(a.rank(), b.rank());
  PartialShape out = PartialShape::UnknownOfRank(rank);
  for (int i = 0; i < rank; ++i) {
    const int ia = a.rank() - rank + i;
    const int ib = b.rank() - rank + i;
    const int64_t da = ia < 0 ? 1 : a.dim(ia);
    const int64_t db = ib < 0 ? 1 : b.dim(ib);
    if (da == db || db == 1) {
      out.set_dim(i, da);
    } else if (da == 1) {
      out.set_dim(i, db);
    } else if (da == PartialShape::kUnknown || db == PartialShape::kUnknown) {
      out.set_dim(i, std::max(da, db));  // the known one: the unknown is it or 1
    } else {
      return InvalidArgument("shapes ", a, " and ", b, " do not broadcast: ", da, " against ", db);
    }
  }
  return out;
}

Result<int64_t> CanonicalAxis(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) {
    return InvalidArgument("axis ", axis, " is out of range for rank ", rank, ": it must be in [", -rank, ", ", rank,
                           ")");
  }
  return axis < 0 ? axis + rank : axis;
}

}  // namespace dfrun
