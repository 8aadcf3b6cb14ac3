// How fast kernels run on a card: each is enqueued many times on inputs that stay there. Prints a line a kernel: the
// time of a call in us, and what memory or arithmetic that is.
//   bench_card [WORD]      those whose line has the word
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>

#include "src/framework/device_factory.h"
#include "src/framework/device_part.h"
#include "src/framework/executor_access.h"
#include "src/framework/kernel_registry.h"
#include "src/graph/graph.h"
#include "tests/unit/testing/tested_device.h"

namespace dfrun::testing {
namespace {

struct Work {
  double bytes = 0;
  double flops = 0;
};

// A node of static shapes whose inputs lie where its kernel on the card wants them.
class BenchNode {
 public:
  BenchNode(Device& device, const std::string& op, const AttrMap& attrs, const std::vector<Tensor>& inputs)
      : device_(device) {
    NodeSpec spec;
    spec.name = "node";
    spec.op = op;
    spec.attrs = attrs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      NodeSpec input;
      input.name = StrCat("input", i);
      input.op = "Placeholder";
      input.attrs = {{"dtype", inputs[i].dtype()}, {"shape", PartialShape(inputs[i].shape())}};
      spec.inputs.push_back({*graph_.AddNode(std::move(input)), 0});
    }
    const Result<NodeId> id = graph_.AddNode(std::move(spec));
    DF_CHECK(id.ok());
    const Node& node = graph_.node(*id);
    info_ = {node.name, node.op, node.input_types, node.output_types};
    const Result<const KernelDef*> def = KernelRegistry::Builtin().Find(op, device.type(), node.attrs);
    DF_CHECK(def.ok());
    DF_CHECK(SetHostArgs(*def, node.attrs, info_).ok());
    std::vector<PartialShape> shapes;
    for (const Tensor& input : inputs) shapes.emplace_back(input.shape());
    KernelSetup setup(info_, node.attrs, device, shapes, node.output_shapes, std::vector<bool>(info_.outputs.size()));
    kernel_ = (*def)->make(setup);
    DF_CHECK(setup.status().ok());
    for (size_t i = 0; i < inputs.size(); ++i) {
      slots_.push_back(info_.inputs[i].in_host ? inputs[i] : *device.ToOwnMemory(inputs[i]));
      in_.push_back(static_cast<uint32_t>(i));
    }
  }

  void Call() {
    std::vector<Tensor> outputs(info_.outputs.size());
    OpContext ctx;
    ExecutorAccess::BindStep(ctx, slots_.data(), device_, pool_, step_);
    ExecutorAccess::BindNode(ctx, info_, in_.data(), outputs.data(), 0);
    const Status status = kernel_->fn()(kernel_.get(), ctx);
    if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
    DF_CHECK(status.ok());
  }

  // Of one call, in us.
  double Time(int calls) {
    for (int i = 0; i < 3; ++i) Call();
    DF_CHECK(device_.Synchronize().ok());
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) Call();
    DF_CHECK(device_.Synchronize().ok());
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    return took.count() / calls;
  }

 private:
  Device& device_;
  Graph graph_;
  NodeInfo info_;
  std::unique_ptr<Kernel> kernel_;
  std::vector<Tensor> slots_;
  std::vector<uint32_t> in_;
  InlineThreadPool pool_;
  const StepContext step_;
};

template <class T>
Tensor Filled(const Shape& shape) {
  Tensor tensor(DTypeOf<T>, shape);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    tensor.data<T>()[i] = static_cast<T>(static_cast<float>(i % 255 - 127) / 128);
  }
  return tensor;
}

class Bench {
 public:
  Bench(Device& device, const char* word) : device_(device), word_(word) {}

  void Run(const std::string& what, const std::string& op, const AttrMap& attrs, const std::vector<Tensor>& inputs,
           const Work& work, int calls = 50) {
    if (word_ != nullptr && what.find(word_) == std::string::npos) return;
    const double us = BenchNode(device_, op, attrs, inputs).Time(calls);
    std::printf("%-58s %10.2f us", what.c_str(), us);
    if (work.bytes > 0) std::printf("  %7.0f GB/s", work.bytes / us / 1e3);
    if (work.flops > 0) std::printf("  %7.1f Tflop/s", work.flops / us / 1e6);
    std::printf("\n");
    std::fflush(stdout);
  }

