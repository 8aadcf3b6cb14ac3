// `dfrun bench kernels`: products, convolutions and passes over memory, beside the limits of the machine.
//
// Every kernel runs as a node of a plan, in alternation with its limit. Figures are medians of the rounds, and a ratio
// is the median of the rounds' ratios.
#include <algorithm>
#include <memory>

#include "jobs/bench/bench.h"
#include "jobs/bench/bench_kernels_limits.h"
#include "jobs/bench/bench_kernels_node.h"
#include "jobs/bench/bench_kernels_onednn.h"
#include "jobs/timing.h"
#include "src/framework/device/device_factory.h"

namespace dfrun::jobs {
namespace {

struct KernelOptions {
  int rounds = 21;
  std::string only;
};

constexpr double kTurnSeconds = 0.005;  // shorter than the time slice that another process gets
constexpr int64_t kElements = int64_t{1} << 24;
constexpr double kPassGigabytes = kElements * sizeof(float) * 1e-9;

constexpr SquareConv kConvCases[] = {{8, 224, 3, 64, 7, 2},
                                     {16, 56, 64, 64, 3, 1},
                                     {16, 56, 64, 256, 1, 1},
                                     {16, 28, 128, 128, 3, 1},
                                     {16, 14, 256, 512, 3, 2}};

constexpr const char* kStreamOps[] = {"AddV2", "Tanh", "Exp", "Softmax", "Sum", "Transpose", "GatherV2"};

// A pass over kElements floats. The bytes that it moves are in multiples of the vector's size.
struct PassCase {
  const char* op;
  AttrMap attrs;
  std::vector<Tensor> inputs;
  int passes;
};

class KernelBench {
 public:
  explicit KernelBench(const KernelOptions& options) : options_(options) {}

  Result<BenchOutcome> Run() {
    DF_ASSIGN(devices_, MakeDevices(*DeviceName::Parse("/job:worker/task:0")));
    for (int threads : {1, 2}) {
      WorkerPool pool(threads);
      pool_ = &pool;
      for (DType dtype : {DType::kFloat, DType::kBfloat16}) {
        for (int64_t size : {64, 256, 1024, 2048}) DF_TRY(MeasureMatMul(dtype, size));
      }
      for (const SquareConv& c : kConvCases) DF_TRY(MeasureConv(c));
      DF_TRY(MeasureStreams());
    }
    return BenchOutcome{std::move(figures_)};
  }

 private:
  Device& device() { return *devices_[0]; }
  int threads() const { return pool_->num_threads(); }
  // Processor time for one thread, so that other load on the machine shows less; otherwise wall time.
  clockid_t clock() const { return threads() == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC; }
  std::string Name(const std::string& kernel) const { return StrCat("kernels/", kernel, "/", threads(), "t"); }
  bool IsWanted(const std::string& name) const { return name.find(options_.only) != std::string::npos; }

  // Adds a figure of `amount` per run of the step (in what `unit` has per second), against a limit that does
  // `limit_amount` per run.
  void Add(const std::string& name, OpStep& step, double amount, const char* unit, FunctionRef<void()> limit,
           double limit_amount, const char* limit_name) {
    const auto run = [&] { step.Run(*pool_); };
    const int repeats = Repeats(run);
    const int limit_repeats = Repeats(limit);
    const TurnTimes t = TurnAbout(
        clock(), options_.rounds, [&] { Repeat(repeats, run); }, [&] { Repeat(limit_repeats, limit); });
    const double value = amount * repeats / t.value_s;
    const double ratio = t.ratio * (amount * repeats) / (limit_amount * limit_repeats);
    figures_.push_back({name, value, unit, value / ratio, limit_name});
  }

  static void Repeat(int times, FunctionRef<void()> body) {
    for (int i = 0; i < times; ++i) body();
  }
  // Returns how often the body must run to take kTurnSeconds.
  static int Repeats(FunctionRef<void()> body) {
    body();
    const double once = Seconds(CLOCK_MONOTONIC, body);
    return static_cast<int>(std::clamp(kTurnSeconds / once, 1.0, 1e6));
  }

