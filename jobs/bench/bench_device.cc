// `dfrun bench TYPE`: kernels of a type of device, beside its libraries and its driver alone.
//
// A kernel runs as many nodes of one plan, one after the other, in alternation with its limit. Figures are medians of
// the rounds, and a ratio is the median of the rounds' ratios.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>

#include "jobs/bench/bench.h"
#include "jobs/bench/bench_kernels_node.h"
#include "jobs/timing.h"
#include "src/framework/device/device_factory.h"
#include "src/framework/device/device_limits.h"

namespace dfrun::jobs {
namespace {

struct DeviceBenchOptions {
  int rounds = 11;
  std::string only;
  int64_t elements = int64_t{1} << 26;  // elements of a pass over memory
  int64_t product = 4096;               // side of the largest product
  int64_t images = 64;                  // images of a convolution
};

constexpr int kNodes = 20;
constexpr int64_t kRow = 1024;
constexpr int64_t kTransferBytes = int64_t{64} << 20;
constexpr double kDeviceTurnSeconds = 0.02;

constexpr SquareConv kDeviceConvs[] = {{64, 224, 3, 64, 7, 2},   {64, 56, 64, 64, 3, 1},   {64, 56, 64, 256, 1, 1},
                                       {64, 28, 128, 128, 3, 1}, {64, 14, 256, 256, 3, 1}, {64, 27, 96, 256, 5, 1}};

// The dtype and arithmetic of a computation.
struct Numbers {
  const char* name;
  DType dtype;
  Arithmetic arithmetic;
};
constexpr Numbers kNumbers[] = {{"float32", DType::kFloat, {}},
                                {"tf32", DType::kFloat, {.tf32 = true, .deterministic = true}},
                                {"tf32-any", DType::kFloat, {.tf32 = true, .deterministic = false}},
                                {"bfloat16", DType::kBfloat16, {}}};

// A pass over memory. The bytes that it reads and writes are in multiples of the float32 vector's size.
struct DevicePass {
  const char* name;
  const char* op;
  AttrMap attrs;
  std::vector<Tensor> inputs;
  double passes;
};

class DeviceBench {
 public:
  DeviceBench(std::string type, const DeviceBenchOptions& options) : type_(std::move(type)), options_(options) {}

  Result<BenchOutcome> Run() {
    DF_TRY(FindDevice());
    DF_TRY(MeasurePasses());
    DF_TRY(MeasureProducts());
    DF_TRY(MeasureConvolutions());
    DF_TRY(MeasureLaunches());
    DF_TRY(MeasureTransfers());
    return BenchOutcome{std::move(figures_)};
  }

 private:
  // Finds the first device of the type. A host without one is no error of the program or of its inputs.
  Status FindDevice() {
    DF_ASSIGN(DeviceName task, DeviceName::Parse("/job:worker/task:0"));
    DF_ASSIGN(found_, FindDevices({.task = std::move(task)}));
    for (const auto& device : found_.devices) {
      if (device->type() == type_ && device_ == nullptr) device_ = device.get();
    }
    const MakeDeviceLimits* const make = LimitsOfDevices().Find(type_);
    if (device_ != nullptr && make != nullptr) {
      limits_ = (*make)(*device_);
      return Status();
    }
    const auto reason = found_.report.why_none.find(type_);
    return Error(Code::kUsage, "there is nothing to measure: this host has no device of type ", type_,
                 device_ != nullptr                       ? " whose limits are known"
                 : reason != found_.report.why_none.end() ? StrCat(": ", reason->second)
                                                          : "; `dfrun info` says what was looked for");
  }

  std::string Name(const std::string& what) const { return StrCat(type_, "/", what); }
  bool IsWanted(const std::string& what) const { return Name(what).find(options_.only) != std::string::npos; }

  // Returns whether a limit can be measured. If it cannot, says once what is missing.
  bool Has(const std::string& what, const Result<DeviceWork>& limit) {
    if (limit.ok()) return true;
    std::fprintf(stderr, "dfrun: %s is left out: %s\n", Name(what).c_str(), limit.status().message().c_str());
    return false;
  }

