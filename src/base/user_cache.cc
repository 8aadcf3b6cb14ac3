#include "src/base/user_cache.h"

#include <cstdlib>

namespace dfrun {
namespace {

std::string Variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

// The XDG Base Directory Specification has relative paths ignored.
bool IsAbsolute(const std::string& path) {
  return !path.empty() && path.front() == '/';
}

}  // namespace

std::string UserCacheFolder() {
  if (const std::string named = Variable("DFRUN_CACHE"); !named.empty()) return named == "off" ? "" : named;
  if (const std::string caches = Variable("XDG_CACHE_HOME"); IsAbsolute(caches)) return caches + "/dfrun";
  if (const std::string home = Variable("HOME"); IsAbsolute(home)) return home + "/.cache/dfrun";
  return "";
}

}  // namespace dfrun