  // Adds a figure against oneDNN alone, which does as much per run; adds nothing if it has no such primitive.
  Status AddBare(const std::string& name, OpStep& step, double gflop, const Result<BarePrimitive>& bare) {
    if (bare.status().code() == Code::kUnimplemented) return Status();
    DF_TRY(bare.status());
    Add(name + "/onednn", step, gflop, "GF/s", *bare, gflop, "bare oneDNN");
    return Status();
  }

  Status MeasureMatMul(DType dtype, int64_t size) {
    const std::string name = Name(StrCat("MatMul/", DTypeName(dtype), "/", size));
    if (!IsWanted(name)) return Status();
    DF_ASSIGN(const Tensor x, RandomTensor(device(), dtype, Shape({size, size})));
    DF_ASSIGN(const auto step, OpStep::Create(device(), "MatMul", {}, {x, x}));
    const double gflop = 2e-9 * static_cast<double>(size * size * size);
    AddPeak(name, *step, gflop, dtype);
    DF_TRY(AddBare(name, *step, gflop, BareMatMul(device(), threads(), dtype, size)));
    return step->status();
  }

  void AddPeak(const std::string& name, OpStep& step, double gflop, DType dtype) {
    const bool is_float = dtype == DType::kFloat;
    double flops = 0;
    const auto peak = [&] { flops = is_float ? RunFloatFma(threads()) : RunBfloat16Dot(threads()); };
    peak();
    if (flops == 0) return;
    Add(name + "/fma", step, gflop, "GF/s", peak, flops * 1e-9, is_float ? "float32 FMA" : "bfloat16 multiply-adds");
  }

  Status MeasureConv(const SquareConv& c) {
    for (ConvPass pass : {ConvPass::kForward, ConvPass::kInputGradient, ConvPass::kFilterGradient}) {
      DF_TRY(MeasureConvPass(c, pass));
    }
    return Status();
  }

  static Tensor Sizes(const Shape& shape) {
    Tensor sizes(DType::kInt32, Shape({shape.rank()}));
    for (int i = 0; i < shape.rank(); ++i) sizes.data<int32_t>()[i] = static_cast<int32_t>(shape[i]);
    return sizes;
  }

  Status MeasureConvPass(const SquareConv& c, ConvPass pass) {
    const char* op = pass == ConvPass::kForward         ? "Conv2D"
                     : pass == ConvPass::kInputGradient ? "Conv2DBackpropInput"
                                                        : "Conv2DBackpropFilter";
    const std::string name = Name(StrCat(op, "/", c.filter_side, "x", c.filter_side, "s", c.stride, "_", c.in_channels,
                                         "to", c.out_channels, "_", c.side));
    if (!IsWanted(name)) return Status();
    const AttrMap attrs = {{"strides", std::vector<int64_t>{1, c.stride, c.stride, 1}}, {"padding", "SAME"}};
    DF_ASSIGN(const std::vector<Tensor> inputs, ConvInputs(c, pass));
    DF_ASSIGN(const auto step, OpStep::Create(device(), op, attrs, inputs));
    DF_TRY(AddBare(name, *step, 2e-9 * c.multiply_adds(), BareConv(device(), threads(), pass, c)));
    return step->status();
  }

  Result<std::vector<Tensor>> ConvInputs(const SquareConv& c, ConvPass pass) {
    const bool has_input = pass != ConvPass::kInputGradient;
    const bool has_filter = pass != ConvPass::kFilterGradient;
    std::vector<Tensor> inputs = {Sizes(c.input()), Sizes(c.filter())};
    if (has_input) {
      DF_ASSIGN(inputs[0], RandomTensor(device(), DType::kFloat, c.input()));
    }
    if (has_filter) {
      DF_ASSIGN(inputs[1], RandomTensor(device(), DType::kFloat, c.filter()));
    }
    if (pass == ConvPass::kForward) return inputs;
    DF_ASSIGN(Tensor dy, RandomTensor(device(), DType::kFloat, c.output()));
    inputs.push_back(std::move(dy));
    return inputs;
  }