  // Adds a figure of `amount` per node (in what `unit` has per second) beside a limit that does `limit_amount` each
  // time.
  Status Add(const std::string& what, OpStep& step, double amount, const char* unit, DeviceWork& limit,
             double limit_amount, const char* limit_name) {
    Status status;
    const auto run = [&] { step.Run(pool_); };
    const int steps = Repeats(run);
    const int times = kNodes * steps;
    const auto value = [&] {
      for (int i = 0; i < steps; ++i) run();
    };
    const auto bare = [&] {
      Status done = limit(times);
      if (status.ok()) status = std::move(done);
    };
    const TurnTimes t = TurnAbout(CLOCK_MONOTONIC, options_.rounds, value, bare);
    const double speed = amount * times / t.value_s;
    const double ratio = t.ratio * amount / limit_amount;
    figures_.push_back({Name(what), speed, unit, speed / ratio, limit_name});
    DF_TRY(step.status());
    return status;
  }

  static int Repeats(FunctionRef<void()> body) {
    body();
    return static_cast<int>(std::clamp(kDeviceTurnSeconds / Seconds(CLOCK_MONOTONIC, body), 1.0, 1e5));
  }

  Result<Tensor> Random(DType dtype, const Shape& shape) { return RandomTensor(*device_, dtype, shape); }

  // Returns indices that visit each row once, far from the row before.
  static Tensor SpreadIndices(int64_t rows) {
    constexpr int64_t kPrime = 7919;
    Tensor indices(DType::kInt32, Shape({rows}));
    for (int64_t i = 0; i < rows; ++i) indices.data<int32_t>()[i] = static_cast<int32_t>(i * kPrime % rows);
    return indices;
  }

  Status MeasurePasses() {
    const int64_t n = std::max(kRow, options_.elements / kRow * kRow);
    int64_t side = 1;
    while (side * side * 4 <= n) side *= 2;
    DF_ASSIGN(const Tensor x, Random(DType::kFloat, Shape({n})));
    DF_ASSIGN(const Tensor halves, Random(DType::kBfloat16, Shape({n})));
    DF_ASSIGN(const Tensor row, Random(DType::kFloat, Shape({kRow})));
    const Tensor rows = x.Reshaped(Shape({n / kRow, kRow}));
    const Tensor narrow = x.Reshaped(Shape({n / 128, 128}));
    const Tensor square = x.SliceRows(0, side * side).Reshaped(Shape({side, side}));
    const double square_passes = 2 * static_cast<double>(side * side) / static_cast<double>(n);
    const DevicePass cases[] = {
        {"Neg", "Neg", {}, {x}, 2},
        {"Tanh", "Tanh", {}, {x}, 2},
        {"AddV2", "AddV2", {}, {x, x}, 3},
        {"Mul/scalar", "Mul", {}, {x, Tensor::Scalar<float>(2)}, 2},
        {"AddV2/row", "AddV2", {}, {rows, row}, 2},
        {"Relu/bfloat16", "Relu", {}, {halves}, 1},
        {"BiasAdd", "BiasAdd", {}, {rows, row}, 2},
        {"BiasAddGrad", "BiasAddGrad", {}, {rows}, 1},
        {"Sum/all", "Sum", {}, {x, Tensor::Scalar<int32_t>(0)}, 1},
        {"Sum/rows", "Sum", {}, {rows, Tensor::Scalar<int32_t>(1)}, 1},
        {"Sum/columns", "Sum", {}, {rows, Tensor::Scalar<int32_t>(0)}, 1},
        {"Softmax", "Softmax", {}, {rows}, 2},
        {"Transpose", "Transpose", {}, {square, Tensor::Vector<int32_t>({1, 0})}, square_passes},
        {"GatherV2", "GatherV2", {}, {narrow, SpreadIndices(n / 128), Tensor::Scalar<int32_t>(0)}, 2},
    };
    for (const DevicePass& c : cases) DF_TRY(MeasurePass(c, 4 * static_cast<double>(n)));
    return Status();
  }

