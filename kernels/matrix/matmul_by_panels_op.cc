#include "src/framework/inference.h"
#include "src/framework/op.h"

namespace dfrun {
namespace {

Status PanelsShape(InferenceContext& c) {
  DF_TRY(c.WithRank(0, 2).status());
  c.set_output(0, PartialShape({-1}));  // whole vectors of this machine
  return Status();
}

Status ByPanelsShape(InferenceContext& c) {
  DF_ASSIGN(const PartialShape a, c.WithRank(0, 2));
  DF_TRY(c.WithRank(1, 1).status());
  DF_ASSIGN(const int64_t columns, c.attr<int64_t>("columns"));
  DF_ASSIGN(const int64_t places, c.attr<int64_t>("num_places"));
  if (places > 1) return InvalidArgument("rows are added by one tensor of places, not ", places);
  c.set_output(0, PartialShape({a.dim(0), columns}));
  return Status();
}

OP("_MatMulPanels")
    .Input("b: T")
    .Output("panels: T")
    .Attr("transpose_b: bool = false")
    .Attr("T: {float, double}")
    .Shape(&PanelsShape)
    .NotDifferentiable()
    .Doc("A matrix in the order in which products read it, for many of them: made when a graph is optimised.");

OP("_MatMulByPanels")
    .Input("a: T")
    .Input("panels: T")
    .Input("args: num_args * T")
    .Input("places: num_places * int32")
    .Output("product: T")
    .Attr("columns: int >= 1")
    .Attr("T: {float, double}")
    .Attr("num_args: int >= 0")
    .Attr("num_places: int >= 0 = 0")
    .Attr("first_place: int >= 0 = 0")
    .Attr("place_step: int >= 1 = 1")
    .Attr("fused_ops: list(string) = []")
    .Shape(&ByPanelsShape)
    .NotDifferentiable()
    .Doc(
        "_FusedMatMul by a matrix of so many columns that _MatMulPanels has put in order, or the sum of a MatMul and, "
        "for each row, the row of a matrix that the next of places says: made when a graph is optimised.");

}  // namespace
}  // namespace dfrun
