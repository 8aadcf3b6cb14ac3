#include "tests/unit/autodiff/gradient_checker.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "src/autodiff/gradients.h"
#include "tests/unit/autodiff/numeric_slopes.h"
#include "tests/unit/autodiff/parts.h"
#include "tests/unit/testing/graph_evaluator.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun::testing {
namespace {

bool Contains(const std::vector<int>& list, int i) {
  return std::find(list.begin(), list.end(), i) != list.end();
}

bool IsSingle(DType dtype) {
  return dtype == DType::kFloat || dtype == DType::kComplex64;
}

// Returns `from`, in float32 if the case has that dtype.
Tensor OfCase(const GradientCase& test, const Tensor& from) {
  if (test.dtype != DType::kFloat || from.dtype() != DType::kDouble) return from;
  Tensor to(DType::kFloat, from.shape());
  std::transform(from.data<double>(), from.data<double>() + from.num_elements(), to.data<float>(),
                 [](double value) { return static_cast<float>(value); });
  return to;
}

// The op in a graph of its own.
struct OpGraph {
  OpGraph(const GradientCase& test, const std::vector<Tensor>& inputs, bool static_shapes) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::string name = StrCat("x", i);
      if (HasParts(inputs[i].dtype()) && !static_shapes) {
        xs.push_back(maker.Placeholder(name, PartialShape(), inputs[i].dtype()));
        feeds[name] = {inputs[i]};
      } else {
        xs.push_back(maker.Const(name, inputs[i]));
      }
    }
    const Result<NodeId> added = maker.graph.AddNode(NodeSpec{"op", test.op, xs, {}, test.attrs, "", "", {}});
    if (added.ok()) op = *added;
    status = added.ok() ? Status() : added.status();
  }
  const Node& node() const { return maker.graph.node(op); }

  GraphMaker maker;
  GraphEvaluator::Values feeds;
  std::vector<Output> xs;
  NodeId op = -1;
  Status status;
};

// A direction in which an input changes: the amounts by which these parts change.
using Direction = std::vector<std::pair<size_t, double>>;

class Checker {
 public:
  Checker(const GradientCase& test, const CheckOptions& options) : test_(test), options_(options) {
    for (const Tensor& input : test.inputs) inputs_.push_back(OfCase(test, input));
  }

