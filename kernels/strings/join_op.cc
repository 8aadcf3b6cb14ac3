#include <algorithm>
#include <set>

#include "kernels/array/int_values.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// Scalars and tensors of one shape.
Status JoinShape(InferenceContext& c) {
  PartialShape shape = PartialShape::Scalar();
  bool unknown = false;
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (!c.input(i).known_rank()) unknown = true;
    if (!c.input(i).known_rank() || c.input(i).rank() == 0) continue;
    DF_ASSIGN(shape, shape.rank() == 0 ? Result<PartialShape>(c.input(i)) : shape.Merge(c.input(i)));
  }
  c.set_output(0, unknown && shape.rank() == 0 ? PartialShape() : shape);
  return Status();
}

Status ReduceJoinShape(InferenceContext& c) {
  DF_ASSIGN(const bool keep_dims, c.attr<bool>("keep_dims"));
  if (c.input(1).rank() > 1) {
    return InvalidArgument("the reduction indices have shape ", c.input(1), ", but must be a vector or a scalar");
  }
  const PartialShape& input = c.input(0);
  if (!input.known_rank()) return Status();
  const Tensor* const axes = c.input_value(1);
  if (axes == nullptr) {
    if (keep_dims) c.set_output(0, PartialShape::UnknownOfRank(input.rank()));
    return Status();
  }
  std::set<int64_t> joined;
  for (int64_t axis : IntValues(*axes)) {
    DF_ASSIGN(const int64_t d, CanonicalAxis(axis, input.rank()));
    joined.insert(d);
  }
  PartialShape output = PartialShape::Scalar();
  for (int d = 0; d < input.rank(); ++d) {
    if (joined.count(d) == 0) {
      output.Append(input.dim(d));
    } else if (keep_dims) {
      output.Append(1);
    }
  }
  c.set_output(0, std::move(output));
  return Status();
}

}  // namespace

OP("StringJoin")
    .Input("inputs: N * string")
    .Output("output: string")
    .Attr("N: int >= 0")
    .Attr("separator: string = ''")
    .NotDifferentiable()
    .Shape(&JoinShape)
    .Doc("The strings of all inputs, element by element, with the separator between them; a scalar goes with each.");

OP("ReduceJoin")
    .Input("inputs: string")
    .Input("reduction_indices: int32")
    .Output("output: string")
    .Attr("keep_dims: bool = false")
    .Attr("separator: string = ''")
    .NotDifferentiable()
    .Shape(&ReduceJoinShape)
    .Doc("Joins the strings along dimensions, the first one named innermost.");

}  // namespace dfrun
