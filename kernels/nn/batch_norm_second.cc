// With dy, x and scale s, means M over all but the channels, d = x - M(x), v = M(d^2), r = (v + epsilon)^-1/2,
// P = M(dx* d), Q = M(dy d), where dx*, ds*, do* are the gradients that reached x_backprop, scale_backprop and
// offset_backprop, the value that is differentiated is
//   L = s r N (M(dx* dy) - M(dx*) M(dy) - r^2 P Q) + ds* r N Q + do* N M(dy),
// where N elements are a channel's. Its derivatives below follow with d v / d x = 2 d / N.
#include "kernels/nn/batch_norm_second.h"

#include <string>

namespace dfrun {
namespace {

class SecondGradient {
 public:
  explicit SecondGradient(GradientBuilder& g)
      : g_(g),
        data_format_(g.attr<std::string>("data_format")),
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
    // By d alone, then through v.
    const Output direct = Sub(Mul(Mul(grad_scale_, r), b), Mul(Mul(slope, r2), Add(Mul(a, q), Mul(b, p))));
    const Output three = g_.ScalarLike(x_, 3);
    const Output bend = Sub(Mul(three, Mul(r2, Mul(p, q))), covariance);
    const Output through = Sub(Mul(Mul(slope, r2), bend), Mul(Mul(grad_scale_, q), Mul(r, r2)));
    SetX(Add(direct, Mul(d, through)));
    SetScale(Mul(r, Sub(covariance, Mul(r2, Mul(p, q)))));
  }

  void Inference() {
    const Output d = Sub(x_, Column(g_.x(3)));
    const Output r = Rsqrt(Column(g_.x(4)));
    SetDy(Add(Add(Mul(Mul(scale_, r), grad_dx_), Mul(Mul(grad_scale_, r), d)), grad_offset_));
    SetX(Mul(Mul(grad_scale_, r), dy_));
    SetScale(Mul(r, Mean(Mul(grad_dx_, dy_))));
  }

 private:
  Output Add(Output a, Output b) { return g_.Op("AddV2", a, b); }
  Output Sub(Output a, Output b) { return g_.Op("Sub", a, b); }
  Output Mul(Output a, Output b) { return g_.Op("Mul", a, b); }
  Output Rsqrt(Output variance) {
    return g_.Op("Rsqrt", Add(variance, g_.ScalarLike(variance, g_.attr<float>("epsilon"))));
  }

  Output Cast(Output value, DType to) {
    return g_.dtype(value) == to ? value : Output(g_.Op("Cast", {{"DstT", to}}, value));
  }
  Output Wide(Output images) { return Cast(images, DType::kFloat); }

  // Over all but the channels, in a shape that broadcasts against images.
  Output Mean(Output images) { return g_.Op("Mean", {{"keep_dims", true}}, images, Axes()); }
  Output Axes() {
    std::vector<int32_t> axes;
    for (size_t i = 0; i < data_format_.size(); ++i) {
      if (data_format_[i] != 'C') axes.push_back(static_cast<int32_t>(i));
    }
    return g_.Const(Tensor::Vector<int32_t>(axes));
  }
  Output Column(Output vector) {
    std::vector<int32_t> sizes(data_format_.size(), 1);
    sizes[data_format_.find('C')] = -1;
    return g_.Op("Reshape", vector, g_.Const(Tensor::Vector<int32_t>(sizes)));
  }

  void SetDy(Output value) { g_.dx(0) = Cast(value, type_); }
  void SetX(Output value) { g_.dx(1) = Cast(value, type_); }
  // A value by channel, to be times the number of a channel's elements.
  void SetScale(Output mean) {
    const Output elements = g_.Op("Cast", {{"DstT", DType::kFloat}}, g_.Op("Size", x_));
    const Output channels = g_.Op("Cast", {{"DstT", DType::kFloat}}, g_.Op("Size", g_.x(2)));
    const Output flat = g_.Op("Reshape", mean, g_.Op("Shape", g_.x(2)));
    g_.dx(2) = Mul(flat, g_.Op("RealDiv", elements, channels));
  }

  GradientBuilder& g_;
  const std::string data_format_;
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
  if (g.attr<bool>("is_training")) {
    second.Training();
  } else {
    second.Inference();
  }
}

}  // namespace dfrun
