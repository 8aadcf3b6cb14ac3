// The rules by which ops keep the samples of a batch apart (src/framework/op/sample_rows.h), on the golden cases of
// every op that has one: what a rule calls rows is computed for each row alone, for batches of 2, 3, 16, 64 and 300 and
// for rows in another order, and must have equal bits. One test an op and family.
//
// The cases are small; the products and sums of many elements are tested by themselves, since there a kernel may choose
// its blocks by the number of rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "src/framework/device/device_factory.h"
#include "src/framework/values/element_types.h"
#include "src/graph/graph_ops.h"
#include "src/graph/order/batch_rows.h"
#include "tests/conformance/kernels/golden_file.h"
#include "tests/conformance/kernels/row_rules.h"
#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/random_tensor.h"

namespace dfrun::testing {
namespace {

// A node whose inputs `rows` hold one row a sample.
struct RowCase {
  std::string op;
  AttrMap attrs;
  std::vector<Tensor> inputs;
  std::vector<size_t> rows;

  int64_t samples() const { return inputs[rows[0]].shape()[0]; }
  bool HasRows(size_t input) const { return std::find(rows.begin(), rows.end(), input) != rows.end(); }
};

// The rows of `value` with these numbers.
Tensor PickRows(const Tensor& value, const std::vector<int64_t>& numbers) {
  Shape shape = value.shape();
  shape.set_dim(0, static_cast<int64_t>(numbers.size()));
  Tensor out(value.dtype(), shape);
  for (size_t i = 0; i < numbers.size(); ++i) {
    Tensor to = out.SliceRows(static_cast<int64_t>(i), static_cast<int64_t>(i) + 1);
    CopyElements(value.SliceRows(numbers[i], numbers[i] + 1), to);
  }
  return out;
}

std::vector<Tensor> InputsOf(const RowCase& c, const std::vector<int64_t>& numbers) {
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    inputs.push_back(c.HasRows(i) ? PickRows(c.inputs[i], numbers) : c.inputs[i]);
  }
  return inputs;
}

// Returns what the op's rule says of the outputs for a batch of so many samples; nothing where the node does not allow
// it.
std::optional<std::vector<SampleRows>> RuleOf(const RowCase& c, int64_t samples) {
  Graph graph;
  GraphOps ops(graph, "");
  std::vector<Output> inputs;
  std::vector<SampleRows> rows;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    rows.push_back(c.HasRows(i) ? SampleRows::Rows() : SampleRows::None());
    if (!c.HasRows(i)) {
      inputs.push_back(ops.Const("fixed", c.inputs[i]));
      continue;
    }
    PartialShape shape = c.inputs[i].shape();
    shape.set_dim(0, samples);
    inputs.push_back(ops.Add("rows", "Placeholder", {}, {{"dtype", c.inputs[i].dtype()}, {"shape", shape}}));
  }
  const Output node = ops.Add("node", c.op, inputs, c.attrs);
  if (!ops.status().ok()) return std::nullopt;
  return RowsOfNode(graph, graph.node(node.node), rows, samples);
}

// The outputs that are rows whatever the batch, with their rows a sample; 0: no rows.
std::vector<int64_t> ClaimedRows(const RowCase& c) {
  const auto at = RuleOf(c, c.samples());
  const auto beside = RuleOf(c, c.samples() + 1);
  if (!at || !beside) return {};
  std::vector<int64_t> claimed;
  for (size_t i = 0; i < at->size(); ++i) {
    const bool is_same = (*at)[i].is_rows() && (*at)[i] == (*beside)[i];
    claimed.push_back(is_same ? (*at)[i].per_sample : 0);
  }
  return claimed;
}

std::vector<Input> AsInputs(const std::vector<Tensor>& tensors) {
  return std::vector<Input>(tensors.begin(), tensors.end());
}

