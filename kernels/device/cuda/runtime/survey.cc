#include "kernels/device/cuda/runtime/survey.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

#include "kernels/device/cuda/library/cublas_lt.h"
#include "kernels/device/cuda/library/cudnn.h"
#include "kernels/device/cuda/runtime/cuda_status.h"
#include "kernels/device/cuda/runtime/host_fit.h"
#include "src/base/text.h"
#include "src/framework/device/device_part.h"

namespace dfrun::cuda {
namespace {

// 0: there is none.
int DriverVersion() {
  int driver = 0;
  return cudaDriverGetVersion(&driver) == cudaSuccess ? driver : 0;
}

std::string ModelOfGpu(int index) {
  cudaDeviceProp properties{};
  return cudaGetDeviceProperties(&properties, index) == cudaSuccess ? properties.name : "of an unknown kind";
}

// "GPU 0, 1 (NVIDIA A100)".
std::string NameGpus(const std::vector<int>& indices, const std::string& model) {
  return StrCat("GPU ", Join(indices), " (", model, ")");
}

Result<ComputeCapability> CapabilityOfGpu(int index) {
  ComputeCapability capability;
  DF_TRY(CudaStatus(cudaDeviceGetAttribute(&capability.major, cudaDevAttrComputeCapabilityMajor, index),
                    "ask a GPU what it is"));
  DF_TRY(CudaStatus(cudaDeviceGetAttribute(&capability.minor, cudaDevAttrComputeCapabilityMinor, index),
                    "ask a GPU what it is"));
  return capability;
}

// The variable may hide all GPUs of a host that has some.
std::string HidingVariable() {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible == nullptr ? "" : StrCat("; CUDA_VISIBLE_DEVICES is '", visible, "'");
}

// The runtime's word of a driver that is absent is that of one that is too old.
void ExplainNoCount(cudaError_t error, GpuSurvey& survey) {
  const std::string of_driver = DriverProblem(DriverVersion(), CUDART_VERSION);
  if (error != cudaErrorInsufficientDriver || of_driver.empty()) {
    survey.why_none = StrCat(CudaStatus(error, "find GPUs").message(), HidingVariable());
    return;
  }
  survey.why_none = StrCat("cannot find GPUs: ", of_driver);
  if (DriverVersion() == 0) return;  // a host without GPUs, which is in order
  survey.why_none += StrCat(": ", DriverAdvice(CUDART_VERSION));
  survey.warnings.push_back(survey.why_none);
}

// GPUs of one model that cannot be used.
struct UnfitGpus {
  std::vector<int> indices;
  ComputeCapability capability;
};

void LookAtGpu(int index, GpuSurvey& survey, std::map<std::string, UnfitGpus>& unfit) {
  const Result<ComputeCapability> capability = CapabilityOfGpu(index);
  if (!capability.ok()) {
    survey.warnings.push_back(
        StrCat(NameGpus({index}, ModelOfGpu(index)), " cannot be used: ", capability.status().message()));
  } else if (RunsKernelsFor(DFRUN_CUDA_ARCHITECTURES, *capability)) {
    survey.usable.push_back(index);
  } else {
    UnfitGpus& gpus = unfit[ModelOfGpu(index)];
    gpus.indices.push_back(index);
    gpus.capability = *capability;
  }
}

constexpr CudnnBuild kCudnnOfHeaders = {.version = CUDNN_VERSION, .cuda = CUDART_VERSION};

DevicesReport SurveyPart() {
  GpuSurvey survey = SurveyGpus();
  DevicesReport report;
  for (const int index : survey.usable) {
    cudaDeviceProp properties{};
    const bool is_known = cudaGetDeviceProperties(&properties, index) == cudaSuccess;
    report.devices.push_back(
        {.type = "gpu",
         .index = static_cast<int>(report.devices.size()),
         .description = is_known ? DescribeGpu(index, properties) : NameGpus({index}, "of an unknown kind")});
  }
  report.warnings = std::move(survey.warnings);
  if (survey.usable.empty()) {
    report.why_none.emplace("gpu", std::move(survey.why_none));
    return report;
  }
  for (const std::string& warning : {CudnnWarning(), CublasLtWarning()}) {
    if (!warning.empty()) report.warnings.push_back(warning);
  }
  return report;
}

DEVICE_PART_SURVEY("cuda", &SurveyPart);

}  // namespace

GpuSurvey SurveyGpus() {
  GpuSurvey survey;
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess) {
    ExplainNoCount(error, survey);
    return survey;
  }
  std::map<std::string, UnfitGpus> unfit;  // by model
  for (int i = 0; i < count; ++i) LookAtGpu(i, survey, unfit);
  for (const auto& [model, gpus] : unfit) {
    survey.warnings.push_back(
        CapabilityProblem(NameGpus(gpus.indices, model), gpus.capability, DFRUN_CUDA_ARCHITECTURES, CUDART_VERSION));
  }
  if (survey.usable.empty()) survey.why_none = count == 0 ? "there is no GPU" : Join(survey.warnings, "; ");
  return survey;
}

std::string DescribeGpu(int index, const cudaDeviceProp& properties) {
  char place[32];
  std::snprintf(place, sizeof place, "%04x:%02x:%02x", static_cast<unsigned>(properties.pciDomainID),
                static_cast<unsigned>(properties.pciBusID), static_cast<unsigned>(properties.pciDeviceID));
  return StrCat(properties.name, ", GPU ", index, " at ", place, ", compute capability ", properties.major, ".",
                properties.minor, ", ", properties.multiProcessorCount, " multiprocessors");
}

std::string DriverText() {
  const std::string problem = DriverProblem(DriverVersion(), CUDART_VERSION);
  return problem.empty() ? StrCat("driver for CUDA ", CudaVersion(DriverVersion())) : problem;
}

std::string CudnnWarning() {
  const Result<const Cudnn*>& cudnn = Cudnn::Get();
  if (!cudnn.ok()) return CudnnAbsence(cudnn.status().message(), kCudnnOfHeaders);
  return CudnnProblem(
      {.version = (*cudnn)->cudnnGetVersion(), .cuda = static_cast<int>((*cudnn)->cudnnGetCudartVersion())},
      kCudnnOfHeaders);
}

std::string CublasLtWarning() {
  const Result<const CublasLt*>& lt = CublasLt::Get();
  return lt.ok() ? "" : CublasLtAbsence(lt.status().message(), CUDART_VERSION);
}

}  // namespace dfrun::cuda
