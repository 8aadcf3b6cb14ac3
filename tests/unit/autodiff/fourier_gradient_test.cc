// Gradients of Fourier transforms, of each part of complex numbers by itself. They are linear, so that what a unit of
// an input's part adds to a result is the derivative.
#include <gtest/gtest.h>

#include <algorithm>

#include "src/autodiff/gradients.h"
#include "tests/unit/autodiff/gradient_cases.h"
#include "tests/unit/testing/graph_evaluator.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun::testing {
namespace {

struct FourierCase {
  std::string op;
  Shape shape;
  std::vector<int32_t> lengths = {};  // lengths of transforms of real numbers
};

void PrintTo(const FourierCase& test, std::ostream* out) {
  *out << test.op << test.shape << ::testing::PrintToString(test.lengths);
}

// A graph of the weighted sum of the result's parts. x holds the input's parts; the second exists if the input is
// complex.
class FourierGradient : public ::testing::TestWithParam<FourierCase> {
 protected:
  void Build(bool static_shapes) {
    const FourierCase& test = GetParam();
    const bool from_real = test.op.starts_with("R");
    const bool to_real = test.op.starts_with("IR");
    for (const char* name : {"re", "im"}) {
      if (from_real && !x_.empty()) break;
      x_.push_back(m_.Placeholder(name, static_shapes ? PartialShape(test.shape) : PartialShape()));
    }
    const AttrMap complex = {{"Tout", DType::kComplex128}};
    std::vector<Output> inputs = {from_real ? x_[0] : m_.Add("x", "Complex", {x_[0], x_[1]}, complex)};
    AttrMap attrs;
    if (from_real) attrs.Set("Tcomplex", DType::kComplex128);
    if (to_real) attrs.Set("Treal", DType::kDouble);
    if (from_real || to_real) inputs.push_back(m_.Const("lengths", Tensor::Vector<int32_t>(test.lengths)));
    const Output z = m_.Add("z", test.op, inputs, attrs);
    y_ = to_real ? Weighted("y", z, 1) : Weighted("y_re", m_.Add("z_re", "Real", {z}, kOfComplex), 1);
    if (!to_real) y_ = m_.Add("y", "AddV2", {y_, Weighted("y_im", m_.Add("z_im", "Imag", {z}, kOfComplex), 2)});
  }

  std::vector<Tensor> Values(const std::vector<Output>& outputs, const std::vector<Tensor>& x) {
    GraphEvaluator::Values feeds = {{"re", {x[0]}}};
    if (x.size() > 1) feeds["im"] = {x[1]};
    Result<std::vector<Tensor>> values = GraphEvaluator(feeds).Fetch(m_.graph, outputs);
    EXPECT_TRUE(values.ok()) << values.status().ToString();
    return values.ok() ? *values : std::vector<Tensor>(outputs.size(), Num(0));
  }

  void Check(bool static_shapes) {
    Build(static_shapes);
    const Result<std::vector<GradientValue>> added = AddGradients(m_.graph, std::vector<Output>{y_}, x_, {});
    ASSERT_TRUE(added.ok()) << added.status().ToString();
    std::vector<Output> gradients;
    for (const GradientValue& value : *added) gradients.push_back(value.dense);
    std::vector<Tensor> x(x_.size());
    for (Tensor& part : x) {
      part = Tensor(DType::kDouble, GetParam().shape);
      std::fill_n(part.data<double>(), part.num_elements(), 0.0);
    }
    const std::vector<Tensor> actual = Values(gradients, x);
    for (size_t part = 0; part < x.size(); ++part) {
      ASSERT_EQ(actual[part].shape(), GetParam().shape);
      for (int64_t i = 0; i < x[part].num_elements(); ++i) {
        x[part].data<double>()[i] = 1;
        EXPECT_NEAR(actual[part].data<double>()[i], Values({y_}, x)[0].scalar<double>(), 1e-12) << part << ", " << i;
        x[part].data<double>()[i] = 0;
      }
    }
  }

 private:
  Output Weighted(const std::string& name, Output values, uint64_t seed) {
    const Output weights = m_.Const(name + "_weights", Uniform(ResultShape(), 0.5, 2, seed));
    const Output product = m_.Add(name + "_product", "Mul", {values, weights});
    const Output flat = m_.Add(name + "_flat", "Reshape", {product, m_.Const(name + "_size", Ints({-1}))});
    return m_.Add(name, "Sum", {flat, m_.Const(name + "_axes", Ints({0}))});
  }
  Shape ResultShape() const {
    const FourierCase& test = GetParam();
    std::vector<int64_t> dims(test.shape.dims().begin(), test.shape.dims().end());
    for (size_t d = 0; d < test.lengths.size(); ++d) dims[dims.size() - test.lengths.size() + d] = test.lengths[d];
    if (test.op.starts_with("R")) dims.back() = dims.back() / 2 + 1;
    return Shape(std::span<const int64_t>(dims));
  }

  const AttrMap kOfComplex = {{"Tout", DType::kDouble}};
  GraphMaker m_;
  std::vector<Output> x_;
  Output y_;
};

TEST_P(FourierGradient, IsTheTransposedTransform) {
  Check(/*static_shapes=*/true);
}
TEST_P(FourierGradient, IsTheTransposedTransformOfUnknownShapes) {
  Check(/*static_shapes=*/false);
}

INSTANTIATE_TEST_SUITE_P(
    Ops, FourierGradient,
    ::testing::Values(FourierCase{"FFT", {2, 5}}, FourierCase{"FFT2D", {2, 3, 2}}, FourierCase{"FFT3D", {2, 2, 3}},
                      FourierCase{"IFFT", {2, 5}}, FourierCase{"IFFT2D", {2, 3, 2}}, FourierCase{"IFFT3D", {2, 2, 3}},
                      FourierCase{"RFFT", {2, 6}, {6}}, FourierCase{"RFFT", {7}, {7}}, FourierCase{"RFFT", {2, 7}, {4}},
                      FourierCase{"RFFT2D", {3, 4}, {3, 4}}, FourierCase{"RFFT2D", {2, 3, 5}, {2, 4}},
                      FourierCase{"RFFT3D", {2, 3, 4}, {2, 3, 4}}, FourierCase{"RFFT3D", {2, 3, 5}, {2, 2, 3}},
                      FourierCase{"IRFFT", {2, 4}, {6}}, FourierCase{"IRFFT", {4}, {7}},
                      FourierCase{"IRFFT", {2, 5}, {4}}, FourierCase{"IRFFT2D", {3, 3}, {3, 4}},
                      FourierCase{"IRFFT2D", {2, 3, 4}, {2, 5}}, FourierCase{"IRFFT3D", {2, 3, 3}, {2, 3, 4}},
                      FourierCase{"IRFFT3D", {2, 3, 4}, {2, 2, 3}}));

}  // namespace
}  // namespace dfrun::testing
