// Counts the kernels of a CUDA program, and the time of each on the GPU, by CUPTI. The driver loads this library into a
// program at its first call where the environment variable CUDA_INJECTION64_PATH names it. At the end of the program
// the file that DFRUN_KERNEL_TIMES names has a line a kernel: calls, nanoseconds and name, with tabs between. Kernels
// of a CUDA graph are counted one by one; copies and fills have the names of what they do.
//
// Thread safety: CUPTI calls from threads of its own.
#include <cupti.h>
#include <cxxabi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>

namespace {

struct Times {
  int64_t calls = 0;
  uint64_t ns = 0;
};

std::mutex mu;
// Never destroyed: buffers may come while the program ends.
std::map<std::string, Times>& times = *new std::map<std::string, Times>();

bool Ok(CUptiResult result, const char* what) {
  if (result == CUPTI_SUCCESS) return true;
  const char* text = nullptr;
  cuptiGetResultString(result, &text);
  std::fprintf(stderr, "kernel_times: %s: %s\n", what, text == nullptr ? "an unknown error" : text);
  return false;
}

void Add(const std::string& name, uint64_t start, uint64_t end) {
  const std::lock_guard<std::mutex> lock(mu);
  Times& of_kernel = times[name];
  ++of_kernel.calls;
  of_kernel.ns += end - start;
}

void Read(const CUpti_Activity* record) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto* kernel = reinterpret_cast<const CUpti_ActivityKernel10*>(record);
      return Add(kernel->name, kernel->start, kernel->end);
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto* copy = reinterpret_cast<const CUpti_ActivityMemcpy6*>(record);
      const char* const kind = copy->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD   ? "(copy from the host)"
                               : copy->copyKind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH ? "(copy to the host)"
                                                                                   : "(copy on the GPU)";
      return Add(kind, copy->start, copy->end);
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto* fill = reinterpret_cast<const CUpti_ActivityMemset4*>(record);
      return Add("(fill)", fill->start, fill->end);
    }
    default:
      return;
  }
}

void CUPTIAPI GiveBuffer(uint8_t** buffer, size_t* size, size_t* most_records) {
  constexpr size_t kBytes = size_t{4} << 20;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, kBytes));
  *size = *buffer == nullptr ? 0 : kBytes;
  *most_records = 0;
}

void CUPTIAPI TakeBuffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid_bytes) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid_bytes, &record) == CUPTI_SUCCESS) Read(record);
  std::free(buffer);
}

// As in the source, where it is a name of C++.
std::string Readable(const std::string& name) {
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, nullptr);
  std::string readable = text == nullptr ? name : text;
  std::free(text);
  return readable;
}

void Write() {
  Ok(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "the last records");
  const char* const path = std::getenv("DFRUN_KERNEL_TIMES");
  std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "w");
  if (file == nullptr) {
    std::fprintf(stderr, "kernel_times: the file that DFRUN_KERNEL_TIMES names cannot be written\n");
    return;
  }
  const std::lock_guard<std::mutex> lock(mu);
  for (const auto& [name, of_kernel] : times) {
    std::fprintf(file, "%lld\t%llu\t%s\n", static_cast<long long>(of_kernel.calls),
                 static_cast<unsigned long long>(of_kernel.ns), Readable(name).c_str());
  }
  std::fclose(file);
}

}  // namespace

// The driver calls it once; another value than 1 is an error there.
extern "C" int InitializeInjection() {
  if (!Ok(cuptiActivityRegisterCallbacks(GiveBuffer, TakeBuffer), "CUPTI gives no records")) return 1;
  for (const CUpti_ActivityKind kind :
       {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET}) {
    if (!Ok(cuptiActivityEnable(kind), "CUPTI gives no records of a kind")) return 1;
  }
  std::atexit(Write);
  return 1;
}
