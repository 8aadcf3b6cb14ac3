#include "jobs/eval/eval_stats.h"

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

// Returns a quantile of sorted values, by the nearest-rank definition.
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
  constexpr int kStartTime = 22;  // field number in proc(5), in clock ticks since boot
  std::ifstream in("/proc/self/stat");
  std::string text;
  std::getline(in, text);
  std::istringstream fields(
      text.substr(std::min(text.rfind(')') + 1, text.size())));  // the program's name may hold any character
  std::string word;
  for (int i = 3; i <= kStartTime; ++i) fields >> word;
  timespec now{};
  if (!fields || clock_gettime(CLOCK_BOOTTIME, &now) != 0) return std::nan("");
  const double start_s = std::stod(word) / static_cast<double>(sysconf(_SC_CLK_TCK));
  return (static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9 - start_s) * 1e3;
}

}  // namespace dfrun::jobs
