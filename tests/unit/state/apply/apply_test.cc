// The optimisers' updates against TensorFlow's: two steps of each op on the same numbers.
#include <gtest/gtest.h>

#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/plain_device.h"

namespace dfrun {
namespace {

using testing::ExpectNear;
using testing::HostDevice;
using testing::Input;
using testing::Make;
using testing::NodeRunner;
using Way = NodeRunner::Way;

constexpr double kGrad = -1000;     // stands for the gradient among a case's inputs
constexpr double kIndices = -1001;  // stands for the rows of a sparse update

struct Case {
  const char* op;
  AttrMap attrs;
  std::vector<double> inputs;                 // inputs after the variables
  std::vector<std::vector<double>> expected;  // variables after two steps; from TensorFlow 2.21, float64
};

const std::vector<double> kVar = {1, -2, .5, 3, -1.5, .25};
const std::vector<double> kGradient = {.1, -.4, 2, .3, -.7, .9};

// Returns the initial values of a case's variables: the slots of a centred RMSProp must have ms > mg^2.
std::vector<double> SlotStart(const Case& c, size_t slot) {
  static const double kPlain[] = {.6, .7, .2};
  static const double kCentered[] = {.2, .6, .7};
  const bool centered = std::string(c.op).find("Centered") != std::string::npos;
  return std::vector<double>(6, centered ? kCentered[slot] : kPlain[slot]);
}

const Case kCases[] = {
    {"ApplyGradientDescent", {}, {0.1, kGrad}, {{0.98, -1.92, 0.1, 2.94, -1.36, 0.07}}},
    {"ApplyMomentum",
     {{"use_nesterov", false}},
     {0.1, kGrad, 0.9},
     {{0.8684, -1.9866, -0.1826, 2.8104, -1.3996, -0.1136}, {0.676, -0.274, 4.286, 1.056, -0.844, 2.196}}},
    {"ApplyMomentum",
     {{"use_nesterov", true}},
     {0.1, kGrad, 0.9},
     {{0.86156, -1.90794, -0.51434, 2.76936, -1.26964, -0.25724}, {0.676, -0.274, 4.286, 1.056, -0.844, 2.196}}},
    {"ApplyAdam",
     {{"use_nesterov", false}},
     {0.9, 0.999, 0.01, 0.9, 0.999, 1e-07, kGrad},
     {{0.9960095666792, -2.00344140188, 0.4939517756406, 2.995790526685, -1.50311131401, 0.2451361748184},
      {0.505, 0.41, 0.866, 0.543, 0.353, 0.657},
      {0.69862069, 0.69892054, 0.7065967, 0.69878061, 0.69958021, 0.70021989}}},
    {"ApplyAdam",
     {{"use_nesterov", true}},
     {0.9, 0.999, 0.01, 0.9, 0.999, 1e-07, kGrad},
     {{0.9963329611907, -2.002794715096, 0.4930500528253, 2.995984547031, -1.502270913346, 0.2449423015064},
      {0.505, 0.41, 0.866, 0.543, 0.353, 0.657},
      {0.69862069, 0.69892054, 0.7065967, 0.69878061, 0.69958021, 0.70021989}}},
    {"ApplyAdaMax",
     {},
     {0.9, 0.01, 0.9, 0.999, 1e-07, kGrad},
     {{0.8490625833697, -2.130188800252, 0.419700004015, 2.840763136818, -1.617571411776, 0.1070000158889},
      {0.505, 0.41, 0.866, 0.543, 0.353, 0.657},
      {0.6986007, 0.6986007, 2, 0.6986007, 0.7, 0.9}}},
    {"ApplyAdagrad",
     {{"update_slots", true}},
     {0.1, kGrad},
     {{0.9744962993067, -1.912413970414, 0.3385500852289, 2.92991593305, -1.377263150142, 0.1138022821348},
      {0.62, 0.92, 8.6, 0.78, 1.58, 2.22}}},
    {"ApplyAdagrad",
     {{"update_slots", false}},
     {0.1, kGrad},
     {{0.9741801110253, -1.896720444101, -0.01639777949432, 2.922540333076, -1.319260777177, 0.01762099922755},
      {0.6, 0.6, 0.6, 0.6, 0.6, 0.6}}},
    {"ApplyAdagradV2",
     {{"update_slots", true}},
     {0.1, 0.01, kGrad},
     {{0.9748174289242, -1.913364613873, 0.339214617879, 2.930725852984, -1.378338800331, 0.1148379521028},
      {0.62, 0.92, 8.6, 0.78, 1.58, 2.22}}},
    {"ApplyRMSProp",
     {},
     {0.1, 0.9, 0.5, 0.001, kGrad},
     {{0.4403235052459, -2.38899678029, -0.513362404478, 2.372068491252, -1.796395063108, -0.5585952879199},
      {0.4879, 0.5164, 1.246, 0.5031, 0.5791, 0.6399},
      {0.196093349131, 0.09259278217697, 0.4571877934212, 0.2374795170007, 0.03752730079449, 0.3444790838181}}},
    {"ApplyCenteredRMSProp",
     {},
     {0.1, 0.9, 0.5, 0.001, kGrad},
     {{0.4391043921691, -2.38714208153, -0.5659723033442, 2.367313176507, -1.794904696576, -0.5808063074575},
      {0.181, 0.086, 0.542, 0.219, 0.029, 0.333},
      {0.4879, 0.5164, 1.246, 0.5031, 0.5791, 0.6399},
      {0.1968361795628, 0.09170670470304, 0.4918888211782, 0.2405085386884, 0.03698604974395, 0.3593509189378}}},
    {"ApplyAdadelta",
     {},
     {0.1, 0.9, 0.001, kGrad},
     {{0.9772550846863, -1.910253589472, 0.1547551813673, 2.932263262528, -1.347398755586, 0.05891156105671},
      {0.4879, 0.5164, 1.246, 0.5031, 0.5791, 0.6399},
      {0.5694573200701, 0.6052584464929, 1.133171836851, 0.5887942371102, 0.6776138345814, 0.7404451793574}}},
    {"ApplyFtrl",
     {{"multiply_linear_by_lr", false}},
     {kGrad, 0.1, 0.05, 0.02, -0.5},
     {{-0.09998553060459, -0.208951355566, 0.1227393424361, 0.04190066645698, -0.3253457527215, -0.1037114525505},
      {0.62, 0.92, 8.6, 0.78, 1.58, 2.22},
      {0.8412862764919, 2.062549049948, -3.654333654882, -0.4217326929461, 4.15254652867, 1.599414298212}}},
    {"ApplyFtrl",
     {{"multiply_linear_by_lr", true}},
     {kGrad, 0.1, 0.05, 0.02, -0.5},
     {{-0.9025077764047, -0.9283102721829, -0.1657990212953, -0.7009146444791, -0.9264732096946, -0.6324859290576},
      {0.62, 0.92, 8.6, 0.78, 1.58, 2.22},
      {0.7192453648823, 0.8991171744386, 0.4918813703418, 0.6268347113526, 1.173264659533, 0.9499127534131}}},
    {"SparseApplyMomentum",
     {{"use_nesterov", false}},
     {0.1, kGrad, kIndices, 0.9},
     {{0.3174, -2.1896, 0.5, 3, -1.479396, -0.056046}, {4.286, 1.056, 0.6, 0.6, -0.71044, 1.37106}}},
    {"SparseApplyAdagrad",
     {{"update_slots", true}},
     {0.1, kGrad, kIndices},
     {{0.8385500852289, -2.07008406695, 0.5, 3, -1.400213027651, 0.1979957415604}, {8.6, 0.78, 0.6, 0.6, 1.6, 2.54}}},
    {"SparseApplyRMSProp",
     {},
     {0.1, 0.9, 0.5, 0.001, kGrad, kIndices},
     {{-0.01336240447797, -2.627931508748, 0.5, 3, -1.935574212107, -0.5499962379982},
      {1.246, 0.5031, 0.6, 0.6, 0.483979, 0.566334},
      {0.4571877934212, 0.2374795170007, 0.7, 0.7, -0.07176686671243, 0.1588111809636}}},
    {"SparseApplyAdadelta",
     {},
     {0.1, 0.9, 0.001, kGrad, kIndices},
     {{0.6547551813673, -2.067736737472, 0.5, 3, -1.371191899391, 0.1497002609687},
      {1.246, 0.5031, 0.6, 0.6, 0.483979, 0.566334},
      {1.133171836851, 0.5887942371102, 0.7, 0.7, 0.5652629595144, 0.6551654400694}}},
    {"SparseApplyFtrl",
     {{"multiply_linear_by_lr", false}},
     {kGrad, kIndices, 0.1, 0.05, 0.02, -0.5},
     {{0.4415659481218, -0.2819770950085, 0.5, 3, 0, -0.09841376961384},
      {8.6, 0.78, 0.6, 0.6, 1.6, 2.54},
      {-13.016918154171, 2.551633356697, 0.7, 0.7, -0.005542633278261, 1.622393943448}}},
};

template <class T>
Tensor Matrix(const std::vector<double>& values) {
  Tensor tensor(DTypeOf<T>, Shape({3, 2}));
  for (size_t i = 0; i < values.size(); ++i) tensor.data<T>()[i] = static_cast<T>(values[i]);
  return tensor;
}

// The variables of a case and two steps of its op on them, as refs or as handles.
template <class T>
class CaseRun {
 public:
  CaseRun(const Case& c, bool resource) : case_(c), resource_(resource) {
    for (size_t i = 0; i < c.expected.size(); ++i) {
      const std::string name = "v" + std::to_string(i);
      variables_.emplace_back(new Variable(name, DTypeOf<T>, PartialShape({3, 2})));
      MutexLock lock(variables_[i]->mu());
      EXPECT_TRUE(variables_[i]->Assign(Matrix<T>(i == 0 ? kVar : SlotStart(c, i - 1)), HostDevice()).ok());
    }
  }

