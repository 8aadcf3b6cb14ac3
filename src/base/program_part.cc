#include "src/base/program_part.h"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

#include "src/base/library_folder.h"
#include "src/base/text.h"

namespace dfrun {

std::string ProgramPartFile(const std::string& name) {
  return (LibraryFolder() / "dfrun" / StrCat("libdfrun_", name, ".so")).string();
}

bool HasProgramPart(const std::string& name) {
  std::error_code error;
  return std::filesystem::exists(ProgramPartFile(name), error);
}

Result<void*> OpenProgramPart(const std::string& name, const char* entry) {
  const std::string file = ProgramPartFile(name);
  if (!HasProgramPart(name)) {
    return FailedPrecondition("there is no ", file, "; the build makes it where it finds the headers");
  }
  void* const part = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (part == nullptr) return FailedPrecondition("cannot load ", file, ": ", dlerror());
  void* const function = dlsym(part, entry);
  if (function == nullptr) return FailedPrecondition(file, " is no part of this program: ", dlerror());
  return function;
}

}  // namespace dfrun
