// Texts about GPUs, drivers and libraries that do not fit. NVIDIA's CUDA Programming Guide, "Binary Compatibility",
// says which machine code runs where; "CUDA Compatibility" says which driver runs what.
#include "kernels/device/cuda/runtime/host_fit.h"

#include <gmock/gmock.h>

namespace dfrun::cuda {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(HostFitTest, MachineCodeRunsWithinItsMajorNumber) {
  struct Case {
    const char* built;
    ComputeCapability gpu;
    bool runs;
  };
  for (const Case& c : {Case{"sm_90", {9, 0}, true}, Case{"sm_90", {8, 0}, false}, Case{"sm_90", {10, 0}, false},
                        Case{"sm_80", {8, 6}, true}, Case{"sm_86", {8, 0}, false}, Case{"sm_80", {9, 0}, false},
                        Case{"sm_80, sm_90", {8, 9}, true}, Case{"sm_80, sm_90", {7, 5}, false},
                        Case{"sm_90a", {9, 0}, true}, Case{"sm_100a", {10, 3}, false}, Case{"sm_100f", {10, 3}, true},
                        Case{"sm_100", {10, 3}, true}, Case{"sm_120", {12, 1}, true}, Case{"", {9, 0}, false}}) {
    EXPECT_EQ(RunsKernelsFor(c.built, c.gpu), c.runs) << c.built << " on " << c.gpu.major << "." << c.gpu.minor;
  }
}

TEST(HostFitTest, TheListOfArchitecturesIsWhatBuildsThemAll) {
  const std::string a100 = CapabilityProblem("GPU 0, 1 (NVIDIA A100-SXM4-80GB)", {8, 0}, "sm_90", 13000);
  EXPECT_EQ(a100,
            "GPU 0, 1 (NVIDIA A100-SXM4-80GB) cannot be used: compute capability 8.0 was not built, only sm_90: "
            "configure with -DDFRUN_CUDA_ARCHITECTURES=\"80;90\" and build again");
  EXPECT_THAT(CapabilityProblem("GPU 1", {10, 3}, "sm_80, sm_90a", 13000), HasSubstr("=\"80;90a;103\" and build"));
  EXPECT_THAT(CapabilityProblem("GPU 1", {7, 5}, "sm_90", 13000), HasSubstr("=\"75;90\" and build again"));
}

TEST(HostFitTest, Cuda13CompilesForNoOlderGpuThanTuring) {
  EXPECT_THAT(CapabilityProblem("GPU 0 (Tesla V100)", {7, 0}, "sm_90", 13000),
              AllOf(HasSubstr("CUDA 13.0 compiles for 7.5 and newer; build with CUDA 12"), HasSubstr("=\"70;90\"")));
  EXPECT_THAT(CapabilityProblem("GPU 0 (Tesla V100)", {7, 0}, "sm_90", 12080), Not(HasSubstr("7.5 and newer")));
}

TEST(HostFitTest, ADriverRunsWhatIsOfItsMajorNumberOrOlder) {
  EXPECT_EQ(DriverProblem(13000, 13020), "");
  EXPECT_EQ(DriverProblem(13010, 12080), "");
  EXPECT_EQ(DriverProblem(0, 13000), "no driver: libcuda.so.1 is not there");
  EXPECT_EQ(DriverProblem(12020, 13000),
            "the driver is for CUDA 12.2, too old for CUDA 13.0, which this program is built with");
  EXPECT_THAT(DriverAdvice(13020), HasSubstr("a driver for CUDA 13.0 or newer"));
}

TEST(HostFitTest, CudnnIsOfTheSameCudaAndNotOlderThanItsHeaders) {
  const CudnnBuild wanted = {.version = 91900, .cuda = 13000};
  EXPECT_EQ(CudnnProblem({.version = 91900, .cuda = 13010}, wanted), "");
  EXPECT_EQ(CudnnProblem({.version = 91903, .cuda = 13000}, wanted), "");
  EXPECT_EQ(CudnnProblem({.version = 92001, .cuda = 13020}, wanted), "");
  EXPECT_EQ(CudnnProblem({.version = 91900, .cuda = 13000}, {.version = 91905, .cuda = 13000}), "");  // a patch
  EXPECT_THAT(
      CudnnProblem({.version = 91400, .cuda = 13000}, wanted),
      AllOf(HasSubstr("cuDNN 9.14.0 is older than 9.19.0"), HasSubstr("install cuDNN 9.19 or newer for CUDA 13"),
            HasSubstr("libcudnn9-cuda-13"), HasSubstr("nvidia-cudnn-cu13")));
  EXPECT_THAT(CudnnProblem({.version = 91900, .cuda = 12090}, wanted),
              AllOf(HasSubstr("made for CUDA 12.9, and this program is built with CUDA 13.0"),
                    HasSubstr("install cuDNN 9.19 or newer for CUDA 13")));
}

}  // namespace
}  // namespace dfrun::cuda
