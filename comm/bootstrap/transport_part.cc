#include "comm/bootstrap/transport_part.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <system_error>

#include "src/base/library_folder.h"
#include "src/base/mutex.h"

namespace dfrun::comm {
namespace {

using Definition = const TransportDef* (*)();

std::filesystem::path PartsFolder() {
  const char* const named = std::getenv("DFRUN_TRANSPORT_PARTS");
  return named != nullptr ? named : LibraryFolder() / "dfrun";
}

Result<const TransportDef*> Open(const std::string& name) {
  const std::filesystem::path part = PartsFolder() / StrCat("libdfrun_", name, ".so");
  std::error_code error;
  if (!std::filesystem::exists(part, error)) {
    return FailedPrecondition("there is no ", part.string(), "; the build makes it where it finds the headers");
  }
  void* const handle = dlopen(part.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return FailedPrecondition("cannot load ", part.string(), ": ", dlerror());
  const auto definition = reinterpret_cast<Definition>(dlsym(handle, "dfrun_transport_part"));
  if (definition == nullptr) return FailedPrecondition(part.string(), " is no transport of this program: ", dlerror());
  return definition();
}

}  // namespace

Result<const TransportDef*> OpenTransportPart(const std::string& name) {
  static Mutex& mu = *new Mutex();
  static std::map<std::string, Result<const TransportDef*>>& opened =
      *new std::map<std::string, Result<const TransportDef*>>();
  MutexLock lock(mu);
  auto it = opened.find(name);
  if (it == opened.end()) it = opened.emplace(name, Open(name)).first;
  return it->second;
}

}  // namespace dfrun::comm
