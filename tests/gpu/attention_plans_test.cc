// cuDNN's plans of attention for a GPU that is elsewhere, from its description. Their kernels are compiled when a plan
// is made: the library then asks for the driver, for which the toolkit's stub stands where there is none, and cannot
// load what it has compiled. That it comes so far says that it knows the operations and has a way whose results are the
// same each time. Left out where there is no cuDNN or no stub.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "kernels/device/cuda/library/attention_plan.h"

namespace dfrun::cuda {
namespace {

bool HasDriver() {
  static const bool has_driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL) != nullptr;  // before the stub
  return has_driver;
}

class AttentionPlansTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!Cudnn::Get().ok()) {
      GTEST_SKIP() << Cudnn::Get().status().message() << "; scripts/packages.sh says how to get cuDNN";
    }
    // Both stay open: cuDNN looks for the driver and for NVRTC by their names, and finds what is loaded.
    if (!HasDriver() && dlopen(DFRUN_CUDA_STUB, RTLD_NOW | RTLD_GLOBAL) == nullptr) {
      GTEST_SKIP() << "neither the driver's library nor " << DFRUN_CUDA_STUB;
    }
    if (dlopen(DFRUN_NVRTC, RTLD_NOW | RTLD_GLOBAL) == nullptr) GTEST_SKIP() << dlerror();
    std::ifstream in(DFRUN_GPU_PROPERTIES);
    std::ostringstream json;
    json << in.rdbuf();
    target_ = std::make_unique<Result<CudnnTarget>>(CudnnTarget::OfDescription(**Cudnn::Get(), json.str()));
    ASSERT_TRUE(target_->ok()) << target_->status().ToString();
  }

  void Plan(const AttentionTask& task) {
    const std::string text =
        StrCat(task.dtype, task.is_gradient ? " gradient" : " forward", task.causal ? ", causal" : "");
    const auto plan = AttentionPlan::Create(**target_, task);
    if (plan.ok()) {
      std::printf("%s: %s\n", text.c_str(), (*plan)->Describe()->c_str());
      return;
    }
    EXPECT_FALSE(HasDriver()) << text << ": " << plan.status().ToString();
    EXPECT_EQ(plan.status().code(), Code::kUnimplemented);
    EXPECT_NE(plan.status().message().find("EXECUTION_FAILED_CUDA_DRIVER"), std::string_view::npos)
        << text << ": " << plan.status().ToString();
    std::printf("%s: compiled, and to be loaded where a GPU is\n", text.c_str());
  }

  std::unique_ptr<Result<CudnnTarget>> target_;
};

// The shapes of GPT-2 small.
TEST_F(AttentionPlansTest, AreCompiledWithoutTheGpu) {
  for (const bool is_gradient : {false, true}) {
    for (const bool causal : {false, true}) Plan({is_gradient, 8, 12, 1024, 1024, 64, 64, causal, DType::kBfloat16});
    Plan({is_gradient, 8, 12, 1024, 1024, 64, 64, true, DType::kHalf});
  }
}

// The numbers of queries and keys differ and are no multiples of a tile.
TEST_F(AttentionPlansTest, OfOtherSizes) {
  Plan({false, 3, 5, 77, 130, 32, 128, false, DType::kBfloat16});
  Plan({true, 3, 5, 77, 130, 64, 64, false, DType::kBfloat16});
}

TEST_F(AttentionPlansTest, ThereIsNoneOfFloat32) {
  const auto plan = AttentionPlan::Create(**target_, {false, 1, 1, 128, 128, 64, 64, false, DType::kFloat});
  EXPECT_EQ(plan.status().code(), Code::kUnimplemented) << plan.status().ToString();
}

}  // namespace
}  // namespace dfrun::cuda
