#include "src/base/user_cache.h"

#include <cstdlib>

namespace dfrun {
namespace {

std::string EnvironmentVariable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

// The XDG Base Directory Specification has relative paths ignored.
bool IsAbsolute(const std::string& path) {
  return !path.empty() && path.front() == '/';
}

}  // namespace

std::string UserCacheFolder() {
  if (const std::string named = EnvironmentVariable("DFRUN_CACHE"); !named.empty()) return named == "off" ? "" : named;
  if (const std::string caches = EnvironmentVariable("XDG_CACHE_HOME"); IsAbsolute(caches)) return caches + "/dfrun";
  if (const std::string home = EnvironmentVariable("HOME"); IsAbsolute(home)) return home + "/.cache/dfrun";
  return "";
}

}  // namespace dfrun
