// Finds the GPUs of a rank and makes their devices.
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/device/cuda/runtime/cuda_device.h"
#include "kernels/device/cuda/runtime/cuda_graph_capture.h"
#include "kernels/device/cuda/runtime/cuda_status.h"
#include "kernels/device/cuda/runtime/survey.h"
#include "src/framework/device/device_factory.h"

namespace dfrun::cuda {
namespace {

// The GPUs of a rank. Those of a host are dealt out among its ranks; where ranks are more, some share one.
std::vector<int> GpusOfRank(const DeviceSite& site, const std::vector<int>& usable) {
  const auto count = static_cast<int>(usable.size());
  const auto gpu = [&](int i) { return usable[static_cast<size_t>(i)]; };
  if (count < site.ranks_on_host) return {gpu(site.rank_on_host % count)};
  std::vector<int> gpus;
  for (int i = site.rank_on_host; i < count; i += site.ranks_on_host) gpus.push_back(gpu(i));
  return gpus;
}

std::unique_ptr<GraphCapture> NewCapture(CudaDevice& of) {
  return std::make_unique<CudaGraphCapture>(of);
}

Status AddGpu(const DeviceSite& site, int index, FoundDevices& found) {
  DF_ASSIGN(Gpu* const gpu_device, Gpu::Find(index));
  DeviceName name = site.task;
  name.type = std::string("gpu");
  name.index = static_cast<int>(found.devices.size());
  cudaDeviceProp properties{};
  DF_TRY(CudaStatus(cudaGetDeviceProperties(&properties, index), StrCat("ask GPU ", index, " what it is")));
  const auto total = static_cast<int64_t>(properties.totalGlobalMem);
  const auto limit = site.memory_limits.find(*name.type);
  gpu_device->memory().SetLimit(limit == site.memory_limits.end() ? 0 : limit->second.BytesOf(total));
  Allocator& host = site.network_memory == nullptr ? PinnedMemory() : *site.network_memory;
  found.devices.push_back(
      {std::make_unique<CudaDevice>(name, *gpu_device, host, &NewCapture), total, DescribeGpu(index, properties)});
  return Status();
}

// Opens cuBLASLt, which is large, on a thread while the contexts of GPUs are made. The first caller that needs it waits
// for it. The future holds the result of CublasLtWarning().
std::future<std::string> OpenCublasLtBeside() {
  std::packaged_task<std::string()> open(&CublasLtWarning);
  std::future<std::string> warning = open.get_future();
  std::thread(std::move(open)).detach();
  return warning;
}

void AddWarning(std::string warning, FoundDevices& found) {
  if (!warning.empty()) found.warnings.push_back(std::move(warning));
}

// None where there is no driver or no GPU: the program is the same there.
Result<FoundDevices> FindCudaDevices(const DeviceSite& site) {
  // The time within which the loader finds that a library is absent. A library that is there is not waited for.
  constexpr std::chrono::milliseconds kMissed(10);
  GpuSurvey survey = SurveyGpus();
  FoundDevices found;
  found.why_none = std::move(survey.why_none);
  found.warnings = std::move(survey.warnings);
  if (survey.usable.empty()) return found;
  AddWarning(CudnnWarning(), found);
  std::future<std::string> cublas_lt = OpenCublasLtBeside();
  for (const int index : GpusOfRank(site, survey.usable)) DF_TRY(AddGpu(site, index, found));
  if (cublas_lt.wait_for(kMissed) == std::future_status::ready) AddWarning(cublas_lt.get(), found);
  return found;
}

DEVICE_FACTORY("gpu", &FindCudaDevices);

}  // namespace
}  // namespace dfrun::cuda