  // Measures a pass; `bytes` is the size of the vector.
  Status MeasurePass(const DevicePass& c, double bytes) {
    if (!IsWanted(c.name)) return Status();
    Result<DeviceWork> copy = limits_->Copy(static_cast<int64_t>(bytes));
    if (!Has(c.name, copy)) return Status();
    DF_ASSIGN(const auto step, OpStep::Create(*device_, c.op, c.attrs, c.inputs, kNodes));
    return Add(c.name, *step, bytes * c.passes * 1e-9, "GB/s", *copy, 2 * bytes * 1e-9, "copy within the device");
  }

  static AttrMap With(AttrMap attrs, const Arithmetic& arithmetic) {
    arithmetic.SetOn(attrs);
    return attrs;
  }

  Status MeasureProducts() {
    for (const Numbers& numbers : kNumbers) {
      for (int64_t size = options_.product; size >= 256 || size == options_.product; size /= 4) {
        DF_TRY(MeasureProduct(numbers, size));
      }
    }
    return Status();
  }

  Status MeasureProduct(const Numbers& numbers, int64_t size) {
    const std::string what = StrCat("MatMul/", numbers.name, "/", size);
    if (!IsWanted(what)) return Status();
    Result<DeviceWork> bare = limits_->Product(size, numbers.dtype, numbers.arithmetic);
    if (!Has(what, bare)) return Status();
    DF_ASSIGN(const Tensor x, Random(numbers.dtype, Shape({size, size})));
    DF_ASSIGN(const auto step, OpStep::Create(*device_, "MatMul", With({}, numbers.arithmetic), {x, x}, kNodes));
    const double tflop = 2e-12 * static_cast<double>(size * size * size);
    return Add(what, *step, tflop, "TF/s", *bare, tflop, "the library alone");
  }

  Status MeasureConvolutions() {
    for (const Numbers& numbers : kNumbers) {
      for (SquareConv c : kDeviceConvs) {
        c.images = options_.images;
        for (const ConvPass pass : {ConvPass::kForward, ConvPass::kInputGradient, ConvPass::kFilterGradient}) {
          DF_TRY(MeasureConvolution(numbers, c, pass));
        }
      }
    }
    return Status();
  }

  Status MeasureConvolution(const Numbers& numbers, const SquareConv& c, ConvPass pass) {
    const char* const op = pass == ConvPass::kForward         ? "Conv2D"
                           : pass == ConvPass::kInputGradient ? "Conv2DBackpropInput"
                                                              : "Conv2DBackpropFilter";
    const std::string what = StrCat(op, "/", numbers.name, "/", c.filter_side, "x", c.filter_side, "s", c.stride, "_",
                                    c.in_channels, "to", c.out_channels, "_", c.side);
    if (!IsWanted(what)) return Status();
    Result<DeviceWork> bare = limits_->Convolution(c, pass, numbers.dtype, numbers.arithmetic);
    if (!Has(what, bare)) return Status();
    const AttrMap attrs = {{"strides", std::vector<int64_t>{1, c.stride, c.stride, 1}}, {"padding", "SAME"}};
    DF_ASSIGN(const std::vector<Tensor> inputs, InputsOf(c, pass, numbers.dtype));
    DF_ASSIGN(const auto step, OpStep::Create(*device_, op, With(attrs, numbers.arithmetic), inputs, kNodes));
    const double tflop = 2e-12 * c.multiply_adds();
    return Add(what, *step, tflop, "TF/s", *bare, tflop, "the library alone");
  }

  Result<std::vector<Tensor>> InputsOf(const SquareConv& c, ConvPass pass, DType dtype) {
    std::vector<Tensor> inputs = {SizesOf(c.input()), SizesOf(c.filter())};
    if (pass != ConvPass::kInputGradient) {
      DF_ASSIGN(inputs[0], Random(dtype, c.input()));
    }
    if (pass != ConvPass::kFilterGradient) {
      DF_ASSIGN(inputs[1], Random(dtype, c.filter()));
    }
    if (pass == ConvPass::kForward) return inputs;
    DF_ASSIGN(Tensor dy, Random(dtype, c.output()));
    inputs.push_back(std::move(dy));
    return inputs;
  }

