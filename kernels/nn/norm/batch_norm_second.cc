// With dy, x and scale s, means M over all but the channels, d = x - M(x), v = M(d^2), r = (v + epsilon)^-1/2,
// P = M(dx* d), Q = M(dy d), where dx*, ds*, do* are the gradients that reached x_backprop, scale_backprop and
// offset_backprop, the value that is differentiated is
//   L = s r N (M(dx* dy) - M(dx*) M(dy) - r^2 P Q) + ds* r N Q + do* N M(dy),
// where N elements are a channel's. Its derivatives below follow with d v / d x = 2 d / N.
#include "kernels/nn/norm/batch_norm_second.h"

#include "kernels/nn/norm/channel_terms.h"

namespace dfrun {
namespace {

class SecondGradient : private ChannelTerms {
 public:
  explicit SecondGradient(GradientBuilder& g)
      : ChannelTerms(g),
        g_(g),
        type_(g.dtype(g.x(1))),
        dy_(Wide(g.x(0))),
        x_(Wide(g.x(1))),
        scale_(Column(g.x(2))),
        grad_dx_(Wide(g.dy(0))),
        grad_scale_(Column(g.dy(1))),
        grad_offset_(Column(g.dy(2))) {}

  void Training() {
    const Output d = Sub(x_, Mean(x_));
    const Output r = Rsqrt(Mean(Mul(d, d)));
    const Output r2 = Mul(r, r);
    const Output p = Mean(Mul(grad_dx_, d));
    const Output q = Mean(Mul(dy_, d));
    const Output a = Sub(grad_dx_, Mean(grad_dx_));
    const Output b = Sub(dy_, Mean(dy_));
    const Output slope = Mul(scale_, r);
    const Output covariance = Mean(Mul(a, b));
    SetDy(Add(Add(Mul(slope, Sub(a, Mul(Mul(r2, p), d))), Mul(Mul(grad_scale_, r), d)), grad_offset_));
    // The gradient by x goes directly through d, and through v.
    const Output direct = Sub(Mul(Mul(grad_scale_, r), b), Mul(Mul(slope, r2), Add(Mul(a, q), Mul(b, p))));
    const Output three = g_.ScalarLike(x_, 3);
    const Output bend = Sub(Mul(three, Mul(r2, Mul(p, q))), covariance);
    const Output through = Sub(Mul(Mul(slope, r2), bend), Mul(Mul(grad_scale_, q), Mul(r, r2)));
    SetX(Add(direct, Mul(d, through)));
    SetOfChannels(2, Mul(r, Sub(covariance, Mul(r2, Mul(p, q)))));
  }

  void Inference() {
    const Output d = Sub(x_, Column(g_.x(3)));
    const Output r = Rsqrt(Column(g_.x(4)));
    const Output product = Mean(Mul(grad_dx_, dy_));
    SetDy(Add(Add(Mul(Mul(scale_, r), grad_dx_), Mul(Mul(grad_scale_, r), d)), grad_offset_));
    SetX(Mul(Mul(grad_scale_, r), dy_));
    SetOfChannels(2, Mul(r, product));
    SetOfChannels(3, g_.Op("Neg", Mul(Mul(grad_scale_, r), Mean(dy_))));
    const Output along = Add(Mul(scale_, product), Mul(grad_scale_, Mean(Mul(dy_, d))));
    SetOfChannels(4, Scaled(Mul(Mul(r, Mul(r, r)), along), -0.5));
  }

 private:
  void SetDy(Output value) { g_.dx(0) = Cast(value, type_); }
  void SetX(Output value) { g_.dx(1) = Cast(value, type_); }
  // A value by channel, to be times the number of a channel's elements.
  void SetOfChannels(int input, Output mean) {
    const Output flat = g_.Op("Reshape", mean, g_.Op("Shape", g_.x(input)));
    g_.dx(input) = Mul(flat, CountOf(x_, g_.x(2)));
  }

  GradientBuilder& g_;
  const DType type_;
  const Output dy_;
  const Output x_;
  const Output scale_;
  const Output grad_dx_;
  const Output grad_scale_;
  const Output grad_offset_;
};

}  // namespace

void BatchNormSecondGradient(GradientBuilder& g) {
  SecondGradient second(g);
  const bool is_training = g.attr<bool>("is_training");
  if (is_training) {
    second.Training();
  } else {
    second.Inference();
  }
  // In training the gradients by the statistics are part of the gradient by x.
  for (int i = is_training ? 3 : 5; i < g.num_inputs(); ++i) g.SetZeroGradient(i);
}

}  // namespace dfrun
