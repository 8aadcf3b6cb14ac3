// First and second derivatives against TensorFlow's, complex ones included, and where those are not the derivatives
// against these; tests/golden/gradients/math_cases.py says what the cases mean.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "src/autodiff/gradient_rule.h"
#include "src/autodiff/gradients.h"
#include "src/framework/values/element_types.h"
#include "tests/conformance/kernels/golden_file.h"
#include "tests/conformance/kernels/recorded_case.h"
#include "tests/unit/testing/graph_evaluator.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun::testing {
namespace {

// Tolerance for terms that cancel: their difference is wrong in the last digits of the terms, which are near 1.
constexpr double kTolerance = 1e-13;

bool IsDifferentiated(const Tensor& t) {
  return IsFloating(t.dtype()) || IsComplex(t.dtype());
}

template <class T>
struct PartOf {
  using type = T;
};
template <class T>
struct PartOf<std::complex<T>> {
  using type = T;
};

// The elements as real numbers, each part of a complex one by itself.
std::vector<double> Parts(const Tensor& t) {
  std::vector<double> parts;
  VisitDType<DF_FLOATS, DF_COMPLEX>(t.dtype(), [&](auto tag) {
    using Part = typename PartOf<typename decltype(tag)::type>::type;
    const auto* const begin = static_cast<const Part*>(t.raw());
    for (size_t i = 0; i < t.num_bytes() / sizeof(Part); ++i) parts.push_back(static_cast<double>(begin[i]));
  });
  return parts;
}

double LargestDifference(const Tensor& expected, const Tensor& actual) {
  if (!(expected.shape() == actual.shape()) || expected.dtype() != actual.dtype()) return INFINITY;
  const std::vector<double> a = Parts(expected);
  const std::vector<double> b = Parts(actual);
  double scale = 1;
  double difference = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return INFINITY;
    scale = std::max(scale, std::abs(a[i]));
    difference = std::max(difference, std::abs(a[i] - b[i]));
  }
  return difference / scale;
}

int gradient_cases = 0;
int recorded_gradient_cases = 0;

class GradientCaseRunner {
 public:
  explicit GradientCaseRunner(const GoldenCase& c) : case_(c) {}

  // The gradients, then the gradients of these, as the case has them.
  Result<std::vector<Tensor>> Run() {
    AddInputs();
    if (!dy_.valid()) return InvalidArgument("the case has no dy");
    const Output y = maker_.Add("op", case_.op, op_inputs_, case_.attrs);
    FindRefused(maker_.graph.node(y.node));
    DF_ASSIGN(std::vector<Output> fetches, Differentiate({y}, xs_, {dy_}));
    if (!weights_.empty()) {
      std::vector<Output> by = xs_;
      by.push_back(dy_);
      DF_ASSIGN(const std::vector<Output> second, Differentiate(fetches, by, weights_));
      fetches.insert(fetches.end(), second.begin(), second.end());
    }
    if (!RunsRecorded()) return GraphEvaluator().Fetch(maker_.graph, fetches);
    return FetchRecorded(fetches);
  }
  // Returns, after Run(), whether the value is a gradient that the op's definition says does not exist. TensorFlow
  // gives none, or a part of it, and no error.
  bool IsRefused(size_t value) const {
    const size_t x = value % xs_.size();
    return value < 2 * xs_.size() && refused_.contains(xs_[x].node);
  }

 private:
  // Returns the values from captured steps. If the device has no kernel for a node of the case, there is no such plan.
  Result<std::vector<Tensor>> FetchRecorded(const std::vector<Output>& fetches) {
    const std::unique_ptr<Device> device = MakeTestedDevice();
    const KernelRegistry& kernels = KernelRegistry::Builtin();
    const auto has_kernel = [&](const Node& node) {
      return node.op->name == "Const" || kernels.Find(node.op->name, device->type(), node.attrs).ok();
    };
    const auto& nodes = maker_.graph.nodes();
    ++gradient_cases;
    if (!std::all_of(nodes.begin(), nodes.end(), has_kernel)) {
      return GraphEvaluator().Fetch(maker_.graph, fetches);
    }
    DF_ASSIGN(RecordedRun run, RunRecordedGraph(maker_.graph, fetches, *device));
    if (run.why_not.empty()) ++recorded_gradient_cases;
    return std::move(run.outputs);
  }

