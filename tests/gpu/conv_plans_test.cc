// cuDNN's plans of all convolutions of five nets, made on this host for a GPU that is elsewhere: by the product's own
// descriptors, from the GPU's description. Prints each plan's engine, knobs and workspace. Left out where there is no
// cuDNN.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>

#include "kernels/nn/conv/conv_library_shape_cuda.h"
#include "src/spec/load.h"

namespace dfrun::cuda {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string NameOf(ConvResult result) {
  return result == ConvResult::kOutput ? "forward" : result == ConvResult::kInput ? "to-input" : "to-filter";
}

// A convolution of a net, as its spec has it.
struct NetConv {
  ConvShape shape;
  bool has_input_gradient;  // the images' is not wanted
  bool has_bias;
};

std::string Text(const ConvShape& s) {
  return StrCat(s.images, "x", s.height.input, "x", s.width.input, "x", s.in_channels, " to ", s.out_channels, ", ",
                s.height.size, "x", s.width.size, " / ", s.height.stride);
}

Result<std::vector<NetConv>> ConvolutionsOf(const std::string& net) {
  SpecOptions options;
  options.sets = {"device=/device:cpu:0"};
  DF_ASSIGN(const LoadedSpec spec, LoadSpec(StrCat(DFRUN_NETS, "/", net, ".yaml"), options));
  std::vector<NetConv> found;
  std::set<std::string> seen;
  for (const Node& node : spec.graph.nodes()) {
    if (node.op->name != "Conv2D") continue;
    DF_ASSIGN(const Shape input, spec.graph.shape(node.inputs[0]).ToShape());
    DF_ASSIGN(const Shape filter, spec.graph.shape(node.inputs[1]).ToShape());
    DF_ASSIGN(const WindowAttrs window, WindowAttrs::Read(node.attrs));
    DF_ASSIGN(const ConvShape shape, ConvShape::Of(window, input, filter));
    constexpr int64_t kImageChannels = 3;
    if (seen.insert(Text(shape)).second) {
      found.push_back({shape, shape.in_channels != kImageChannels, net != "resnet50"});
    }
  }
  return found;
}

class ConvPlansTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!Cudnn::Get().ok()) {
      GTEST_SKIP() << Cudnn::Get().status().message() << "; scripts/packages.sh says how to get cuDNN";
    }
    target_ = std::make_unique<Result<CudnnTarget>>(
        CudnnTarget::OfDescription(**Cudnn::Get(), ReadFile(DFRUN_GPU_PROPERTIES)));
    ASSERT_TRUE(target_->ok()) << target_->status().ToString();
    std::printf("cuDNN %zu, for %s\n", (*Cudnn::Get())->cudnnGetVersion(), DFRUN_GPU_PROPERTIES);
  }

  void Plan(const ConvShape& shape, const ConvTask& task, const char* numbers) {
    const auto plan = ConvPlan::Create(**target_, task);
    ASSERT_TRUE(plan.ok()) << Text(shape) << " " << NameOf(task.result) << " " << numbers << ": "
                           << plan.status().ToString();
    const Result<std::string> text = (*plan)->Describe();
    ASSERT_TRUE(text.ok()) << text.status().ToString();
    const bool is_fused = task.epilogue != ConvEpilogue::kNone;
    std::printf("%s, %s%s, %s: %s\n", Text(shape).c_str(), NameOf(task.result).c_str(), is_fused ? " with bias" : "",
                numbers, text->c_str());
    ++count_;
  }

  void PlanAll(const NetConv& conv, DType dtype, const Arithmetic& arithmetic, const char* numbers) {
    ConvTask task{.shape = LibraryShapeOf(conv.shape), .dtype = dtype, .arithmetic = arithmetic};
    for (const ConvResult result : {ConvResult::kOutput, ConvResult::kInput, ConvResult::kFilter}) {
      if (result == ConvResult::kInput && !conv.has_input_gradient) continue;
      task.result = result;
      Plan(conv.shape, task, numbers);
    }
    if (!conv.has_bias) return;
    task.result = ConvResult::kOutput;
    task.epilogue = ConvEpilogue::kBias;
    Plan(conv.shape, task, numbers);
  }

  std::unique_ptr<Result<CudnnTarget>> target_;
  int count_ = 0;
};

class ConvPlansOfNetsTest : public ConvPlansTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(ConvPlansOfNetsTest, AreFinishedWithoutTheGpu) {
  const auto convolutions = ConvolutionsOf(GetParam());
  ASSERT_TRUE(convolutions.ok()) << convolutions.status().ToString();
  for (const NetConv& conv : *convolutions) {
    PlanAll(conv, DType::kFloat, {.tf32 = true, .deterministic = true}, "TF32");
    PlanAll(conv, DType::kBfloat16, {}, "bfloat16");
  }
  std::printf("%s: %d plans of %zu convolutions\n", GetParam(), count_, convolutions->size());
  EXPECT_GE(count_, 5 * 3 * 2);
}

INSTANTIATE_TEST_SUITE_P(Nets, ConvPlansOfNetsTest,
                         ::testing::Values("alexnet", "overfeat", "vgg_a", "googlenet", "resnet50"),
                         [](const auto& net) { return std::string(net.param); });

// float32 in 32 bits has ways of its own, on no tensor cores.
TEST_F(ConvPlansTest, OfFloat32In32Bits) {
  const auto convolutions = ConvolutionsOf("vgg_a");
  ASSERT_TRUE(convolutions.ok()) << convolutions.status().ToString();
  for (const NetConv& conv : *convolutions) PlanAll(conv, DType::kFloat, {}, "float32");
}

// A description that is none.
TEST_F(ConvPlansTest, RefusesWhatDescribesNoGpu) {
  const auto target = CudnnTarget::OfDescription(**Cudnn::Get(), "{}");
  EXPECT_FALSE(target.ok());
}

}  // namespace
}  // namespace dfrun::cuda