  static Tensor SizesOf(const Shape& shape) {
    Tensor sizes(DType::kInt32, Shape({shape.rank()}));
    for (int i = 0; i < shape.rank(); ++i) sizes.data<int32_t>()[i] = static_cast<int32_t>(shape[i]);
    return sizes;
  }

  // Measures launches: nodes of 16 elements, each after the one before.
  Status MeasureLaunches() {
    constexpr const char* kWhat = "launch";
    if (!IsWanted(kWhat)) return Status();
    Result<DeviceWork> bare = limits_->Launch();
    if (!Has(kWhat, bare)) return Status();
    DF_ASSIGN(const Tensor x, Random(DType::kFloat, Shape({16})));
    DF_ASSIGN(const auto step, OpStep::Create(*device_, "Neg", {}, {x}, kNodes));
    return Add(kWhat, *step, 1e-6, "M/s", *bare, 1e-6, "launches alone");
  }

  Status MeasureTransfers() {
    DF_TRY(
        MeasureTransfer("copy-in", limits_->CopyIn(kTransferBytes), device_->host_allocator(), device_->allocator()));
    return MeasureTransfer("copy-out", limits_->CopyOut(kTransferBytes), device_->allocator(),
                           device_->host_allocator());
  }

  // Measures transfers by the device's own Copy(), and waits for the end of each.
  Status MeasureTransfer(const std::string& what, Result<DeviceWork> bare, Allocator& from_memory,
                         Allocator& to_memory) {
    if (!IsWanted(what) || !Has(what, bare)) return Status();
    const Shape shape({kTransferBytes});
    DF_ASSIGN(const Tensor from, Tensor::Allocate(from_memory, DType::kUint8, shape));
    DF_ASSIGN(Tensor to, Tensor::Allocate(to_memory, DType::kUint8, shape));
    Status status;
    const auto note = [&](Status done) {
      if (status.ok()) status = std::move(done);
    };
    const TurnTimes t = TurnAbout(
        CLOCK_MONOTONIC, options_.rounds, [&] { note(device_->Copy(from, to)); }, [&] { note((*bare)(1)); });
    const double gigabytes = static_cast<double>(kTransferBytes) * 1e-9;
    figures_.push_back(
        {Name(what), gigabytes / t.value_s, "GB/s", gigabytes / t.value_s / t.ratio, "the driver alone"});
    return status;
  }

  const std::string type_;
  const DeviceBenchOptions options_;
  TaskDevices found_;
  Device* device_ = nullptr;
  std::unique_ptr<DeviceLimits> limits_;
  WorkerPool pool_{1};
  std::vector<BenchFigure> figures_;
};

RunBench SetupDeviceBench(const std::string& type, Options& args) {
  auto options = std::make_shared<DeviceBenchOptions>();
  args.Value("--rounds", options->rounds, "Rounds, of which the median counts").Between(1, 10'000);
  args.Value("--only", options->only, "Only the kernels whose figures' names contain this");
  args.Value("--elements", options->elements, "Elements of float32 that a pass over memory reads").AtLeast(kRow);
  args.Value("--product", options->product, "The largest product's side").AtLeast(16);
  args.Value("--images", options->images, "Images of a convolution").AtLeast(1);
  return [type, options] { return DeviceBench(type, *options).Run(); };
}

// Registers a benchmark for each type of device that a command line may name, also if the host has none; the benchmark
// then says so.
[[maybe_unused]] const bool kRegistered = [] {
  for (const std::string& type : CountedDeviceTypes()) {
    Benches().emplace(type, Bench{StrCat("Kernels of devices of type ", type, " beside bare libraries and copies."),
                                  StrCat("dfrun bench ", type, " --json ", type, ".json"),
                                  [type](Options& args) { return SetupDeviceBench(type, args); }});
  }
  return true;
}();

}  // namespace
}  // namespace dfrun::jobs