// Compares each row of a batch with the row that its sample gives alone.
void CheckBatch(const RowCase& c, const std::vector<int64_t>& claimed, const std::vector<std::vector<Tensor>>& alone,
                const std::vector<int64_t>& numbers, NodeRunner& runner) {
  for (const NodeRunner::Way way : {NodeRunner::Way::kStaticShapes, NodeRunner::Way::kThreads}) {
    const Result<std::vector<Tensor>> batch = runner.Run(way, c.op, c.attrs, AsInputs(InputsOf(c, numbers)));
    ASSERT_TRUE(batch.ok()) << batch.status().ToString();
    for (size_t o = 0; o < claimed.size(); ++o) {
      if (claimed[o] == 0) continue;
      const auto samples = static_cast<int64_t>(numbers.size());
      ASSERT_EQ((*batch)[o].shape()[0], samples * claimed[o]) << "output " << o;
      for (int64_t i = 0; i < samples; ++i) {
        const Tensor rows = (*batch)[o].SliceRows(i * claimed[o], (i + 1) * claimed[o]);
        const Tensor& own = alone[static_cast<size_t>(numbers[static_cast<size_t>(i)])][o];
        ASSERT_TRUE(rows.Identical(own)) << "output " << o << ": sample " << i << " of " << samples << " is "
                                         << rows.ToString() << ", alone " << own.ToString();
      }
    }
  }
}

// Checks what the op's rule claims; returns whether it claims anything.
bool CheckRows(const RowCase& c, NodeRunner& runner) {
  const std::vector<int64_t> claimed = ClaimedRows(c);
  if (std::all_of(claimed.begin(), claimed.end(), [](int64_t k) { return k == 0; })) return false;
  std::vector<std::vector<Tensor>> alone;
  for (int64_t i = 0; i < c.samples(); ++i) {
    const Result<std::vector<Tensor>> own =
        runner.Run(NodeRunner::Way::kStaticShapes, c.op, c.attrs, AsInputs(InputsOf(c, {i})));
    EXPECT_TRUE(own.ok()) << own.status().ToString();
    if (!own.ok()) return true;
    alone.push_back(*own);
  }
  for (const int64_t samples : {2, 3, 16, 64, 300}) {
    for (const int64_t stride : {1, 7}) {  // the second: in another order
      std::vector<int64_t> numbers(static_cast<size_t>(samples));
      for (int64_t i = 0; i < samples; ++i) numbers[static_cast<size_t>(i)] = (i * stride + stride / 2) % c.samples();
      CheckBatch(c, claimed, alone, numbers, runner);
      if (::testing::Test::HasFatalFailure()) return true;
    }
  }
  return true;
}

class RowRulesTest : public ::testing::Test {
 public:
  RowRulesTest(std::shared_ptr<const GoldenText> file, std::string op) : file_(std::move(file)), op_(std::move(op)) {}

  void TestBody() override {
    const Result<std::vector<GoldenCase>> cases = ParseCases(*file_, op_);
    ASSERT_TRUE(cases.ok()) << cases.status().ToString();
    NodeRunner runner{std::string(HostDeviceType())};
    for (const GoldenCase& c : *cases) {
      if (!c.error.empty() || !c.variables.empty() || !c.tables.empty()) continue;
      SCOPED_TRACE(StrCat(file_->path, ":", c.line, ": ", c.op, " ", c.name));
      CheckCase(c, runner);
    }
  }

 private:
  // Checks the case with each choice of inputs of one first size as the samples.
  static void CheckCase(const GoldenCase& c, NodeRunner& runner) {
    constexpr size_t kMaxInputs = 6;
    const size_t inputs = std::min(c.inputs.size(), kMaxInputs);
    for (size_t chosen = 1; chosen < size_t{1} << inputs; ++chosen) {
      RowCase rows{c.op, c.attrs, c.inputs, {}};
      bool fits = true;
      for (size_t i = 0; i < inputs; ++i) {
        if ((chosen >> i & 1) == 0) continue;
        const Shape& shape = c.inputs[i].shape();
        fits = fits && shape.rank() > 0 && shape[0] > 0 &&
               (rows.rows.empty() || shape[0] == c.inputs[rows.rows[0]].shape()[0]);
        rows.rows.push_back(i);
      }
      if (fits && rows.samples() <= 64) CheckRows(rows, runner);
      if (::testing::Test::HasFatalFailure()) return;
    }
  }

