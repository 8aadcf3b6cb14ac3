#include "tests/unit/autodiff/gradient_checker.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "src/autodiff/gradients.h"
#include "tests/unit/testing/graph_evaluator.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun::testing {
namespace {

bool Contains(const std::vector<int>& list, int i) {
  return std::find(list.begin(), list.end(), i) != list.end();
}

// `from` with its elements as `To`, where they are of type From; else itself.
template <class From, class To>
Tensor Converted(const Tensor& from) {
  if (from.dtype() != DTypeOf<From>) return from;
  Tensor to(DTypeOf<To>, from.shape());
  std::transform(from.data<From>(), from.data<From>() + from.num_elements(), to.data<To>(),
                 [](From value) { return static_cast<To>(value); });
  return to;
}

// The op in a graph, and the value sum_k <weights_k, outputs_k> that is differentiated.
class Checker {
 public:
  Checker(const GradientCase& test, bool static_shapes) : test_(test) {
    for (size_t i = 0; i < test.inputs.size(); ++i) {
      const std::string name = StrCat("x", i);
      const Tensor& value = test.inputs[i];
      const bool is_float = value.dtype() == DType::kDouble;
      if (is_float && !static_shapes) {
        inputs_.push_back(maker_.Placeholder(name, PartialShape(), test.dtype));
        feeds_[name] = {AsOfOp(value)};
      } else {
        inputs_.push_back(maker_.Const(name, AsOfOp(value)));
      }
      if (is_float && !Contains(test.fixed, static_cast<int>(i))) differentiated_.push_back(i);
    }
    op_ = maker_.Add("op", test.op, inputs_, test.attrs);
  }

  Result<double> Error() {
    if (!op_.valid()) return Internal("the op could not be added");
    DF_TRY(ChooseWeights());
    DF_ASSIGN(const std::vector<Tensor> gradients, Gradients());
    double worst = 0;
    for (size_t k = 0; k < differentiated_.size(); ++k) {
      DF_ASSIGN(const std::vector<double> numeric, NumericGradient(differentiated_[k]));
      if (gradients[k].num_elements() != static_cast<int64_t>(numeric.size())) {
        return Internal("the gradient of input ", differentiated_[k], " is ", gradients[k].ToString());
      }
      worst = std::max(worst, Difference(gradients[k].values<double>(), numeric));
    }
    return worst;
  }

 private:
  static double Difference(std::span<const double> actual, const std::vector<double>& expected) {
    double scale = 1e-6;  // gradients that are all smaller are compared absolutely
    double difference = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      if (!std::isfinite(actual[i])) return INFINITY;
      scale = std::max({scale, std::abs(actual[i]), std::abs(expected[i])});
      difference = std::max(difference, std::abs(actual[i] - expected[i]));
    }
    return difference / scale;
  }

  Status ChooseWeights() {
    DF_ASSIGN(const std::vector<Tensor> outputs, RunOp(test_.inputs));
    for (size_t port = 0; port < outputs.size(); ++port) {
      if (outputs[port].dtype() != DType::kDouble || Contains(test_.ignored, static_cast<int>(port))) continue;
      ys_.push_back({op_.node, static_cast<int32_t>(port)});
      weights_.push_back(Uniform(outputs[port].shape(), 0.5, 2, 77 + port));
      weight_nodes_.push_back(maker_.Const(StrCat("w", port), AsOfOp(weights_.back())));
    }
    return ys_.empty() ? Internal("the op has no float64 output") : Status();
  }

  // Here all is float64, in the graph it is of the op's dtype.
  Tensor AsOfOp(const Tensor& value) const {
    return test_.dtype == DType::kFloat ? Converted<double, float>(value) : value;
  }
  static std::vector<Tensor> AsDouble(const std::vector<Tensor>& values) {
    std::vector<Tensor> wide;
    for (const Tensor& value : values) wide.push_back(Converted<float, double>(value));
    return wide;
  }