  Status MeasureStreams() {
    const auto wanted = [&](const char* op) { return IsWanted(StreamName(op)); };
    if (std::none_of(std::begin(kStreamOps), std::end(kStreamOps), wanted)) return Status();
    DF_ASSIGN(const Tensor x, RandomTensor(device(), DType::kFloat, Shape({kElements})));
    DF_ASSIGN(const Tensor y, RandomTensor(device(), DType::kFloat, Shape({kElements})));
    DF_ASSIGN(Tensor to, RandomTensor(device(), DType::kFloat, Shape({kElements})));
    constexpr int64_t kRow = 1024;
    const Tensor rows = x.Reshaped(Shape({kElements / kRow, kRow}));
    const Tensor square = x.Reshaped(Shape({4096, 4096}));
    const PassCase cases[] = {
        {kStreamOps[0], {}, {x, y}, 3},
        {kStreamOps[1], {}, {x}, 2},
        {kStreamOps[2], {}, {x}, 2},
        {kStreamOps[3], {}, {rows}, 2},
        {kStreamOps[4], {}, {x, Tensor::Scalar<int32_t>(0)}, 1},
        {kStreamOps[5], {}, {square, Tensor::Vector<int32_t>({1, 0})}, 2},
        {kStreamOps[6], {}, {rows, SpreadIndices(kElements / kRow), Tensor::Scalar<int32_t>(0)}, 2},
    };
    for (const PassCase& c : cases) DF_TRY(MeasureStream(c, x, y, to));
    return Status();
  }

  std::string StreamName(const char* op) const { return Name(StrCat(op, "/16M")); }

  // Returns indices that visit every row once, far from the row before.
  static Tensor SpreadIndices(int64_t rows) {
    constexpr int64_t kPrime = 7919;
    Tensor indices(DType::kInt32, Shape({rows}));
    for (int64_t i = 0; i < rows; ++i) indices.data<int32_t>()[i] = static_cast<int32_t>(i * kPrime % rows);
    return indices;
  }

  // Measures an op that passes over memory beside loops that read x, copy it to `to`, or write the sum of x and y
  // there, as c.passes says.
  Status MeasureStream(const PassCase& c, const Tensor& x, const Tensor& y, Tensor& to) {
    const std::string name = StreamName(c.op);
    if (!IsWanted(name)) return Status();
    DF_ASSIGN(const auto step, OpStep::Create(device(), c.op, c.attrs, c.inputs));
    const double gigabytes = kPassGigabytes * c.passes;
    const auto limit = [&] {
      if (c.passes == 1) {
        ReadAll(threads(), x);
      } else if (c.passes == 2) {
        CopyAll(threads(), x, to);
      } else {
        AddAll(threads(), x, y, to);
      }
    };
    constexpr const char* kLimits[] = {"", "reading", "streaming copy", "streaming sum"};
    Add(name, *step, gigabytes, "GB/s", limit, gigabytes, kLimits[c.passes]);
    return step->status();
  }

  const KernelOptions options_;
  DeviceList devices_;
  WorkerPool* pool_ = nullptr;
  std::vector<BenchFigure> figures_;
};

BENCH("kernels", "Matrix products, convolutions and passes over memory beside what oneDNN and the machine do.",
      "dfrun bench kernels --json kernels.json", [](Options& args) -> RunBench {
        auto options = std::make_shared<KernelOptions>();
        args.Value("--rounds", options->rounds, "Rounds, of which the median counts").Between(1, 10'000);
        args.Value("--only", options->only, "Only the kernels whose figures' names contain this");
        return [options] { return KernelBench(*options).Run(); };
      });

}  // namespace
}  // namespace dfrun::jobs
