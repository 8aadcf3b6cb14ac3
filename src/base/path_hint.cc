#include "src/base/path_hint.h"

#include "src/base/characters.h"
#include "src/base/status.h"

namespace dfrun {
namespace {

// "s3" of "s3://bucket/file"; empty without one.
std::string_view SchemeOf(std::string_view path) {
  const std::string_view scheme = path.substr(0, path.find("://"));
  return scheme == path || scheme.find('/') != std::string_view::npos ? std::string_view() : scheme;
}

bool BeginsAtHome(std::string_view path) {
  return path == "~" || path.starts_with("~/");
}

}  // namespace

bool IsForeignPath(std::string_view path) {
  return BeginsAtHome(path) || !SchemeOf(path).empty();
}

std::string AboutPath(std::string_view path) {
  const std::string_view scheme = SchemeOf(path);
  if (scheme == "file") return "; write the path without 'file://'";
  if (!scheme.empty()) return StrCat("; files are those of file systems: copy or mount what is at ", scheme, "://");
  if (BeginsAtHome(path)) return "; '~' is the shell's: write the whole path";
  if (path.find('$') != std::string_view::npos)
    return "; variables of the shell are not replaced in paths; a param is written ${name}, and --set gives its value";
  const std::string strange = FindLookAlike(path);
  return strange.empty() ? "" : StrCat("; the path holds ", strange);
}

}  // namespace dfrun