  Result<std::vector<Tensor>> RunOp(const std::vector<Tensor>& inputs) {
    const Node& node = maker_.graph.node(op_.node);
    const NodeInfo info{node.name, node.op, node.input_types, node.output_types};
    std::vector<Tensor> of_op;
    for (const Tensor& input : inputs) of_op.push_back(AsOfOp(input));
    DF_ASSIGN(const std::vector<Tensor> outputs,
              RunKernelOnce(info, node.attrs, of_op, *device_, pool_, KernelRegistry::Builtin()));
    return AsDouble(outputs);
  }

  Result<std::vector<Tensor>> Gradients() {
    std::vector<Output> xs;
    for (size_t i : differentiated_) xs.push_back(inputs_[i]);
    GradientOptions options;
    options.grad_ys = weight_nodes_;
    DF_ASSIGN(const std::vector<GradientValue> values, AddGradients(maker_.graph, ys_, xs, options));
    std::vector<Output> dense;
    for (size_t k = 0; k < xs.size(); ++k) {
      if (!values[k].exists) {
        dense.push_back(maker_.Add(StrCat("dense", k), "ZerosLike", {xs[k]}));
        continue;
      }
      DF_ASSIGN(const Output value, DenseGradient(maker_.graph, values[k], xs[k], StrCat("dense", k)));
      dense.push_back(value);
    }
    DF_ASSIGN(const std::vector<Tensor> gradients, GraphEvaluator(feeds_).Fetch(maker_.graph, dense));
    return AsDouble(gradients);
  }

  Result<double> Value(const std::vector<Tensor>& inputs) {
    DF_ASSIGN(const std::vector<Tensor> outputs, RunOp(inputs));
    double sum = 0;
    for (size_t k = 0; k < ys_.size(); ++k) {
      const std::span<const double> y = outputs[static_cast<size_t>(ys_[k].port)].values<double>();
      sum = std::inner_product(y.begin(), y.end(), weights_[k].data<double>(), sum);
    }
    return sum;
  }

  Result<std::vector<double>> NumericGradient(size_t input) {
    std::vector<Tensor> inputs = test_.inputs;
    DF_ASSIGN(inputs[input], inputs[input].Copy(SystemAllocator()));
    std::vector<double> gradient;
    for (int64_t i = 0; i < inputs[input].num_elements(); ++i) {
      double& x = inputs[input].data<double>()[i];
      const double at = x;
      const auto slope = [&](double h) -> Result<double> {
        x = at + h;
        DF_ASSIGN(const double above, Value(inputs));
        x = at - h;
        DF_ASSIGN(const double below, Value(inputs));
        x = at;
        return (above - below) / (2 * h);
      };
      const double step = test_.dtype == DType::kFloat ? 0x1p-5 : 1e-3;
      DF_ASSIGN(const double coarse, slope(step));
      DF_ASSIGN(const double fine, slope(step / 2));
      gradient.push_back((4 * fine - coarse) / 3);
    }
    return gradient;
  }

  const GradientCase& test_;
  GraphMaker maker_;
  const std::unique_ptr<Device> device_ = MakeTestedDevice();
  InlineThreadPool pool_;
  std::vector<Output> inputs_;
  std::vector<size_t> differentiated_;
  GraphEvaluator::Values feeds_;
  Output op_;
  std::vector<Output> ys_;
  std::vector<Tensor> weights_;  // by ys_
  std::vector<Output> weight_nodes_;
};

}  // namespace

Result<double> GradientError(const GradientCase& test, bool static_shapes) {
  return Checker(test, static_shapes).Error();
}

Tensor Uniform(const Shape& shape, double low, double high, uint64_t seed) {
  Tensor values(DType::kDouble, shape);
  const auto n = static_cast<size_t>(values.num_elements());
  std::vector<double> grid(n);  // evenly spaced, then shuffled: neighbours differ by (high - low) / n
  for (size_t i = 0; i < n; ++i)
    grid[i] = low + (high - low) * (static_cast<double>(i) + 0.31) / static_cast<double>(n);
  std::mt19937_64 random(seed);
  for (size_t i = n; i > 1; --i) std::swap(grid[i - 1], grid[random() % i]);
  std::copy(grid.begin(), grid.end(), values.data<double>());
  return values;
}

}  // namespace dfrun::testing
