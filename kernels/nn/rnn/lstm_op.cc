// LSTM cells: one step, a block of steps, and their gradients. The gates stand in the order input, cell, forget,
// output; in V2 the forget gate comes before the cell's.
#include <string>

#include "kernels/nn/rnn/recurrent_gradient.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

// Steps of a cell whose weights are input `w`: 2 rows |w| operations for each of so many products of that size, and so
// many an element of the states. Rows are those of all steps of x, which stands three inputs before w.
OpCost LstmCost(const CostContext& c, int w, double products, double flops_a_cell) {
  const double rows = c.input_elements(w - 3) / c.input_dim(w - 3, -1);
  return WholeCost(c, rows * (2 * products * c.input_elements(w) + flops_a_cell * c.input_dim(w, -1) / 4));
}

void LstmInputs(OpBuilder& op) {
  for (const char* input : {"x: T", "cs_prev: T", "h_prev: T", "w: T", "wci: T", "wcf: T", "wco: T", "b: T"}) {
    op.Input(input);
  }
}

constexpr const char* kStates[] = {"i: T", "cs: T", "f: T", "o: T", "ci: T", "co: T", "h: T"};

void StatesOf(OpBuilder& op) {
  for (const char* state : kStates) op.Output(state);
  op.Attr("use_peephole: bool = false").Attr("T: {half, float}");
}

Status LstmShape(InferenceContext& c) {
  DF_ASSIGN(const PartialShape x, c.WithRank(0, 2));
  DF_ASSIGN(const PartialShape cs_prev, c.WithRank(1, 2));
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, PartialShape({x.dim(0), cs_prev.dim(1)}));
  return Status();
}

Status LstmGradShape(InferenceContext& c) {
  DF_TRY(LstmShape(c));
  const int64_t cells = c.input(1).known_rank() ? c.input(1).dim(1) : PartialShape::kUnknown;
  const int64_t rows = c.input(0).known_rank() ? c.input(0).dim(0) : PartialShape::kUnknown;
  const bool is_known = cells >= 0 && cells <= INT64_MAX / 4;
  c.set_output(1, PartialShape({rows, is_known ? 4 * cells : PartialShape::kUnknown}));
  for (int i = 2; i < 5; ++i) c.set_output(i, PartialShape({cells}));
  return Status();
}

Status BlockShape(InferenceContext& c) {
  DF_ASSIGN(const PartialShape x, c.WithRank(1, 3));
  DF_ASSIGN(const PartialShape b, c.WithRank(c.num_inputs() - 1, 1));
  const int64_t gates = b.dim(0);
  if (gates >= 0 && gates % 4 != 0) return InvalidArgument("b has ", gates, " elements, no multiple of 4");
  const int64_t cells = gates < 0 ? PartialShape::kUnknown : gates / 4;
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, PartialShape({x.dim(0), x.dim(1), cells}));
  return Status();
}

Status BlockGradShape(InferenceContext& c) {
  constexpr int kRanks[] = {3, 2, 2, 2, 1, 1, 1, 1};
  for (int i = 0; i < 8; ++i) {
    DF_ASSIGN(PartialShape shape, c.WithRank(1 + i, kRanks[i]));
    c.set_output(i, std::move(shape));
  }
  return Status();
}

void Cell(OpBuilder& op) {
  op.As(LstmInputs).As(StatesOf).Shape(LstmShape);
}

void Block(OpBuilder& op) {
  op.Input("seq_len_max: int64").As(LstmInputs).As(StatesOf).Shape(BlockShape);
}

void BlockGrad(OpBuilder& op) {
  op.Input("seq_len_max: int64").As(LstmInputs);
  for (const char* state : kStates) op.Input(state);
  op.Input("cs_grad: T").Input("h_grad: T");
  for (const char* of : {"x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b"}) {
    op.Output(std::string(of) + "_grad: T");
  }
  op.Attr("use_peephole: bool").Attr("T: {half, float}").Shape(BlockGradShape);
}

}  // namespace

OP("LSTMBlockCell")
    .As(Cell)
    .Attr("forget_bias: float = 1.0")
    .Attr("cell_clip: float = 3.0")
    .Gradient(&LstmCellGradient)
    .Cost([](const CostContext& c) { return LstmCost(c, 3, 1, 13); })
    .Rows(RowsOfInputs({0, 1, 2}))
    .Doc("One step of an LSTM with optional peepholes; gives all gates, the cell and its result h.");

OP("LSTMBlockCellGrad")
    .As(LstmInputs)
    .Input("i: T")
    .Input("cs: T")
    .Input("f: T")
    .Input("o: T")
    .Input("ci: T")
    .Input("co: T")
    .Input("cs_grad: T")
    .Input("h_grad: T")
    .Output("cs_prev_grad: T")
    .Output("dicfo: T")
    .Output("wci_grad: T")
    .Output("wcf_grad: T")
    .Output("wco_grad: T")
    .Attr("use_peephole: bool")
    .Attr("T: {half, float}")
    .Shape(LstmGradShape)
    .Cost([](const CostContext& c) { return LstmCost(c, 3, 0, 24); })
    .Doc("The gradient of LSTMBlockCell by the cell before it, its gates (dicfo) and its peepholes.");

OP("BlockLSTM")
    .As(Block)
    .Attr("forget_bias: float = 1.0")
    .Attr("cell_clip: float = 3.0")
    .Gradient(LstmBlockGradient("BlockLSTMGrad", /*forget_first=*/false))
    .Cost([](const CostContext& c) { return LstmCost(c, 4, 1, 13); })
    .Doc("An LSTM over the first seq_len_max steps of x [time, batch, inputs]; the rest is zeros.");

OP("BlockLSTMV2")
    .As(Block)
    .Attr("cell_clip: float = 0.0")
    .Gradient(LstmBlockGradient("BlockLSTMGradV2", /*forget_first=*/true))
    .Cost([](const CostContext& c) { return LstmCost(c, 4, 1, 13); })
    .Doc("BlockLSTM without a bias of the forget gate, which stands before the cell's.");

OP("BlockLSTMGrad")
    .As(BlockGrad)
    .Cost([](const CostContext& c) { return LstmCost(c, 4, 2, 24); })
    .Doc("The gradient of BlockLSTM by its inputs.");
OP("BlockLSTMGradV2")
    .As(BlockGrad)
    .Cost([](const CostContext& c) { return LstmCost(c, 4, 2, 24); })
    .Doc("The gradient of BlockLSTMV2 by its inputs.");

}  // namespace dfrun
