#include "jobs/bench/bench_kernels_onednn.h"

#ifdef DFRUN_ONEDNN
#include <omp.h>

#include "jobs/bench/bench_kernels_node.h"
#include "kernels/device/onednn_call.h"

namespace dfrun::jobs {
namespace {

using dnnl::memory;

// Sets the calling thread's number of OpenMP threads, and resets it to 1 at the end: dfrun's own kernels want one
// thread each.
class OpenMpThreads {
 public:
  explicit OpenMpThreads(int threads) { omp_set_num_threads(threads); }
  ~OpenMpThreads() { omp_set_num_threads(1); }
  OpenMpThreads(const OpenMpThreads&) = delete;
  OpenMpThreads& operator=(const OpenMpThreads&) = delete;
};

// A primitive and its memory.
class Bare {
 public:
  struct Argument {
    int index;
    memory::desc desc;
  };

  static Result<BarePrimitive> Create(Device& device, int threads, dnnl::primitive primitive,
                                      const memory::desc& scratchpad, std::vector<Argument> arguments) {
    auto bare = std::make_shared<Bare>();
    bare->primitive_ = std::move(primitive);
    arguments.push_back({DNNL_ARG_SCRATCHPAD, scratchpad});
    for (const Argument& argument : arguments) {
      // The values are float32, whatever the elements are: as bfloat16, their bits are small numbers too.
      const auto floats = static_cast<int64_t>(argument.desc.get_size() / sizeof(float)) + 1;
      DF_ASSIGN(Tensor data, RandomTensor(device, DType::kFloat, Shape({floats})));
      bare->arguments_.emplace(argument.index, memory(argument.desc, OneDnnEngine(), data.raw()));
      bare->data_.push_back(std::move(data));
    }
    return BarePrimitive([bare, threads] { bare->Run(threads); });
  }

 private:
  void Run(int threads) {
    const OpenMpThreads scope(threads);
    primitive_.execute(stream_, arguments_);
    stream_.wait();
  }

  dnnl::stream stream_{OneDnnEngine()};
  dnnl::primitive primitive_;
  std::vector<Tensor> data_;
  std::unordered_map<int, memory> arguments_;
};

// Calls make() with this many OpenMP threads, and returns an exception as an error.
Result<BarePrimitive> Guarded(int threads, FunctionRef<Result<BarePrimitive>()> make) {
  UseOneOpenMpThread();
  const OpenMpThreads scope(threads);
  try {
    return make();
  } catch (const dnnl::error& error) {
    return Unimplemented("oneDNN cannot make a primitive of the benchmark: ", error.what());
  }
}

Result<BarePrimitive> MakeConv(Device& device, int threads, ConvPass pass, const SquareConv& c) {
  using dnnl::convolution_forward;
  constexpr auto kAlgorithm = dnnl::algorithm::convolution_direct;
  constexpr auto kFloat = memory::data_type::f32;
  constexpr auto kImages = memory::format_tag::nhwc;
  const memory::desc input({c.images, c.in_channels, c.side, c.side}, kFloat, kImages);
  const memory::desc output({c.images, c.out_channels, c.output_side(), c.output_side()}, kFloat, kImages);
  const memory::desc filter({c.out_channels, c.in_channels, c.filter_side, c.filter_side}, kFloat,
                            memory::format_tag::any);
  const memory::dims strides = {c.stride, c.stride};
  const memory::dims before = {c.padding() / 2, c.padding() / 2};
  const memory::dims after = {c.padding() - c.padding() / 2, c.padding() - c.padding() / 2};
  const convolution_forward::primitive_desc forward(
      {dnnl::prop_kind::forward_training, kAlgorithm, input, filter, output, strides, before, after},
      OneDnnAttributes(), OneDnnEngine());
  if (pass == ConvPass::kForward) {
    return Bare::Create(device, threads, convolution_forward(forward), forward.scratchpad_desc(),
                        {{DNNL_ARG_SRC, input}, {DNNL_ARG_WEIGHTS, forward.weights_desc()}, {DNNL_ARG_DST, output}});
  }
  if (pass == ConvPass::kInputGradient) {
    const dnnl::convolution_backward_data::primitive_desc back(
        {kAlgorithm, input, filter, output, strides, before, after}, OneDnnAttributes(), OneDnnEngine(), forward);
    return Bare::Create(
        device, threads, dnnl::convolution_backward_data(back), back.scratchpad_desc(),
        {{DNNL_ARG_DIFF_DST, output}, {DNNL_ARG_WEIGHTS, back.weights_desc()}, {DNNL_ARG_DIFF_SRC, input}});
  }
  const dnnl::convolution_backward_weights::primitive_desc back(
      {kAlgorithm, input, filter, output, strides, before, after}, OneDnnAttributes(), OneDnnEngine(), forward);
  return Bare::Create(
      device, threads, dnnl::convolution_backward_weights(back), back.scratchpad_desc(),
      {{DNNL_ARG_SRC, input}, {DNNL_ARG_DIFF_DST, output}, {DNNL_ARG_DIFF_WEIGHTS, back.diff_weights_desc()}});
}

}  // namespace

Result<BarePrimitive> BareMatMul(Device& device, int threads, DType dtype, int64_t size) {
  return Guarded(threads, [&]() -> Result<BarePrimitive> {
    const auto type = dtype == DType::kFloat ? memory::data_type::f32 : memory::data_type::bf16;
    const memory::desc matrix({size, size}, type, memory::dims{size, 1});
    const dnnl::matmul::primitive_desc made({matrix, matrix, matrix}, OneDnnAttributes(), OneDnnEngine());
    return Bare::Create(device, threads, dnnl::matmul(made), made.scratchpad_desc(),
                        {{DNNL_ARG_SRC, matrix}, {DNNL_ARG_WEIGHTS, matrix}, {DNNL_ARG_DST, matrix}});
  });
}

Result<BarePrimitive> BareConv(Device& device, int threads, ConvPass pass, const SquareConv& conv) {
  return Guarded(threads, [&] { return MakeConv(device, threads, pass, conv); });
}

}  // namespace dfrun::jobs

#else
namespace dfrun::jobs {

Result<BarePrimitive> BareMatMul(Device&, int, DType, int64_t) {
  return Unimplemented("this dfrun was built without oneDNN");
}

Result<BarePrimitive> BareConv(Device&, int, ConvPass, const SquareConv&) {
  return Unimplemented("this dfrun was built without oneDNN");
}

}  // namespace dfrun::jobs
#endif  // DFRUN_ONEDNN
