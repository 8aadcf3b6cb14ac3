// A step, of which c0 and h0 are the states before it, with the gates' arguments a = [x, h0] w + b and the peepholes p:
//   i = sigmoid(a_i + p_i c0), f = sigmoid(a_f + p_f c0), ci = tanh(a_c), cs = i ci + f c0,
//   o = sigmoid(a_o + p_o cs), co = tanh(cs), h = o co.
// A cell cs that the clip holds passes nothing on, which the op for the states sees to.
// What reaches a gate reaches its argument there, and so x and the weights, and the states cs, c0 and h0. Those of a
// block's step are the results of the step before, so that the op for the states does the rest.
#include <string>
#include <vector>

#include "kernels/nn/rnn/gate_terms.h"
#include "kernels/nn/rnn/recurrent_gradient.h"

namespace dfrun {
namespace {

enum LstmInput { kX, kCsBefore, kHBefore, kWeights, kPeepI, kPeepF, kPeepO };
enum LstmOutput { kGateI, kCell, kGateF, kGateO, kInner, kOuter, kState };

// The gradients that the gates' arguments give to the states and weights.
struct OfArguments {
  Output arguments;    // gradient by the arguments, [.., 4 * cells]
  Output cell;         // by the peephole of o and the outer tanh, beside what reaches cs
  Output cell_before;  // by the peepholes of i and f; invalid: without these
  Output peep_i, peep_f, peep_o;
};

class LstmTerms : public GateTerms {
 public:
  LstmTerms(GradientBuilder& g, bool forget_first)
      : GateTerms(g),
        first_(g.num_inputs() - 8),
        forget_first_(forget_first),
        peepholes_(g.attr<bool>("use_peephole")) {}

  bool ReachesGates() const {
    for (const int gate : {kGateI, kGateF, kGateO, kInner, kOuter}) {
      if (g_.has_dy(gate)) return true;
    }
    return false;
  }

  Output x(LstmInput input) const { return g_.x(first_ + input); }

  // `cs_before`: the cells before each step. `axes`: all but the last.
  OfArguments Arguments(Output cs_before, const std::vector<int32_t>& axes) {
    OfArguments sum;
    const Output i = OfSigmoid(g_.y(kGateI), g_.dy(kGateI));
    const Output f = OfSigmoid(g_.y(kGateF), g_.dy(kGateF));
    const Output o = OfSigmoid(g_.y(kGateO), g_.dy(kGateO));
    const Output inner = Done(OfTanh(g_.y(kInner), g_.dy(kInner)));
    sum.cell = Done(OfTanh(g_.y(kOuter), g_.dy(kOuter)));
    const Output last = Axis(static_cast<int32_t>(axes.size()));
    sum.arguments = forget_first_ ? g_.Op("ConcatV2", i, f, inner, o, last) : g_.Op("ConcatV2", i, inner, f, o, last);
    if (!peepholes_) return sum;
    sum.cell = Add(sum.cell, Mul(o, x(kPeepO)));
    sum.cell_before = Add(Mul(i, x(kPeepI)), Mul(f, x(kPeepF)));
    const Output all = g_.Const(Tensor::Vector<int32_t>(axes));
    const auto peep = [&](Output grad, Output cell) -> Output { return g_.Op("Sum", Mul(grad, cell), all); };
    sum.peep_i = peep(i, cs_before);
    sum.peep_f = peep(f, cs_before);
    sum.peep_o = peep(o, g_.y(kCell));
    return sum;
  }

  void Cell() {
    OfArguments gates;
    if (ReachesGates()) gates = Arguments(x(kCsBefore), {0});
    const AddedNode grads = States("LSTMBlockCellGrad", 6, PlusIf(g_.dy(kCell), gates.cell), g_.dy(kState));
    const Output arguments = PlusIf(grads[1], gates.arguments);
    const Output rows = OfRows(arguments, x(kWeights));
    g_.dx(0) = PartOfX(rows, x(kX));
    g_.dx(1) = PlusIf(grads[0], gates.cell_before);
    g_.dx(2) = PartOfH(rows, x(kX), x(kHBefore));
    g_.dx(3) = OfWeights(Beside(x(kX), x(kHBefore)), arguments);
    SetPeepholes(grads[2], grads[3], grads[4], gates);
    g_.dx(7) = g_.Op("BiasAddGrad", arguments);
  }

