#include "jobs/eval_results.h"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "jobs/json.h"
#include "jobs/output_file.h"
#include "src/base/text.h"

namespace dfrun::jobs {
namespace {

// Of sorted values; the nearest-rank definition.
double Quantile(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return std::nan("");
  const auto rank = static_cast<size_t>(std::ceil(q * static_cast<double>(sorted.size())));
  return sorted[std::max<size_t>(rank, 1) - 1];
}

double Median(const std::vector<double>& sorted) {
  if (sorted.empty()) return std::nan("");
  const size_t n = sorted.size();
  return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

}  // namespace

Status FetchStack::Begin(std::span<const Tensor> fetches) {
  for (const Tensor& t : fetches) {
    std::vector<int64_t> dims = {steps_};
    dims.insert(dims.end(), t.shape().dims().begin(), t.shape().dims().end());
    DF_ASSIGN(const Shape shape, Shape::Create(dims));
    DF_ASSIGN(Tensor stacked, Tensor::Allocate(SystemAllocator(), t.dtype(), shape));
    values_.push_back(std::move(stacked));
  }
  return Status();
}

Status FetchStack::Add(std::span<const Tensor> fetches) {
  if (steps_ == 1) {
    values_.assign(fetches.begin(), fetches.end());
    return Status();
  }
  if (added_ == 0) DF_TRY(Begin(fetches));
  for (size_t i = 0; i < fetches.size(); ++i) {
    Tensor row = values_[i].SliceRows(added_, added_ + 1);
    if (row.num_elements() != fetches[i].num_elements() ||
        row.shape().dims().size() != fetches[i].shape().dims().size() + 1 ||
        !std::equal(fetches[i].shape().dims().begin(), fetches[i].shape().dims().end(),
                    row.shape().dims().begin() + 1)) {
      return InvalidArgument("--fetch ", names_[i], " has the shape ", fetches[i].shape(), " in step ", added_,
                             " and another in the first: steps of different shapes cannot be stacked");
    }
    CopyElements(fetches[i], row);
  }
  ++added_;
  return Status();
}

void FetchStack::EndEarly() {
  for (Tensor& value : values_) value = value.SliceRows(0, added_);
}

std::string EvalStats::ToJson() const {
  std::vector<double> sorted = step_ms;
  std::sort(sorted.begin(), sorted.end());
  return StrCat("{", kJsonMark, ", \"step_ms\": {\"median\": ", JsonNumber(Median(sorted)),
                ", \"p90\": ", JsonNumber(Quantile(sorted, 0.9)), ", \"min\": ", JsonNumber(Quantile(sorted, 0)),
                ", \"count\": ", sorted.size(), "}, \"startup_ms\": ", JsonNumber(startup_ms), ", \"nodes\": ", nodes,
                ", \"peak_bytes\": ", peak_bytes, ", \"memory\": [",
                Join(memory, ", ", [](const DeviceMemory& of_device) { return dfrun::ToJson(of_device); }), "]}\n");
}

double MillisecondsSinceProcessStart() {
  constexpr int kStartTime = 22;  // proc(5): the field's number, in clock ticks since boot
  std::ifstream in("/proc/self/stat");
  std::string text;
  std::getline(in, text);
  std::istringstream fields(
      text.substr(std::min(text.rfind(')') + 1, text.size())));  // the program's name may hold anything
  std::string word;
  for (int i = 3; i <= kStartTime; ++i) fields >> word;
  timespec now{};
  if (!fields || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return std::nan("");
  const double start_s = std::stod(word) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return (static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9 - start_s) * 1e3;
}

}  // namespace dfrun::jobs
