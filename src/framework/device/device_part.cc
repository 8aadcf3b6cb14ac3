#include "src/framework/device/device_part.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "src/base/library_folder.h"

namespace dfrun {
namespace {

// Empty where the loader does not know.
std::filesystem::path PartsFolder() {
  const char* const named = std::getenv("DFRUN_DEVICE_PARTS");
  return named != nullptr ? named : LibraryFolder();
}

bool IsPart(const std::filesystem::path& file) {
  return file.extension() == ".so" && file.filename().string().rfind("libdfrun_", 0) == 0;
}

}  // namespace

Status LoadDeviceParts() {
  std::vector<std::filesystem::path> parts;
  std::error_code error;
  for (std::filesystem::directory_iterator it(PartsFolder(), error), end; !error && it != end; it.increment(error)) {
    if (IsPart(it->path())) parts.push_back(it->path());
  }
  std::sort(parts.begin(), parts.end());
  for (const std::filesystem::path& part : parts) {
    if (dlopen(part.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
      return FailedPrecondition("cannot load the device part ", part.string(), ": ", dlerror(),
                                "; without that file the program runs on the devices of its own");
    }
  }
  return Status();
}

Registry<PartReport>& PartReports() {
  static Registry<PartReport>& reports = *new Registry<PartReport>();
  return reports;
}

Registry<PartSurvey>& PartSurveys() {
  static Registry<PartSurvey>& surveys = *new Registry<PartSurvey>();
  return surveys;
}

}  // namespace dfrun