  const std::shared_ptr<const GoldenText> file_;
  const std::string op_;
};

Tensor Random(const Shape& shape, DType dtype, uint32_t seed) {
  Tensor value;
  VisitDType<DF_FLOATS>(dtype, [&](auto tag) { value = RandomNormal<typename decltype(tag)::type>(shape, seed); });
  return value;
}

// Products with inner dimensions around the sizes of blocks, of one and of many columns.
TEST(RowRules, ProductsOfManyElements) {
  NodeRunner runner{std::string(HostDeviceType())};
  for (const DType dtype : {DType::kFloat, DType::kDouble, DType::kHalf, DType::kBfloat16}) {
    for (const int64_t inner : {1, 3, 31, 256, 300, 1030}) {
      for (const int64_t columns : {1, 10, 65, 260}) {
        for (const bool transposed : {false, true}) {
          SCOPED_TRACE(StrCat("MatMul ", dtype, " ", inner, " ", columns, " ", transposed));
          const Shape b = transposed ? Shape({columns, inner}) : Shape({inner, columns});
          const RowCase c{"MatMul",
                          {{"transpose_b", transposed}},
                          {Random(Shape({31, inner}), dtype, 1), Random(b, dtype, 2)},
                          {0}};
          EXPECT_TRUE(CheckRows(c, runner));
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(RowRules, ProductsOfBatches) {
  NodeRunner runner{std::string(HostDeviceType())};
  for (const int64_t inner : {3, 64, 300}) {
    SCOPED_TRACE(inner);
    const Tensor x = Random(Shape({9, 5, inner}), DType::kFloat, 1);
    EXPECT_TRUE(CheckRows({"BatchMatMulV2", {}, {x, Random(Shape({9, inner, 7}), DType::kFloat, 2)}, {0, 1}}, runner));
    EXPECT_TRUE(CheckRows({"BatchMatMulV2", {}, {x, Random(Shape({inner, 7}), DType::kFloat, 2)}, {0}}, runner));
    EXPECT_TRUE(CheckRows(
        {"Einsum", {{"equation", std::string("bik,kj->bij")}}, {x, Random(Shape({inner, 7}), DType::kFloat, 2)}, {0}},
        runner));
    EXPECT_TRUE(CheckRows({"Einsum",
                           {{"equation", std::string("bik,bjk->bij")}},
                           {x, Random(Shape({9, 4, inner}), DType::kFloat, 2)},
                           {0, 1}},
                          runner));
  }
}

TEST(RowRules, ConvolutionsOfImages) {
  NodeRunner runner{std::string(HostDeviceType())};
  const std::vector<int64_t> ones = {1, 1, 1, 1};
  for (const int64_t size : {5, 14, 28}) {
    for (const int64_t channels : {1, 3, 16, 64}) {
      for (const int64_t window : {1, 3, 5}) {
        SCOPED_TRACE(StrCat("size ", size, ", ", channels, " channels, window ", window));
        const Tensor images = Random(Shape({7, size, size, channels}), DType::kFloat, 1);
        const AttrMap attrs = {{"strides", ones}, {"padding", std::string("SAME")}};
        const Tensor filter = Random(Shape({window, window, channels, 24}), DType::kFloat, 2);
        EXPECT_TRUE(CheckRows({"Conv2D", attrs, {images, filter}, {0}}, runner));
        const Tensor depthwise = Random(Shape({window, window, channels, 2}), DType::kFloat, 2);
        EXPECT_TRUE(CheckRows({"DepthwiseConv2dNative", attrs, {images, depthwise}, {0}}, runner));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(RowRules, SumsOfManyElements) {
  NodeRunner runner{std::string(HostDeviceType())};
  for (const int64_t size : {7, 100, 1000, 5003}) {
    SCOPED_TRACE(size);
    const Tensor x = Random(Shape({37, size}), DType::kFloat, 1);
    const Tensor last = Tensor::Scalar<int32_t>(1);
    for (const char* op : {"Sum", "Mean", "EuclideanNorm", "Prod", "Max", "ArgMax", "Cumsum"}) {
      SCOPED_TRACE(op);
      EXPECT_TRUE(CheckRows({op, {}, {x, last}, {0}}, runner));
    }
    for (const char* op : {"Softmax", "LogSoftmax", "Tanh", "Sigmoid", "Exp", "Erf", "Gelu", "Rsqrt"}) {
      SCOPED_TRACE(op);
      EXPECT_TRUE(CheckRows({op, {}, {x}, {0}}, runner));
    }
    const Tensor scale = Random(Shape({size}), DType::kFloat, 3);
    EXPECT_TRUE(CheckRows({"LayerNorm", {}, {x, scale, scale}, {0}}, runner));
    const Tensor table = Random(Shape({5, 3, size}), DType::kFloat, 1);
    EXPECT_TRUE(CheckRows({"Sum", {}, {table, last}, {0}}, runner));
  }
}

// A value that depends on other samples is not called a row.
TEST(RowRules, SaySoWhereSamplesMix) {
  const Tensor x = Random(Shape({4, 4}), DType::kFloat, 1);
  const auto claims = [&](const std::string& op, const AttrMap& attrs, const std::vector<Tensor>& inputs,
                          const std::vector<size_t>& rows) {
    const std::vector<int64_t> claimed = ClaimedRows({op, attrs, inputs, rows});
    return std::any_of(claimed.begin(), claimed.end(), [](int64_t k) { return k > 0; });
  };
  EXPECT_TRUE(claims("MatMul", {}, {x, x}, {0}));
  EXPECT_FALSE(claims("MatMul", {}, {x, x}, {1}));
  EXPECT_FALSE(claims("MatMul", {}, {x, x}, {0, 1}));
  EXPECT_FALSE(claims("MatMul", {{"transpose_a", true}}, {x, x}, {0}));
  EXPECT_FALSE(claims("Sum", {}, {x, Tensor::Scalar<int32_t>(0)}, {0}));
  EXPECT_FALSE(claims("Mean", {}, {x, Tensor::Vector<int32_t>({0, 1})}, {0}));
  EXPECT_TRUE(claims("Mean", {}, {x, Tensor::Scalar<int32_t>(-1)}, {0}));
  EXPECT_FALSE(claims("Transpose", {}, {x, Tensor::Vector<int32_t>({1, 0})}, {0}));
  EXPECT_FALSE(claims("ConcatV2", {}, {x, x, Tensor::Scalar<int32_t>(0)}, {0, 1}));
  EXPECT_TRUE(claims("ConcatV2", {}, {x, x, Tensor::Scalar<int32_t>(1)}, {0, 1}));
  EXPECT_FALSE(claims("Add", {}, {x, x}, {0}));  // the second is a table with a line for each place in the batch
  EXPECT_TRUE(claims("Add", {}, {x, Random(Shape({4}), DType::kFloat, 2)}, {0}));
  EXPECT_FALSE(claims("Softmax", {}, {Random(Shape({4}), DType::kFloat, 2)}, {0}));
  EXPECT_FALSE(claims("ReverseV2", {}, {x, Tensor::Vector<int32_t>({0})}, {0}));
  EXPECT_FALSE(claims("Cumsum", {}, {x, Tensor::Scalar<int32_t>(0)}, {0}));
  EXPECT_FALSE(claims("Gather", {}, {x, Tensor::Vector<int32_t>({0, 1, 2, 3})}, {0}));
}

}  // namespace

void RegisterRowRules(const std::string& path) {
  Result<GoldenText> read = ReadGoldenText(path);
  if (!read.ok()) return;  // the tests of the cases themselves end the program
  const auto file = std::make_shared<const GoldenText>(*std::move(read));
  for (const std::string& op : OpsOf(*file)) {
    const OpDef* const def = OpRegistry::Builtin().Find(op);
    if (def == nullptr || (!def->traits.rows && !def->traits.elementwise)) continue;
    ::testing::RegisterTest(("rows_" + FamilyOf(path)).c_str(), op.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [file, op] { return new RowRulesTest(file, op); });
  }
}

}  // namespace dfrun::testing
