#include "jobs/bench/node_cases.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "jobs/bench/bench_kernels_node.h"
#include "src/graph/graph_ops.h"
#include "src/graph/node_cost.h"

namespace dfrun::jobs {
namespace {

// A node that computes more takes some tenths of a second on a core.
constexpr double kMaxFlops = 4e9;
constexpr int64_t kMinInverse = 24;  // smaller ones count as element-wise
constexpr int64_t kMaxInverse = 256;

// Adds the nodes of one graph, each after the one before.
class CaseAdder {
 public:
  CaseAdder(Graph& graph, Device& device, const KernelRegistry& kernels)
      : device_(device), kernels_(kernels), ops_(graph, "") {}

  // A constant of this shape; those of equal shape and number share one.
  Output Floats(const std::vector<int64_t>& shape, int number = 0) {
    const Result<Tensor> values = FloatsOf(shape, number);
    if (!values.ok()) return Fail(values.status());
    return ops_.Const("x", *values);
  }
  Output Ints(const std::vector<int32_t>& values) {
    return ops_.Const("i", Tensor::Vector<int32_t>(std::span<const int32_t>(values)));
  }
  Output Pairs(const std::vector<int32_t>& values) {
    const Tensor flat = Tensor::Vector<int32_t>(std::span<const int32_t>(values));
    return ops_.Const("p", flat.Reshaped(Shape({static_cast<int64_t>(values.size()) / 2, 2})));
  }
  Output Int(int32_t value) { return ops_.Const("a", Tensor::Scalar(value)); }
  Output Scalar(float value) { return ops_.Const("s", Tensor::Scalar(value)); }
  // So many indices below `end`, each far from the one before.
  template <class T>
  Output Indices(int64_t count, int64_t end, DType dtype) {
    constexpr int64_t kPrime = 7919;
    Tensor indices(dtype, Shape({count}));
    for (int64_t i = 0; i < count; ++i) indices.data<T>()[i] = static_cast<T>(i * kPrime % end);
    return ops_.Const("n", indices);
  }

  // Adds a node to time, unless the device has no kernel for it.
  Output Case(const std::string& op, const std::vector<Output>& inputs, const AttrMap& attrs = {}) {
    const Output added = Add(kCasePrefix, op, inputs, attrs);
    if (added.valid()) before_ = {added.node};
    return added;
  }
  // Adds a node that others read; an invalid output where the device has no kernel for it.
  Output Add(const std::string& name, const std::string& op, const std::vector<Output>& inputs,
             const AttrMap& attrs = {}) {
    if (std::any_of(inputs.begin(), inputs.end(), [](Output input) { return !input.valid(); })) return {};
    AttrMap resolved = attrs;
    if (!resolved.Has("T")) resolved.Set("T", DType::kFloat);
    if (!kernels_.Find(op, device_.type(), resolved).ok()) return {};
    return ops_.Add(name, op, inputs, attrs, before_);
  }

  Status status() const { return status_.ok() ? ops_.status() : status_; }

 private:
  Output Fail(const Status& status) {
    if (status_.ok()) status_ = status;
    return {};
  }

  // Tensors of one number of elements share memory, whatever their shapes.
  Result<Tensor> FloatsOf(const std::vector<int64_t>& shape, int number) {
    const Shape wanted{std::vector<int64_t>(shape)};
    const auto found = floats_.find({wanted.num_elements(), number});
    if (found != floats_.end()) return found->second.Reshaped(wanted);
    DF_ASSIGN(Tensor values, RandomTensor(device_, DType::kFloat, wanted));
    floats_.emplace(std::pair(wanted.num_elements(), number), values);
    return values;
  }

