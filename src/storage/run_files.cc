#include "src/storage/run_files.h"

#include <filesystem>
#include <iterator>
#include <string_view>

#include "src/storage/written_files.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCheckpoints = "checkpoints";
constexpr std::string_view kStep = "step-";

bool IsRecordName(std::string_view name) {
  return name == "run.json" || (name.starts_with("run-") && name.ends_with(".json"));
}

bool IsStateName(std::string_view name) {
  return name == "state.bin" || (name.starts_with("state-") && name.ends_with(".bin"));
}

// Whether a name right below a run directory, followed by `next`, belongs to the run.
bool IsRunsName(std::string_view name, std::string_view next) {
  if (name == kCheckpoints) return next == "LATEST";
  return IsRecordName(name) || IsStateName(name) || name == "spec.yaml" || name == "metrics.jsonl" || name == "trace" ||
         WrittenFiles::IsListName(name);
}

}  // namespace

bool IsKeptByRun(const std::string& path, const std::string& run_directory) {
  fs::path above;
  const fs::path whole(path);
  for (auto part = whole.begin(); part != whole.end(); above /= *part++) {
    const std::string name = part->string();
    const auto after = std::next(part);
    const std::string next = after == whole.end() ? "" : after->string();
    if (name == kCheckpoints && std::string_view(next).starts_with(kStep)) return true;
    if (!IsRunsName(name, next)) continue;
    std::error_code error;
    if (above == run_directory || fs::exists(above / "run.json", error)) return true;
  }
  return false;
}

bool IsStepBeingSaved(const std::string& path, const std::string& run_directory) {
  const fs::path whole(path);
  const std::string name = whole.filename().string();
  return !run_directory.empty() && whole.parent_path() == fs::path(run_directory) / kCheckpoints &&
         name.starts_with(kStep) && name.find(".tmp-") != std::string::npos;
}

}  // namespace dfrun