  void Elements() {
    constexpr int64_t kCount = int64_t{1} << 26;
    const Tensor x = Filled<float>(Shape({kCount}));
    const double bytes = 4.0 * kCount;
    Run("Neg float 2^26", "Neg", {}, {x}, {2 * bytes, 0});
    Run("Tanh float 2^26", "Tanh", {}, {x}, {2 * bytes, 0});
    Run("AddV2 float 2^26", "AddV2", {}, {x, x}, {3 * bytes, 0});
    Run("Mul by a scalar float 2^26", "Mul", {}, {x, Tensor::Scalar<float>(2)}, {2 * bytes, 0});
    Run("Relu bfloat16 2^26", "Relu", {}, {Filled<bfloat16>(Shape({kCount}))}, {bytes, 0});
    Run("Neg float 16", "Neg", {}, {Filled<float>(Shape({16}))}, {}, 2000);
    const Tensor matrix = Filled<float>(Shape({kCount / 1024, 1024}));
    Run("AddV2 of a row float 65536x1024", "AddV2", {}, {matrix, Filled<float>(Shape({1024}))}, {2 * bytes, 0});
    Run("BiasAdd float 65536x1024", "BiasAdd", {}, {matrix, Filled<float>(Shape({1024}))}, {2 * bytes, 0});
    Run("BiasAddGrad float 65536x1024", "BiasAddGrad", {}, {matrix}, {bytes, 0});
    Run("Softmax float 65536x1024", "Softmax", {}, {matrix}, {2 * bytes, 0});
    Run("Sum of all float 2^26", "Sum", {}, {x, Tensor::Vector<int32_t>({0})}, {bytes, 0});
    Run("Sum of rows float 65536x1024", "Sum", {}, {matrix, Tensor::Vector<int32_t>({1})}, {bytes, 0});
    Run("Sum of columns float 65536x1024", "Sum", {}, {matrix, Tensor::Vector<int32_t>({0})}, {bytes, 0});
    Run("Transpose float 8192x8192", "Transpose", {},
        {Filled<float>(Shape({8192, 8192})), Tensor::Vector<int32_t>({1, 0})}, {2 * bytes, 0});
  }

  template <class T>
  void Products(const char* type) {
    for (const int64_t n : {256, 1024, 4096}) {
      const Tensor a = Filled<T>(Shape({n, n}));
      Run(StrCat("MatMul ", type, " ", n), "MatMul", {}, {a, a}, {0, 2.0 * static_cast<double>(n * n * n)},
          n == 4096 ? 10 : 50);
    }
  }

  template <class T>
  void Convolutions(const char* type) {
    const Tensor x = Filled<T>(Shape({32, 56, 56, 64}));
    const Tensor filter = Filled<T>(Shape({3, 3, 64, 64}));
    const Work work = {0, 2.0 * 32 * 56 * 56 * 64 * 64 * 9};
    const AttrMap attrs = {{"strides", std::vector<int64_t>{1, 1, 1, 1}}, {"padding", "SAME"}};
    Run(StrCat("Conv2D ", type, " 32x56x56x64 3x3"), "Conv2D", attrs, {x, filter}, work, 10);
    Run(StrCat("Conv2DBackpropInput ", type), "Conv2DBackpropInput", attrs,
        {Tensor::Vector<int32_t>({32, 56, 56, 64}), filter, x}, work, 10);
    Run(StrCat("Conv2DBackpropFilter ", type), "Conv2DBackpropFilter", attrs,
        {x, Tensor::Vector<int32_t>({3, 3, 64, 64}), x}, work, 10);
  }

 private:
  Device& device_;
  const char* const word_;
};

int Main(const char* word) {
  const std::unique_ptr<Device> device = MakeDeviceOf("gpu");
  Bench bench(*device, word);
  bench.Elements();
  bench.Products<float>("float");
  bench.Products<bfloat16>("bfloat16");
  bench.Convolutions<float>("float");
  bench.Convolutions<bfloat16>("bfloat16");
  return 0;
}

}  // namespace
}  // namespace dfrun::testing

int main(int argc, char** argv) {
  return dfrun::testing::Main(argc > 1 ? argv[1] : nullptr);
}