  void Block(const char* op) {
    if (!ReachesGates()) {
      const AddedNode grads = States(op, 7, g_.dy(kCell), g_.dy(kState));
      for (const int i : {0, 1, 2, 3, 7}) g_.dx(1 + i) = grads[i];
      return SetPeepholes(grads[4], grads[5], grads[6], {});
    }
    const OfArguments gates = Arguments(Before(x(kCsBefore), g_.y(kCell)), {0, 1});
    const Output beside = g_.Op("ConcatV2", x(kX), Before(x(kHBefore), g_.y(kState)), Axis(2));
    const Output rows = g_.AddNode("Einsum", {gates.arguments, x(kWeights)}, {{"equation", "tbg,ig->tbi"}});
    const Output h_before = PartOfSteps(rows, g_.Op("Shape", x(kX)), g_.Op("Shape", g_.y(kState)));
    Output cs_grad = Add(g_.dy(kCell), gates.cell);
    if (peepholes_) cs_grad = Add(cs_grad, OfStepBefore(gates.cell_before));
    const AddedNode grads = States(op, 7, cs_grad, Add(g_.dy(kState), OfStepBefore(h_before)));
    g_.dx(1) = Add(grads[0], g_.Op("Slice", rows, g_.Const<int32_t>({0, 0, 0}), g_.Op("Shape", x(kX))));
    g_.dx(2) = peepholes_ ? Add(grads[1], OfStart(gates.cell_before)) : grads[1];
    g_.dx(3) = Add(grads[2], OfStart(h_before));
    g_.dx(4) = Add(grads[3], g_.AddNode("Einsum", {beside, gates.arguments}, {{"equation", "tbi,tbg->ig"}}));
    SetPeepholes(grads[4], grads[5], grads[6], gates);
    g_.dx(8) = Add(grads[7], g_.Op("Sum", gates.arguments, g_.Const<int32_t>({0, 1})));
  }

 private:
  // Sets the gradients by the peepholes. They are zeros in a cell without peepholes, where these may be of any size.
  void SetPeepholes(Output i, Output f, Output o, const OfArguments& gates) {
    const auto set = [&](LstmInput input, Output of_states, Output of_gates) {
      g_.dx(first_ + input) = peepholes_ ? PlusIf(of_states, of_gates) : g_.Op("ZerosLike", x(input));
    };
    set(kPeepI, i, gates.peep_i);
    set(kPeepF, f, gates.peep_f);
    set(kPeepO, o, gates.peep_o);
  }
  Output PlusIf(Output a, Output b) { return b.valid() ? Add(a, b) : a; }

  // The op for the states, which reads so many of the results.
  AddedNode States(const char* op, int results, Output cs_grad, Output h_grad) {
    std::vector<Output> inputs;
    inputs.reserve(18);
    for (int i = 0; i < g_.num_inputs(); ++i) inputs.push_back(g_.x(i));
    for (int i = 0; i < results; ++i) inputs.push_back(g_.y(i));
    inputs.push_back(cs_grad);
    inputs.push_back(h_grad);
    AttrMap attrs = {{"use_peephole", peepholes_}};
    const auto clip = g_.attr<float>("cell_clip");
    if (clip > 0) attrs.Set("_cell_clip", clip);
    return g_.AddNode(op, inputs, attrs);
  }

  // Zeros for the steps that a block does not do: its results there are zeros, at which tanh has a slope.
  Output Done(Output steps) {
    if (first_ == 0) return steps;
    const Output zero = Axis(0);
    const Output count = g_.Op("Gather", g_.Op("Shape", steps), zero);
    const Output max = g_.Op("Cast", {{"DstT", DType::kInt32}}, g_.x(0));
    const Output is_done = g_.Op("Less", g_.Op("Range", zero, count, Axis(1)), max);
    return g_.Op("SelectV2", g_.Op("Reshape", is_done, g_.Const<int32_t>({-1, 1, 1})), steps, g_.ScalarLike(steps, 0));
  }

  // The states before each step of a block: `start`, then all of `states` but the last.
  Output Before(Output start, Output states) {
    const Output all = g_.Op("ConcatV2", g_.Op("ExpandDims", start, Axis(0)), states, Axis(0));
    return g_.Op("Slice", all, g_.Const<int32_t>({0, 0, 0}), g_.Op("Shape", states));
  }
  // Gradients, from those by the states before each step: OfStepBefore() gives those by the results of the steps, and
  // OfStart() gives the one by the start.
  Output OfStepBefore(Output before) { return g_.Op("Slice", Longer(before), g_.Const<int32_t>({1, 0, 0}), Rest()); }
  Output OfStart(Output before) {
    const Output first = g_.Op("Slice", Longer(before), g_.Const<int32_t>({0, 0, 0}), g_.Const<int32_t>({1, -1, -1}));
    return g_.Op("Reshape", first, g_.Op("Shape", x(kCsBefore)));
  }
  // Adds a step of zeros, so that there is a step.
  Output Longer(Output steps) {
    const Output sizes = g_.Op("Reshape", g_.Const<int32_t>({0, 1, 0, 0, 0, 0}), g_.Const<int32_t>({3, 2}));
    return g_.Op("Pad", steps, sizes);
  }
  Output Rest() { return g_.Const<int32_t>({-1, -1, -1}); }
  Output PartOfSteps(Output rows, Output x_sizes, Output h_sizes) {
    return g_.Op("Slice", rows, Mul(x_sizes, g_.Const<int32_t>({0, 0, 1})), h_sizes);
  }

  const int first_;  // first input that a cell has: a block has one before it
  const bool forget_first_;
  const bool peepholes_;
};

}  // namespace

void LstmCellGradient(GradientBuilder& g) {
  LstmTerms(g, /*forget_first=*/false).Cell();
}

GradientFn LstmBlockGradient(const char* op, bool forget_first) {
  return [op, forget_first](GradientBuilder& g) { LstmTerms(g, forget_first).Block(op); };
}

}  // namespace dfrun
