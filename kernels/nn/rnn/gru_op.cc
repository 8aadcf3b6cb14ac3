#include "kernels/nn/rnn/recurrent_gradient.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

// The cost of the products with both weights, and of flops_a_cell operations an element of the state.
CostFn GruCost(double flops_a_cell) {
  return [flops_a_cell](const CostContext& c) {
    const double rows = c.input_dim(0, 0);
    return WholeCost(c, 2 * rows * (c.input_elements(2) + c.input_elements(3)) + flops_a_cell * c.input_elements(1));
  };
}

void CellInputs(OpBuilder& op) {
  for (const char* input : {"x: T", "h_prev: T", "w_ru: T", "w_c: T", "b_ru: T", "b_c: T"}) op.Input(input);
  op.Attr("T: {float}");
}

Status CellShape(InferenceContext& c) {
  DF_ASSIGN(const PartialShape x, c.WithRank(0, 2));
  DF_ASSIGN(const PartialShape h_prev, c.WithRank(1, 2));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, PartialShape({x.dim(0), h_prev.dim(1)}));
  return Status();
}

Status CellGradShape(InferenceContext& c) {
  DF_TRY(CellShape(c));
  DF_ASSIGN(const PartialShape x, c.WithRank(0, 2));
  DF_ASSIGN(const PartialShape w_ru, c.WithRank(2, 2));
  c.set_output(0, x);
  c.set_output(3, PartialShape({x.dim(0), w_ru.dim(1)}));
  return Status();
}

}  // namespace

OP("GRUBlockCell")
    .As(CellInputs)
    .Output("r: T")
    .Output("u: T")
    .Output("c: T")
    .Output("h: T")
    .Shape(CellShape)
    .Gradient(&GruCellGradient)
    .Cost(GruCost(11))
    .Rows(RowsOfInputs({0, 1}))
    .Doc("One step of a gated recurrent unit: h = u h_prev + (1 - u) c, with reset and update gates r and u.");

OP("GRUBlockCellGrad")
    .As(CellInputs)
    .Input("r: T")
    .Input("u: T")
    .Input("c: T")
    .Input("d_h: T")
    .Output("d_x: T")
    .Output("d_h_prev: T")
    .Output("d_c_bar: T")
    .Output("d_r_bar_u_bar: T")
    .Shape(CellGradShape)
    .Cost(GruCost(14))
    .Doc("The gradient of GRUBlockCell by x, h_prev and the arguments of c and of the gates.");

}  // namespace dfrun