  Result<std::vector<PairVerdict>> Run() {
    const OpGraph graph(test_, inputs_, /*static_shapes=*/true);
    DF_TRY(graph.status);
    graph_ = &graph;
    DF_ASSIGN(const std::vector<Tensor> outputs, RunOp());
    ChooseWeights(outputs);
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (HasParts(inputs_[i].dtype()) && !Contains(test_.fixed, static_cast<int>(i))) DF_TRY(AddNumeric(i));
    }
    std::vector<PairVerdict> verdicts;
    for (const int output : outputs_) Compare({output}, verdicts);
    if (outputs_.size() > 1) CompareSum(verdicts);
    return verdicts;
  }

 private:
  // The known derivatives of the weighted outputs along one direction of an input.
  struct Along {
    Direction direction;
    std::vector<std::optional<SlopeRange>> by_output;  // in the order of outputs_
  };

  Result<std::vector<Tensor>> RunOp() {
    const Node& node = graph_->node();
    const NodeInfo info{node.name, node.op, node.input_types, node.output_types};
    return RunKernelOnce(info, node.attrs, inputs_, *device_, pool_, KernelRegistry::Builtin());
  }

  // Chooses the weights; parts that are not finite get 0.
  void ChooseWeights(const std::vector<Tensor>& outputs) {
    for (size_t port = 0; port < outputs.size(); ++port) {
      if (!HasParts(outputs[port].dtype()) || Contains(test_.ignored, static_cast<int>(port))) continue;
      outputs_.push_back(static_cast<int>(port));
      const std::vector<double> at = PartsOf(outputs[port]);
      const Tensor values = Uniform(Shape({static_cast<int64_t>(at.size())}), 0.5, 2, 77 + port);
      Tensor weights(outputs[port].dtype(), outputs[port].shape());
      bool has_finite = at.empty();  // an empty output cannot be wrong
      for (size_t i = 0; i < at.size(); ++i) {
        const bool is_finite = std::isfinite(at[i]) && std::isfinite(at[IsComplex(weights.dtype()) ? i ^ 1 : i]);
        SetPart(weights, i, is_finite ? values.data<double>()[i] : 0);
        has_finite = has_finite || is_finite;
        has_infinite_ = has_infinite_ || !is_finite;
      }
      has_finite_.push_back(has_finite);
      weights_.push_back(weights);
      is_single_ = is_single_ || IsSingle(outputs[port].dtype());
    }
    for (const Tensor& input : inputs_) is_single_ = is_single_ || IsSingle(input.dtype());
  }

  std::vector<Direction> DirectionsOf(size_t input) const {
    const size_t count = PartsOf(inputs_[input]).size();
    std::vector<Direction> all;
    const bool mirrored = options_.is_self_adjoint && input == 0;
    for (size_t part = 0; part < count; ++part) {
      Direction direction = mirrored ? Mirrored(part) : Direction{{part, 1}};
      if (!direction.empty()) all.push_back(std::move(direction));
    }
    const size_t most = options_.most_elements;
    if (most == 0 || all.size() <= most) return all;
    std::vector<Direction> some;
    for (size_t i = 0; i < most; ++i) some.push_back(all[(i * all.size() + all.size() / 2) / most]);
    return some;
  }
  // Returns the direction of a part. In a self-adjoint matrix it has both mirrored elements, and is empty for the
  // second of them.
  Direction Mirrored(size_t part) const {
    const size_t parts = IsComplex(inputs_[0].dtype()) ? 2 : 1;
    const auto n = static_cast<size_t>(inputs_[0].shape()[inputs_[0].shape().rank() - 1]);
    const size_t element = part / parts;
    const size_t row = element / n % n;
    const size_t column = element % n;
    const bool is_imaginary = part % parts == 1;
    if (row < column || (row == column && is_imaginary)) return {};
    if (row == column) return {{part, 1}};
    const size_t mirror = (element - row * n - column + column * n + row) * parts + part % parts;
    return {{part, 1}, {mirror, is_imaginary ? -1 : 1}};
  }

  Status AddNumeric(size_t input) {
    const std::vector<double> at = PartsOf(inputs_[input]);
    DF_ASSIGN(inputs_[input], inputs_[input].Copy(SystemAllocator()));
    std::vector<Along>& all = numeric_[input];
    for (const Direction& direction : DirectionsOf(input)) {
      all.push_back({direction, std::vector<std::optional<SlopeRange>>(outputs_.size())});
      const double scale = std::exp2(std::ceil(std::log2(std::max(1.0, std::abs(at[direction[0].first])))));
      const std::vector<double> drifts = is_single_ ? std::vector<double>{0.01, 0.02} : std::vector{1e-5, 1e-3, 0.02};
      double h = scale * (is_single_ ? 0x1p-5 : 0x1p-10);
      for (const double most_drift : drifts) {
        if (AddSlopes(input, at, h, most_drift, all.back())) break;
        h /= is_single_ ? 4 : 32;
      }
    }
    return Status();
  }

  // Adds slopes. Returns true if all outputs have theirs now.
  bool AddSlopes(size_t input, const std::vector<double>& at, double h, double most_drift, Along& along) {
    std::vector<Stencil> stencils(outputs_.size());
    for (size_t step = 0; step < 5; ++step) {
      for (const auto& [part, factor] : along.direction) {
        SetPart(inputs_[input], part, at[part] + factor * h * (static_cast<double>(step) - 2));
      }
      const Result<std::vector<Tensor>> values = RunOp();
      // Read now, since an output may share the input's memory
      const bool fits = values.ok() && AddValues(*values, step, stencils);
      for (const auto& [part, factor] : along.direction) SetPart(inputs_[input], part, at[part]);
      if (!fits) return false;
    }
    const double epsilon = is_single_ ? 0x1p-23 : 0x1p-52;
    bool all = true;
    for (size_t k = 0; k < outputs_.size(); ++k) {
      if (along.by_output[k]) continue;
      const auto slopes = SlopesOf(stencils[k], h, epsilon, most_drift);
      if (slopes && has_finite_[k]) along.by_output[k] = Weighted(*slopes, PartsOf(weights_[k]));
      all = all && slopes.has_value();
    }
    return all;
  }

  bool AddValues(const std::vector<Tensor>& values, size_t step, std::vector<Stencil>& stencils) const {
    for (size_t k = 0; k < outputs_.size(); ++k) {
      const Tensor& value = values[static_cast<size_t>(outputs_[k])];
      if (!(value.shape() == weights_[k].shape())) return false;
      stencils[k][step] = PartsOf(value);
    }
    return true;
  }

  static SlopeRange Weighted(const std::vector<SlopeRange>& slopes, const std::vector<double>& weights) {
    SlopeRange sum;
    for (size_t i = 0; i < slopes.size(); ++i) {
      sum.low += weights[i] * (weights[i] < 0 ? slopes[i].high : slopes[i].low);
      sum.high += weights[i] * (weights[i] < 0 ? slopes[i].low : slopes[i].high);
    }
    return sum;
  }

  // Returns the gradients of these weighted outputs by each of `inputs`; no value for a gradient that does not exist.
  using Gradients = std::map<size_t, std::optional<std::vector<double>>>;
  Result<Gradients> GradientsOf(const std::vector<int>& outputs, const std::vector<size_t>& inputs) {
    OpGraph graph(test_, inputs_, options_.static_shapes);
    DF_TRY(graph.status);
    std::vector<Output> ys;
    std::vector<Output> xs;
    GradientOptions options;
    for (const int output : outputs) {
      ys.push_back({graph.op, output});
      options.grad_ys.push_back(graph.maker.Const(StrCat("w", output), weights_[IndexOf(output)]));
    }
    for (const size_t input : inputs) xs.push_back(graph.xs[input]);
    DF_ASSIGN(const std::vector<GradientValue> values, AddGradients(graph.maker.graph, ys, xs, options));
    Gradients gradients;
    std::vector<Output> fetches;
    std::vector<size_t> fetched;
    for (size_t k = 0; k < xs.size(); ++k) {
      gradients[inputs[k]] = std::nullopt;
      if (!values[k].exists) continue;
      DF_ASSIGN(const Output dense, DenseGradient(graph.maker.graph, values[k], xs[k], StrCat("dense", k)));
      fetches.push_back(dense);
      fetched.push_back(inputs[k]);
    }
    const Result<std::vector<Tensor>> tensors = GraphEvaluator(graph.feeds).Fetch(graph.maker.graph, fetches);
    if (!tensors.ok()) return Internal(kFailsInStep, tensors.status().ToString());
    for (size_t k = 0; k < fetched.size(); ++k) {
      if (!((*tensors)[k].shape() == inputs_[fetched[k]].shape())) {
        return Internal("the gradient of input ", fetched[k], " is ", (*tensors)[k].ToString());
      }
      gradients[fetched[k]] = PartsOf((*tensors)[k]);
    }
    return gradients;
  }

  // Returns the verdict for an error. A refusal names the op. A gradient that fails in the step, for instance because a
  // matrix has no inverse, tells nothing.
  static Verdict VerdictOn(const Status& status) {
    if (status.message().find(kFailsInStep) != std::string::npos) return Verdict::kUndecided;
    const bool is_meant = status.code() == Code::kInvalidArgument || status.code() == Code::kUnimplemented;
    return is_meant && status.message().find("'op'") != std::string::npos ? Verdict::kRefused : Verdict::kWrong;
  }
  static constexpr const char* kFailsInStep = "the gradient fails in the step: ";

  size_t IndexOf(int output) const {
    return static_cast<size_t>(std::find(outputs_.begin(), outputs_.end(), output) - outputs_.begin());
  }

  void Compare(const std::vector<int>& outputs, std::vector<PairVerdict>& verdicts) {
    std::vector<size_t> inputs;
    for (const auto& [input, along] : numeric_) inputs.push_back(input);
    if (const Result<Gradients> together = GradientsOf(outputs, inputs); together.ok()) {
      for (const auto& [input, gradient] : *together) {
        verdicts.push_back(VerdictOn(input, outputs[0], gradient));
        if (gradient) AddToSum(input, *gradient);
      }
      return;
    }
    for (const size_t input : inputs) {
      const Result<Gradients> alone = GradientsOf(outputs, {input});
      if (alone.ok()) {
        verdicts.push_back(VerdictOn(input, outputs[0], alone->at(input)));
      } else {
        verdicts.push_back({static_cast<int>(input), outputs[0], VerdictOn(alone.status()), alone.status().ToString()});
      }
      is_sum_known_ = false;
    }
  }

  void AddToSum(size_t input, const std::vector<double>& gradient) {
    std::vector<double>& sum = sums_[input];
    sum.resize(gradient.size(), 0);
    for (size_t i = 0; i < gradient.size(); ++i) sum[i] += gradient[i];
  }

  double tolerance() const { return options_.tolerance * (is_single_ ? 200 : 1); }

  PairVerdict VerdictOn(size_t input, int output, const std::optional<std::vector<double>>& gradient) {
    const size_t k = IndexOf(output);
    const auto along_gradient = [&](const Along& along) {
      double sum = 0;
      for (const auto& [part, factor] : along.direction) sum += gradient ? factor * (*gradient)[part] : 0;
      return sum;
    };
    double scale = 1e-6;  // smaller gradients are compared absolutely
    size_t decided = 0;
    for (const Along& along : numeric_.at(input)) {
      if (!along.by_output[k]) continue;
      ++decided;
      const double actual = along_gradient(along);
      if (std::isfinite(actual)) scale = std::max(scale, std::abs(actual));
      scale = std::max({scale, std::abs(along.by_output[k]->low), std::abs(along.by_output[k]->high)});
    }
    PairVerdict verdict{static_cast<int>(input), output, Verdict::kRight, ""};
    if (!gradient) verdict.verdict = Verdict::kSilent;
    for (const Along& along : numeric_.at(input)) {
      if (!along.by_output[k]) continue;
      const double actual = along_gradient(along);
      if (!std::isfinite(actual) && has_infinite_) {
        --decided;
        continue;
      }
      const SlopeRange range = *along.by_output[k];
      const double error = tolerance() * scale;
      if (actual >= range.low - error && actual <= range.high + error) continue;
      verdict.verdict = Verdict::kWrong;
      verdict.why = StrCat("part ", along.direction[0].first, gradient ? " is " : " has no gradient, ", actual,
                           ", the derivative lies in [", range.low, ", ", range.high, "]");
      return verdict;
    }
    if (decided == 0) verdict.verdict = numeric_.at(input).empty() ? Verdict::kEmpty : Verdict::kUndecided;
    return verdict;
  }

  // Compares the gradients of all outputs together.
  void CompareSum(std::vector<PairVerdict>& verdicts) {
    if (!is_sum_known_) return;
    std::vector<size_t> inputs;
    for (const auto& [input, along] : numeric_) inputs.push_back(input);
    const Result<Gradients> actual = GradientsOf(outputs_, inputs);
    if (!actual.ok()) {
      verdicts.push_back({-1, -1, Verdict::kWrong, StrCat("of all outputs: ", actual.status().ToString())});
      return;
    }
    for (const auto& [input, sum] : sums_) {
      const std::vector<double> got = actual->at(input).value_or(std::vector<double>(sum.size(), 0));
      double scale = 1e-6;
      double difference = 0;
      for (size_t i = 0; i < sum.size(); ++i) {
        if (!std::isfinite(sum[i])) continue;
        scale = std::max(scale, std::abs(sum[i]));
        difference = std::max(difference, std::abs(sum[i] - got[i]));
      }
      if (difference <= tolerance() * scale) continue;
      verdicts.push_back({static_cast<int>(input), -1, Verdict::kWrong,
                          StrCat("of all outputs at once it differs from the sum by ", difference)});
    }
  }

  const GradientCase& test_;
  const CheckOptions options_;
  const std::unique_ptr<Device> device_ = MakeTestedDevice();
  InlineThreadPool pool_;
  std::vector<Tensor> inputs_;  // in the dtypes of the op
  const OpGraph* graph_ = nullptr;
  std::vector<int> outputs_;
  std::vector<Tensor> weights_;                   // by outputs_
  bool is_single_ = false;                        // float32 is among the inputs or outputs
  bool has_infinite_ = false;                     // among the outputs
  std::vector<bool> has_finite_;                  // by outputs_
  std::map<size_t, std::vector<Along>> numeric_;  // by input
  std::map<size_t, std::vector<double>> sums_;
  bool is_sum_known_ = true;
};

}  // namespace

Result<std::vector<PairVerdict>> CheckGradients(const GradientCase& test, const CheckOptions& options) {
  return Checker(test, options).Run();
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
