// y = (x - mean) r scale + offset with r = (variance + epsilon)^-1/2. In training mean and variance are those of the
// batch, which the node gives as well, the variance times N / (N - 1) for N elements of a channel; both averaged with
// the inputs where the factor is not 1. In inference they are the inputs, and given as they are.
#include "kernels/nn/norm/batch_norm_gradient.h"

#include <array>
#include <string>
#include <vector>

#include "kernels/nn/norm/channel_terms.h"

namespace dfrun {
namespace {

class BatchNormFirst {
 public:
  explicit BatchNormFirst(GradientBuilder& g) : g_(g), terms_(g), is_training_(g.attr<bool>("is_training")) {}

  void OfImages(const char* op) {
    AttrMap attrs;
    for (const char* name : {"epsilon", "data_format", "is_training"}) attrs.Set(name, *g_.attrs().Find(name));
    std::vector<Output> inputs = {g_.dy(0), g_.x(0), g_.x(1), is_training_ ? g_.y(3) : g_.x(3),
                                  is_training_ ? g_.y(4) : g_.x(4)};
    if (g_.num_outputs() > 5) inputs.push_back(g_.y(5));
    const AddedNode backprop = g_.AddNode(op, inputs, attrs);
    for (int i = 0; i < 3; ++i) Add(i, backprop[i]);
    if (is_training_) return;
    const Output r = terms_.Rsqrt(g_.x(4));
    const Output slope = terms_.Mul(g_.x(1), r);
    Add(3, g_.Op("Neg", terms_.Mul(slope, backprop[2])));
    Add(4, terms_.Scaled(terms_.Mul(terms_.Mul(slope, r), backprop[1]), -0.5));
  }

  // Adds the gradients that come of output 1, the mean, or 2, the variance.
  void OfStatistic(int output) {
    const Output dy = g_.dy(output);
    const double factor = is_training_ ? g_.attr<float>("exponential_avg_factor") : 0;
    if (factor != 1) Add(2 + output, terms_.Scaled(dy, 1 - factor));
    if (!is_training_) return;
    const Output x = terms_.Wide(g_.x(0));
    const Output count = terms_.CountOf(x, g_.x(1));
    const Output one = g_.ScalarLike(count, 1);
    const Output share = terms_.Scaled(terms_.Column(dy), factor * output);  // a square has the slope 2
    Output by_x;
    if (output == 1) {
      by_x = g_.Op("BroadcastTo", g_.Op("RealDiv", share, count), g_.Op("Shape", x));
    } else {
      const Output others = g_.Op("Maximum", terms_.Sub(count, one), one);
      by_x = terms_.Mul(g_.Op("RealDiv", share, others), terms_.Sub(x, terms_.Mean(x)));
    }
    Add(0, terms_.Cast(by_x, g_.dtype(g_.x(0))));
  }

  void SetAll() {
    for (int i = 0; i < 5; ++i) {
      const Output sum = sums_[static_cast<size_t>(i)];
      if (sum.valid()) {
        g_.dx(i) = sum;
      } else {
        g_.SetZeroGradient(i);
      }
    }
  }

 private:
  void Add(int input, Output part) {
    Output& sum = sums_[static_cast<size_t>(input)];
    sum = sum.valid() ? terms_.Add(sum, part) : part;
  }

  GradientBuilder& g_;
  ChannelTerms terms_;
  const bool is_training_;
  std::array<Output, 5> sums_;  // by input
};

}  // namespace

GradientFn BatchNormGradient(const char* op) {
  return [op](GradientBuilder& g) {
    BatchNormFirst first(g);
    if (g.has_dy(0)) first.OfImages(op);
    for (const int statistic : {1, 2}) {
      if (g.has_dy(statistic)) first.OfStatistic(statistic);
    }
    first.SetAll();
  };
}

}  // namespace dfrun
