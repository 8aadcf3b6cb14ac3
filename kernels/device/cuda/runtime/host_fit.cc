#include "kernels/device/cuda/runtime/host_fit.h"

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "src/base/status.h"
#include "src/base/text.h"

namespace dfrun::cuda {
namespace {

// The oldest GPUs that nvcc 13 compiles for.
constexpr int kCuda13 = 13000;
constexpr int kOldestOfCuda13 = 75;

// Returns the parts after "sm_" of a list of architectures: "80", "90a".
std::vector<std::string> ArchitecturesOf(std::string_view built) {
  constexpr std::string_view kPrefix = "sm_";
  std::vector<std::string> names;
  for (size_t at = built.find(kPrefix); at != std::string_view::npos; at = built.find(kPrefix, at)) {
    at += kPrefix.size();
    const size_t end = std::min(built.find_first_of(", ", at), built.size());
    names.emplace_back(built.substr(at, end - at));
  }
  return names;
}

std::optional<int> ArchitectureNumber(const std::string& architecture) {
  const size_t letters = architecture.find_first_not_of("0123456789");
  return ParseAs<int>(std::string_view(architecture).substr(0, letters));
}

bool RunsArchitecture(const std::string& architecture, ComputeCapability gpu) {
  const std::optional<int> number = ArchitectureNumber(architecture);
  if (!number || *number / 10 != gpu.major) return false;
  switch (architecture.back()) {
    case 'a':  // for this GPU alone
      return *number % 10 == gpu.minor;
    default:
      return *number % 10 <= gpu.minor;
  }
}

// "80;90": the architectures that are built and one more, in the order of their numbers.
std::string ArchitecturesWith(std::string_view built, ComputeCapability gpu) {
  std::set<std::pair<int, std::string>> all = {{gpu.major * 10 + gpu.minor, StrCat(gpu.major, gpu.minor)}};
  for (const std::string& architecture : ArchitecturesOf(built)) {
    if (const std::optional<int> number = ArchitectureNumber(architecture)) all.emplace(*number, architecture);
  }
  return Join(all, ";", [](const auto& entry) { return entry.second; });
}

std::string CudnnAdvice(const CudnnBuild& wanted) {
  const int major = wanted.cuda / 1000;
  return StrCat("install cuDNN ", wanted.version / 10000, ".", wanted.version / 100 % 100, " or newer for CUDA ", major,
                " (Debian: libcudnn9-cuda-", major, "; wheel: nvidia-cudnn-cu", major,
                ", whose lib folder LD_LIBRARY_PATH must name)");
}

}  // namespace

std::string CudaVersion(int number) {
  return StrCat(number / 1000, ".", number % 1000 / 10);
}

std::string CudnnVersion(size_t number) {
  return StrCat(number / 10000, ".", number / 100 % 100, ".", number % 100);
}

bool RunsKernelsFor(std::string_view built, ComputeCapability gpu) {
  for (const std::string& architecture : ArchitecturesOf(built)) {
    if (RunsArchitecture(architecture, gpu)) return true;
  }
  return false;
}

std::string CapabilityProblem(std::string_view gpus, ComputeCapability gpu, std::string_view built, int cuda) {
  const std::string problem = StrCat(gpus, " cannot be used: compute capability ", gpu.major, ".", gpu.minor,
                                     " was not built, only ", built, ": ");
  if (cuda >= kCuda13 && gpu.major * 10 + gpu.minor < kOldestOfCuda13) {
    return StrCat(problem, "CUDA ", CudaVersion(cuda), " compiles for 7.5 and newer; build with CUDA 12 and ",
                  "-DDFRUN_CUDA_ARCHITECTURES=\"", ArchitecturesWith(built, gpu), "\"");
  }
  return StrCat(problem, "configure with -DDFRUN_CUDA_ARCHITECTURES=\"", ArchitecturesWith(built, gpu),
                "\" and build again");
}

// A driver runs code built with an older CUDA, or with another one of its own major number.
std::string DriverProblem(int driver, int cuda) {
  if (driver == 0) return "no driver: libcuda.so.1 is not there";
  if (driver / 1000 >= cuda / 1000) return "";
  return StrCat("the driver is for CUDA ", CudaVersion(driver), ", too old for CUDA ", CudaVersion(cuda),
                ", which this program is built with");
}

std::string DriverAdvice(int cuda) {
  return StrCat("install a driver for CUDA ", cuda / 1000,
                ".0 or newer (`nvidia-smi` shows which is there), or build with ", "the toolkit of an older CUDA");
}

std::string CudnnProblem(const CudnnBuild& found, const CudnnBuild& wanted) {
  const std::string version = CudnnVersion(found.version);
  if (found.cuda / 1000 != wanted.cuda / 1000) {
    return StrCat("cuDNN ", version, " was made for CUDA ", CudaVersion(found.cuda),
                  ", and this program is built with CUDA ", CudaVersion(wanted.cuda), ": ", CudnnAdvice(wanted));
  }
  if (found.version / 100 < wanted.version / 100) {
    return StrCat("cuDNN ", version, " is older than ", CudnnVersion(wanted.version),
                  ", with whose headers this program is built, and may lack what they promise: ", CudnnAdvice(wanted));
  }
  return "";
}

std::string CudnnAbsence(std::string_view why, const CudnnBuild& wanted) {
  return StrCat("cuDNN is absent, so that convolutions are computed by slower functions (", why,
                "): ", CudnnAdvice(wanted));
}

std::string CublasLtAbsence(std::string_view why, int cuda) {
  return StrCat("cuBLASLt is absent, so that products are computed by slower functions (", why,
                "): install that of CUDA ", CudaVersion(cuda), " (Debian: libcublas-", cuda / 1000, "-",
                cuda % 1000 / 10, "; wheel: nvidia-cublas, whose lib folder LD_LIBRARY_PATH must name)");
}

}  // namespace dfrun::cuda