  Status Step(Way way) {
    std::vector<Input> inputs;
    for (const RefPtr<Variable>& v : variables_) {
      if (resource_) {
        inputs.emplace_back(Tensor::Scalar(ResourceHandle(v->name(), RefPtr<Resource>(v.get()))));
      } else {
        inputs.emplace_back(*v);
      }
    }
    for (double value : case_.inputs) {
      inputs.emplace_back(value == kGrad      ? Matrix<T>(kGradient)
                          : value == kIndices ? Tensor::Vector<int32_t>({2, 0, 2})
                                              : Tensor::Scalar(static_cast<T>(value)));
    }
    return runner_.Run(way, (resource_ ? "Resource" : "") + std::string(case_.op), case_.attrs, inputs).status();
  }

  const Tensor& value(size_t i) const { return variables_[i]->value(); }

 private:
  const Case& case_;
  const bool resource_;
  std::vector<RefPtr<Variable>> variables_;
  NodeRunner runner_;
};

template <class T>
void CheckAgainstTensorFlow(double eps_count) {
  for (const Case& c : kCases) {
    for (bool resource : {false, true}) {
      SCOPED_TRACE(std::string(c.op) + (resource ? " on handles" : " on refs"));
      CaseRun<T> run(c, resource);
      for (Way way : {Way::kStaticShapes, Way::kThreads}) {
        const Status status = run.Step(way);
        ASSERT_TRUE(status.ok()) << status.ToString();
      }
      for (size_t i = 0; i < c.expected.size(); ++i) ExpectNear<T>(run.value(i), c.expected[i], eps_count);
    }
  }
}

// A few roundings a step; sqrt, pow and the division magnify them by little at these values.
TEST(Apply, DoubleAsTensorFlow) {
  CheckAgainstTensorFlow<double>(5000);
}  // the expected values have 13 digits
TEST(Apply, FloatAsTensorFlow) {
  CheckAgainstTensorFlow<float>(20);
}
// Scalars near 1 (beta2 = 0.999) lose most of 1 - beta2 in 16 bits, so only rules without such.
TEST(Apply, SixteenBitsRoundOnceAStep) {
  for (size_t i : {0, 1, 2}) {
    CaseRun<bfloat16> run(kCases[i], false);
    for (int step = 0; step < 2; ++step) ASSERT_TRUE(run.Step(Way::kStaticShapes).ok());
    ExpectNear<bfloat16>(run.value(0), kCases[i].expected[0], 6);
  }
}

TEST(Apply, RefusesWhatDoesNotFit) {
  NodeRunner runner;
  RefPtr<Variable> var(new Variable("var", DType::kFloat, PartialShape({2})));
  RefPtr<Variable> slot(new Variable("slot", DType::kFloat, PartialShape()));
  const Tensor lr = Tensor::Scalar(1.F);
  const Tensor grad = Tensor::Vector<float>({1, 2});
  auto momentum = [&](Way way, const Tensor& rate, const Tensor& g) {
    return runner.Run(way, "ApplyMomentum", {}, {*var, *slot, rate, g, rate}).status().code();
  };
  EXPECT_EQ(momentum(Way::kStaticShapes, lr, grad), Code::kFailedPrecondition);  // no value yet
  {
    MutexLock lock(var->mu());
    ASSERT_TRUE(var->Assign(grad, HostDevice()).ok());
  }
  EXPECT_EQ(momentum(Way::kStaticShapes, lr, grad), Code::kFailedPrecondition);
  {
    MutexLock lock(slot->mu());
    ASSERT_TRUE(slot->Assign(Tensor::Vector<float>({1, 2, 3}), HostDevice()).ok());
  }
  EXPECT_EQ(momentum(Way::kUnknownShapes, lr, grad), Code::kInvalidArgument);  // the slot's shape
  EXPECT_EQ(momentum(Way::kUnknownShapes, grad, grad), Code::kInvalidArgument);
  EXPECT_EQ(momentum(Way::kUnknownShapes, lr, lr), Code::kInvalidArgument);
  EXPECT_EQ(momentum(Way::kStaticShapes, lr, lr), Code::kInvalidArgument);
  EXPECT_TRUE(var->value().Identical(grad)) << "a refused update changes nothing";
}

TEST(Apply, SparseRefusesRowsThatAreNot) {
  NodeRunner runner;
  RefPtr<Variable> var(new Variable("var", DType::kFloat, PartialShape({2, 2})));
  RefPtr<Variable> slot(new Variable("slot", DType::kFloat, PartialShape({2, 2})));
  for (Variable* v : {var.get(), slot.get()}) {
    MutexLock lock(v->mu());
    ASSERT_TRUE(v->Assign(Make<float>(Shape({2, 2}), {1, 1, 1, 1}), HostDevice()).ok());
  }
  const Tensor row = Make<float>(Shape({1, 2}), {1, 1});
  auto apply = [&](const Tensor& grad, const Tensor& indices) {
    return runner.Run(Way::kUnknownShapes, "SparseApplyAdagrad", {}, {*var, *slot, Tensor::Scalar(1.F), grad, indices})
        .status();
  };
  for (int64_t bad : {int64_t{-1}, int64_t{2}, INT64_MIN, INT64_MAX}) {
    EXPECT_EQ(apply(row, Tensor::Vector<int64_t>({bad})).code(), Code::kInvalidArgument);
  }
  EXPECT_EQ(apply(row, Tensor::Vector<int64_t>({0, 1})).code(), Code::kInvalidArgument);
  EXPECT_EQ(apply(Tensor::Vector<float>({1, 1}), Tensor::Vector<int64_t>({0})).code(), Code::kInvalidArgument);
  EXPECT_TRUE(apply(row, Tensor::Vector<int64_t>({1})).ok());
}

}  // namespace
}  // namespace dfrun
