// r, u = sigmoid([x, h_prev] w_ru + b_ru), c = tanh([x, h_prev r] w_c + b_c), h = u h_prev + (1 - u) c.
#include "kernels/nn/rnn/gate_terms.h"
#include "kernels/nn/rnn/recurrent_gradient.h"

namespace dfrun {
namespace {

enum GruInput { kGruX, kGruHPrev, kGruWru, kGruWc };
enum GruOutput { kGruR, kGruU, kGruC, kGruH };

// The gradients by x, h_prev, and the arguments of c and of the gates.
struct GruGradients {
  Output x, h_prev, c_bar, gates;
};

class GruTerms : public GateTerms {
 public:
  using GateTerms::GateTerms;

  GruGradients OfState() {
    const AddedNode grads = g_.AddNode(
        "GRUBlockCellGrad",
        {g_.x(0), g_.x(1), g_.x(2), g_.x(3), g_.x(4), g_.x(5), g_.y(kGruR), g_.y(kGruU), g_.y(kGruC), g_.dy(kGruH)},
        {});
    return {grads[0], grads[1], grads[2], grads[3]};
  }

  GruGradients OfGates() {
    const Output x = g_.x(kGruX);
    const Output h = g_.x(kGruHPrev);
    GruGradients sum;
    sum.c_bar = OfTanh(g_.y(kGruC), g_.dy(kGruC));
    const Output candidate = OfRows(sum.c_bar, g_.x(kGruWc));
    const Output let_through = PartOfH(candidate, x, h);
    const Output dr = Add(g_.dy(kGruR), Mul(let_through, h));
    sum.gates = Beside(OfSigmoid(g_.y(kGruR), dr), OfSigmoid(g_.y(kGruU), g_.dy(kGruU)));
    const Output rows = OfRows(sum.gates, g_.x(kGruWru));
    sum.x = Add(PartOfX(candidate, x), PartOfX(rows, x));
    sum.h_prev = Add(Mul(let_through, g_.y(kGruR)), PartOfH(rows, x, h));
    return sum;
  }

  GruGradients Sum(const GruGradients& a, const GruGradients& b) {
    return {Add(a.x, b.x), Add(a.h_prev, b.h_prev), Add(a.c_bar, b.c_bar), Add(a.gates, b.gates)};
  }

  void Set(const GruGradients& grads) {
    g_.dx(0) = grads.x;
    g_.dx(1) = grads.h_prev;
    g_.dx(2) = OfWeights(Beside(g_.x(kGruX), g_.x(kGruHPrev)), grads.gates);
    g_.dx(3) = OfWeights(Beside(g_.x(kGruX), Mul(g_.x(kGruHPrev), g_.y(kGruR))), grads.c_bar);
    g_.dx(4) = g_.Op("BiasAddGrad", grads.gates);
    g_.dx(5) = g_.Op("BiasAddGrad", grads.c_bar);
  }
};

}  // namespace

void GruCellGradient(GradientBuilder& g) {
  GruTerms terms(g);
  const bool reaches_gates = g.has_dy(kGruR) || g.has_dy(kGruU) || g.has_dy(kGruC);
  if (!reaches_gates) return terms.Set(terms.OfState());
  const GruGradients gates = terms.OfGates();
  terms.Set(g.has_dy(kGruH) ? terms.Sum(terms.OfState(), gates) : gates);
}

}  // namespace dfrun
