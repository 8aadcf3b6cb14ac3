#include "src/job/metrics_log.h"

#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "src/base/hexadecimal.h"
#include "src/base/json/json.h"

namespace dfrun {
namespace {

constexpr size_t kMaxMetricsBytes = size_t{4} << 30;

template <class T>
std::string Shortest(T value) {
  char text[64];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end);
}

template <class T>
std::string NumberToJson(T value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, bfloat16> || std::is_same_v<T, float16>) {
    return NumberToJson(static_cast<float>(value));
  } else {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) return "\"NaN\"";
      if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    }
    return Shortest(value);
  }
}

std::vector<std::pair<std::string, Tensor>> NumbersOf(const JobResults& results) {
  std::vector<std::pair<std::string, Tensor>> numbers;
  for (const auto& result : results.values) {
    if (IsNumber(result.second)) numbers.push_back(result);
  }
  return numbers;
}

Status AddScalars(std::span<const std::pair<std::string, Tensor>> scalars, int64_t step, std::string& line) {
  for (const auto& [name, value] : scalars) {
    Result<std::string> text = ScalarToJson(value);
    if (!text.ok()) return text.status().Annotate(StrCat("metric '", name, "' of step ", step));
    line += StrCat(", ", JsonString(name), ": ", *text);
  }
  return Status();
}

Result<std::string> Members(const JobResults& results) {
  std::string line = StrCat("\"wall_s\": ", Shortest(std::round(results.wall_s * 1e6) / 1e6));
  DF_TRY(AddScalars(results.timings, results.step, line));
  for (const DeviceMemory& of_device : results.memory) {
    line += StrCat(", ", JsonString("memory" + of_device.device), ": ", of_device.peak_bytes);
  }
  DF_TRY(AddScalars(results.schedule, results.step, line));
  DF_TRY(AddScalars(results.values, results.step, line));
  if (results.state) line += StrCat(", \"state\": \"", Hexadecimal(*results.state, kFingerprintDigits), "\"");
  return line;
}

// The step of a line that Append() wrote; -1 for other text.
int64_t StepOf(std::string_view line) {
  constexpr std::string_view kStart = "{\"step\": ";
  if (line.substr(0, kStart.size()) != kStart || line.back() != '}') return -1;
  int64_t step = -1;
  std::from_chars(line.data() + kStart.size(), line.data() + line.size(), step);
  return step;
}

// Whether it is a line of an evaluation, whose values are called "<name>/<metric>".
bool IsOf(std::string_view line, const std::vector<std::string>& evaluations) {
  return std::any_of(evaluations.begin(), evaluations.end(), [&](const std::string& name) {
    return line.find(StrCat(", \"", name, "/")) != std::string_view::npos;
  });
}

std::string LinesThrough(const std::string& text, int64_t last_step, const std::vector<std::string>& again) {
  std::string kept;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    if (end == std::string::npos) break;  // cut short
    const std::string_view line(text.data() + at, end - at);
    const int64_t step = line.empty() ? -1 : StepOf(line);
    if (step >= 0 && (step < last_step || (step == last_step && !IsOf(line, again)))) kept.append(line).push_back('\n');
    at = end + 1;
  }
  return kept;
}

}  // namespace

Result<std::string> ScalarToJson(const Tensor& value) {
  if (value.num_elements() != 1)
    return InvalidArgument("a metric must be a scalar, not ", value.dtype(), value.shape());
  if (value.dtype() == DType::kString) return JsonString(value.scalar<std::string>());
  std::string text;
  const bool known = VisitDType<float, double, bfloat16, float16, bool, int8_t, int16_t, int32_t, int64_t, uint8_t,
                                uint16_t, uint32_t, uint64_t>(
      value.dtype(), [&](auto tag) { text = NumberToJson(value.scalar<typename decltype(tag)::type>()); });
  if (!known) return InvalidArgument("a metric cannot be of dtype ", value.dtype());
  return text;
}

Result<std::string> MembersOfLine(const JobResults& results) {
  const std::vector<std::pair<std::string, Tensor>> numbers = NumbersOf(results);
  JobResults line = results;
  line.values = numbers;
  return Members(line);
}

Result<MetricsLog> MetricsLog::Open(const std::string& path, int64_t keep_through,
                                    const std::vector<std::string>& again) {
  DF_ASSIGN(FileDescriptor file, FileDescriptor::OpenForAppending(path));
  DF_ASSIGN(const std::string text, ReadFile(path, kMaxMetricsBytes));
  const std::string kept = LinesThrough(text, keep_through, again);
  if (kept == text) return MetricsLog(std::move(file));
  DF_TRY(WriteFileAtomically(path, kept));
  DF_ASSIGN(file, FileDescriptor::OpenForAppending(path));
  return MetricsLog(std::move(file));
}

Status MetricsLog::Append(const JobResults& results) {
  DF_ASSIGN(const std::string members, Members(results));
  DF_TRY(file_.Append(StrCat("{\"step\": ", results.step, ", ", members, "}\n")));
  return CheckStillThere();
}

Status MetricsLog::OnStep(const JobResults& results) {
  const std::vector<std::pair<std::string, Tensor>> numbers = NumbersOf(results);
  JobResults line = results;
  line.values = numbers;
  return Append(line);
}

// The system loses lines of a removed file when the file is closed, without an error.
Status MetricsLog::CheckStillThere() const {
  struct stat status;
  if (::fstat(file_.fd(), &status) != 0) return ErrnoError("cannot look at", file_.path());
  if (status.st_nlink > 0) return Status();
  return IoError("cannot write ", file_.path(),
                 ": it was removed while the job ran, and what the job finds would be lost");
}

}  // namespace dfrun