  Device& device_;
  const KernelRegistry& kernels_;
  GraphOps ops_;
  Status status_;
  std::vector<NodeId> before_;
  std::map<std::pair<int64_t, int>, Tensor> floats_;
};

// Channels of rows of about n elements in all.
int64_t RowSize(int64_t n) {
  return std::clamp<int64_t>(n / 16, 1, 64);
}

void AddElementwise(CaseAdder& add, int64_t n) {
  const int64_t row = RowSize(n);
  const Output x = add.Floats({n});
  const Output y = add.Floats({n}, 1);
  const Output rows = add.Floats({n / row, row});
  add.Case("AddV2", {x, y});
  add.Case("Tanh", {x});
  add.Case("Mul", {x, y});
  add.Case("Relu", {x});
  add.Case("BiasAdd", {rows, add.Floats({row})});
  add.Case("RealDiv", {x, add.Scalar(3)});
  add.Case("ReluGrad", {x, y});
  add.Case("Softmax", {rows});
  add.Case("AddN", {x, y, x}, {{"N", int64_t{3}}});
}

void AddReductions(CaseAdder& add, int64_t n) {
  const int64_t row = RowSize(n);
  const Output rows = add.Floats({n / row, row});
  add.Case("Sum", {rows, add.Ints({0, 1})});
  add.Case("Mean", {rows, add.Ints({0})});
  add.Case("BiasAddGrad", {rows});
  add.Case("Sum", {rows, add.Ints({0})});
  add.Case("ArgMax", {rows, add.Int(1)});
  add.Case("SparseSoftmaxCrossEntropyWithLogits", {rows, add.Indices<int64_t>(n / row, row, DType::kInt64)});
}

void AddMovements(CaseAdder& add, int64_t n) {
  const auto side = static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
  const Output square = add.Floats({side, side});
  add.Case("Transpose", {square, add.Ints({1, 0})});
  add.Case("ConcatV2", {square, square, add.Int(1)}, {{"N", int64_t{2}}});
  add.Case("Slice", {square, add.Ints({0, 1}), add.Ints({static_cast<int32_t>(side), static_cast<int32_t>(side / 2)})});
  add.Case("Pad", {square, add.Pairs({1, 1, 1, 1})});
}

// Nodes that hand on what they get, or tell of it. The executor itself does what a NoOp, an Identity or a Reshape does.
void AddPassing(CaseAdder& add, int64_t n) {
  const Output x = add.Floats({n});
  add.Case("Identity", {x});
  add.Case("Reshape", {x, add.Ints({-1, 1})});
  add.Case("ExpandDims", {x, add.Int(0)});
  add.Case("Shape", {x});
  add.Case("Size", {x});
  add.Case("Rank", {x});
  add.Case("StopGradient", {x});
}

void AddGathers(CaseAdder& add, int64_t n) {
  const int64_t row = RowSize(n);
  const int64_t count = n / row;
  const Output rows = add.Floats({count, row});
  const Output indices = add.Indices<int32_t>(count, count, DType::kInt32);
  add.Case("GatherV2", {rows, indices, add.Int(0)});
  add.Case("GatherV2", {rows, add.Indices<int32_t>((count + 7) / 8, count, DType::kInt32), add.Int(0)});
  add.Case("UnsortedSegmentSum", {rows, indices, add.Int(static_cast<int32_t>(count))});
}

void AddRandoms(CaseAdder& add, int64_t n) {
  const Output shape = add.Ints({static_cast<int32_t>(n)});
  for (const char* op : {"RandomUniform", "RandomStandardNormal", "TruncatedNormal"}) {
    add.Case(op, {shape}, {{"dtype", DType::kFloat}, {"seed", int64_t{1}}});
  }
}

void AddProduct(CaseAdder& add, int64_t m, int64_t k, int64_t n, bool transposes_a = false, bool transposes_b = false) {
  if (2.0 * static_cast<double>(m * n) * static_cast<double>(k) > kMaxFlops) return;
  const Output a = transposes_a ? add.Floats({k, m}) : add.Floats({m, k});
  const Output b = transposes_b ? add.Floats({n, k}, 1) : add.Floats({k, n}, 1);
  add.Case("MatMul", {a, b}, {{"transpose_a", transposes_a}, {"transpose_b", transposes_b}});
}

void AddProducts(CaseAdder& add, int64_t n) {
  const auto side = static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
  AddProduct(add, side, side, side);
  AddProduct(add, 16, side, side);
  AddProduct(add, side, 32, side, true);
  AddProduct(add, 32, side, 10);
  AddProduct(add, 1, side, side);
  AddProduct(add, 64, 10, side, false, true);
  if (n < 64 || n > (int64_t{1} << 22)) return;
  add.Case("BatchMatMulV2", {add.Floats({n / 64, 8, 8}), add.Floats({n / 64, 8, 8}, 1)});
}

// A convolution of 3x3 and its gradients.
void AddConvolutions(CaseAdder& add, int64_t side, int64_t batch, int64_t channels, int64_t filters) {
  const std::vector<int64_t> image = {batch, side, side, channels};
  const std::vector<int64_t> filter = {3, 3, channels, filters};
  const std::vector<int64_t> result = {batch, side, side, filters};
  const auto sizes = [&](const std::vector<int64_t>& shape) {
    return add.Ints(std::vector<int32_t>(shape.begin(), shape.end()));
  };
  const AttrMap attrs = {{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", "SAME"}};
  const double flops = 18.0 * static_cast<double>(batch * side * side) * static_cast<double>(channels * filters);
  if (flops > kMaxFlops) return;
  add.Case("Conv2D", {add.Floats(image), add.Floats(filter)}, attrs);
  add.Case("Conv2DBackpropInput", {sizes(image), add.Floats(filter), add.Floats(result)}, attrs);
  add.Case("Conv2DBackpropFilter", {add.Floats(image), sizes(filter), add.Floats(result)}, attrs);
}

void AddPooling(CaseAdder& add, int64_t side, int64_t batch, int64_t channels) {
  const AttrMap attrs = {
      {"ksize", std::vector<int64_t>{1, 2, 2, 1}}, {"strides", std::vector<int64_t>{1, 2, 2, 1}}, {"padding", "SAME"}};
  const Output x = add.Floats({batch, side, side, channels});
  const Output pooled = add.Case("MaxPool", {x}, attrs);
  add.Case("AvgPool", {x}, attrs);
  add.Case("MaxPoolGrad", {x, pooled, add.Floats({batch, side / 2, side / 2, channels})}, attrs);
}

void AddImages(CaseAdder& add, int64_t n) {
  const int64_t side = n < 4096 ? 4 : n < (1 << 18) ? 8 : 32;
  const int64_t channels = std::clamp<int64_t>(n / 128, 1, 64);
  const int64_t batch = std::max<int64_t>(1, n / (side * side * channels));
  AddConvolutions(add, side, batch, channels, 32);
  AddConvolutions(add, side, std::max<int64_t>(1, n / (side * side)), 1, 8);
  AddPooling(add, side, batch, channels);
}

void AddOthers(CaseAdder& add, int64_t n) {
  const auto side = static_cast<int64_t>(std::sqrt(static_cast<double>(n)));
  const int64_t order = std::clamp(side, kMinInverse, kMaxInverse);
  add.Case("MatrixInverse", {add.Floats({order, order})});
}

// Updates of variables, which have their values before them. All graphs of a device share its variables by name.
void AddUpdates(CaseAdder& add, int64_t n) {
  const AttrMap attrs = {{"dtype", DType::kFloat}, {"shape", PartialShape({n})}};
  const Output variable = add.Add(StrCat("variable", n), "VariableV2", {}, attrs);
  const Output momentum = add.Add(StrCat("momentum", n), "VariableV2", {}, attrs);
  const Output x = add.Floats({n});
  add.Case("Assign", {variable, x});
  add.Case("Assign", {momentum, x});
  const Output rate = add.Scalar(0.1F);
  add.Case("ApplyMomentum", {variable, momentum, rate, add.Floats({n}, 1), rate});
  add.Case("ApplyGradientDescent", {variable, rate, x});
}

}  // namespace

Result<Graph> NodeCaseGraph(Device& device, const KernelRegistry& kernels, int level) {
  Graph graph;
  CaseAdder add(graph, device, kernels);
  const int64_t n = int64_t{16} << (2 * level);
  AddElementwise(add, n);
  AddProducts(add, n);
  AddReductions(add, n);
  AddImages(add, n);
  AddMovements(add, n);
  AddUpdates(add, n);
  AddGathers(add, n);
  AddRandoms(add, n);
  AddPassing(add, n);
  AddOthers(add, n);
  DF_TRY(add.status());
  return graph;
}

}  // namespace dfrun::jobs