  // Returns how many of the case's inputs are the op's; dy and, maybe, a weight for each differentiated one follow.
  size_t CountOpInputs() const {
    const std::vector<Tensor>& all = case_.inputs;
    const std::vector<ArgDef>& arguments = OpRegistry::Builtin().Find(case_.op)->inputs;
    const auto is_list = [](const ArgDef& arg) { return !arg.number_attr.empty() || !arg.type_list_attr.empty(); };
    if (std::none_of(arguments.begin(), arguments.end(), is_list)) return arguments.size();
    for (size_t k = 1; k < all.size(); ++k) {
      const auto rest = all.begin() + static_cast<std::ptrdiff_t>(k);
      const auto xs = static_cast<size_t>(std::count_if(all.begin(), rest, IsDifferentiated));
      const size_t weights = case_.outputs.size() == xs ? 0 : xs;
      if (k + 1 + weights == all.size() && std::all_of(rest, all.end(), IsDifferentiated)) return k;
    }
    return all.size();
  }
  void AddInputs() {
    const size_t count = CountOpInputs();
    for (size_t i = 0; i < case_.inputs.size(); ++i) {
      const Output input = maker_.Const(StrCat("in", i), case_.inputs[i]);
      if (i < count) op_inputs_.push_back(input);
      if (i < count && IsDifferentiated(case_.inputs[i])) xs_.push_back(input);
      if (i == count) dy_ = input;
      if (i > count) weights_.push_back(input);
    }
  }
  void FindRefused(const Node& op) {
    for (int i = 0; i < op.num_inputs(); ++i) {
      if (FlowThrough(maker_.graph, op, i, 0) != GradientFlow::kNone) continue;
      refused_.insert(op.inputs[i].node);
      Graph graph = maker_.graph.Clone();
      const std::vector<Output> y = {{op.id, 0}};
      EXPECT_FALSE(AddGradients(graph, y, std::vector<Output>{op.inputs[i]}).ok()) << "by input " << i;
    }
  }
  // Dense; zeros where there is none.
  Result<std::vector<Output>> Differentiate(const std::vector<Output>& ys, const std::vector<Output>& xs,
                                            const std::vector<Output>& grad_ys) {
    GradientOptions options;
    options.grad_ys = grad_ys;
    std::vector<Output> asked = xs;
    std::erase_if(asked, [&](Output x) { return refused_.contains(x.node); });
    DF_ASSIGN(const std::vector<GradientValue> given, AddGradients(maker_.graph, ys, asked, options));
    std::vector<GradientValue> values;
    for (size_t k = 0, next = 0; k < xs.size(); ++k) {
      values.push_back(refused_.contains(xs[k].node) ? GradientValue() : given[next++]);
    }
    std::vector<Output> dense;
    for (size_t k = 0; k < xs.size(); ++k) {
      const std::string name = StrCat("dense", made_++);
      if (!values[k].exists) {
        dense.push_back(maker_.Add(name, "ZerosLike", {xs[k]}));
        continue;
      }
      DF_ASSIGN(const Output value, DenseGradient(maker_.graph, values[k], xs[k], name));
      dense.push_back(value);
    }
    return dense;
  }

  const GoldenCase& case_;
  GraphMaker maker_;
  std::vector<Output> op_inputs_;
  std::vector<Output> xs_;
  Output dy_;
  std::vector<Output> weights_;
  std::set<NodeId> refused_;  // the op's inputs by which its definition gives no gradient
  int made_ = 0;
};

class GradientGoldenTest : public ::testing::TestWithParam<std::string> {
 protected:
  static void TearDownTestSuite() {
    if (!RunsRecorded()) return;
    std::printf("%d of %d gradient cases were recorded\n", recorded_gradient_cases, gradient_cases);
  }
};

TEST_P(GradientGoldenTest, GradientsAndTheirGradientsAreTensorFlows) {
  const Result<std::vector<GoldenCase>> cases = ReadGoldenFile(GetParam());
  ASSERT_TRUE(cases.ok()) << cases.status().ToString();
  for (const GoldenCase& c : *cases) {
    SCOPED_TRACE(StrCat(GetParam(), ":", c.line, ": ", c.op));
    GradientCaseRunner runner(c);
    const Result<std::vector<Tensor>> gradients = runner.Run();
    ASSERT_TRUE(gradients.ok()) << gradients.status().ToString();
    ASSERT_EQ(gradients->size(), c.outputs.size());
    for (size_t i = 0; i < c.outputs.size(); ++i) {
      if (runner.IsRefused(i)) continue;
      EXPECT_LT(LargestDifference(c.outputs[i], (*gradients)[i]), kTolerance)
          << "output " << i << ": expected " << c.outputs[i].ToString(16) << ", got " << (*gradients)[i].ToString(16);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, GradientGoldenTest, ::testing::ValuesIn(GoldenFiles(GoldenDir() + "/gradients")),
                         [](const auto& info) { return FamilyOf(info.param); });

}  // namespace
}  // namespace dfrun::testing
