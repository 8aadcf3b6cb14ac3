// The gradients of recurrent cells whose gates are results too. A gradient that reaches the state goes through the op
// that TensorFlow has for it; one that reaches a gate becomes gradients of the gate's argument and of the states beside
// it, which are added.
#ifndef DFRUN_KERNELS_NN_RNN_RECURRENT_GRADIENT_H_
#define DFRUN_KERNELS_NN_RNN_RECURRENT_GRADIENT_H_

#include "src/framework/op/gradient.h"

namespace dfrun {

// The gradient of GRUBlockCell.
void GruCellGradient(GradientBuilder& g);

// The gradient of LSTMBlockCell.
void LstmCellGradient(GradientBuilder& g);

// The gradient of BlockLSTM and BlockLSTMV2, by op `op`. `forget_first`: the forget gate stands before the cell's.
GradientFn LstmBlockGradient(const char* op, bool forget_first);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_RNN_RECURRENT_GRADIENT_H_
