#include "src/framework/file_access.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

#include "src/base/sort_unique.h"
#include "src/base/text.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;

// Graphs name containers by their own words; this is no word of theirs that a reset would forget by chance.
constexpr const char* kContainer = "dfrun file access";
constexpr int kMaxLinks = 40;  // as the system has it

// Where a link leads; empty for what is none.
std::string LinkTarget(const std::string& path) {
  std::string target(4096, '\0');
  const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
  target.resize(length > 0 ? static_cast<size_t>(length) : 0);
  return target;
}

// realpath(3); empty where there is no such file.
std::string RealPath(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : std::string();
}

// Of a file that is open: the name that the system knows it by.
std::string NameOf(int fd) {
  return LinkTarget(StrCat("/proc/self/fd/", fd));
}

// "a/b" of "a/b//"; "." and ".." at the end are kept.
std::string WithoutSlashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

bool EndsInName(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  return !name.empty() && name != "." && name != "..";
}

// The system reads a path up to its first NUL, which is not what would be judged.
Status CheckNoNul(const std::string& path) {
  return path.find('\0') == std::string::npos ? Status() : InvalidArgument("a path cannot hold a NUL");
}

// What could be given to --allow-paths for this file.
std::string DirectoryOf(const std::string& resolved) {
  std::error_code error;
  return fs::is_directory(resolved, error) ? resolved : fs::path(resolved).parent_path().string();
}

}  // namespace

std::string ResolvePath(const std::string& path) {
  std::error_code error;
  fs::path at = fs::absolute(path, error);
  fs::path rest;  // what does not exist
  for (int links = 0; links < kMaxLinks && at.has_relative_path();) {
    if (const std::string real = RealPath(at.string()); !real.empty()) {
      at = real;
      break;
    }
    const std::string target = LinkTarget(at.string());
    if (!target.empty()) {
      at = at.parent_path() / target;
      ++links;
      continue;
    }
    if (at.has_filename()) rest = rest.empty() ? at.filename() : at.filename() / rest;
    at = at.parent_path();
  }
  return (rest.empty() ? at : at / rest).lexically_normal().string();
}

bool IsBelow(const std::string& resolved, const std::string& root) {
  if (root.empty() || resolved.compare(0, root.size(), root) != 0) return false;
  return resolved.size() == root.size() || root.back() == '/' || resolved[root.size()] == '/';
}

FileAccess::FileAccess(FileRules rules) : rules_(std::move(rules)) {
  for (std::string& root : rules_.roots) root = WithoutSlashes(ResolvePath(root));
  SortUnique(rules_.roots);
}

RefPtr<FileAccess> FileAccess::Unconfined() {
  return RefPtr<FileAccess>(new FileAccess(FileRules()));
}

RefPtr<FileAccess> FileAccess::Of(Device& device) {
  RefPtr<FileAccess> set = device.containers().Lookup<FileAccess>(kContainer, "");
  return set ? set : Unconfined();
}

void FileAccess::Set(Device& device, const FileRules& rules) {
  device.containers().Remove<FileAccess>(kContainer, "");
  static_cast<void>(device.containers().LookupOrCreate<FileAccess>(
      kContainer, "", [&]() -> Result<FileAccess*> { return new FileAccess(rules); }));
}

bool FileAccess::Allows(const std::string& resolved) const {
  for (const std::string& root : rules_.roots) {
    if (IsBelow(resolved, root)) return true;
  }
  return false;
}

Status FileAccess::Refuse(const char* what, const std::string& path, const std::string& resolved) const {
  const std::string led = resolved == path ? "" : StrCat(" (that is ", resolved, ")");
  return Error(Code::kBadSpec, "a graph may not ", what, " ", path, led, ", which lies outside of ",
               rules_.roots.empty() ? "all that it was given" : Join(rules_.roots), "; to let it, add --allow-paths ",
               DirectoryOf(resolved));
}

Result<std::string> FileAccess::Resolve(const char* what, const std::string& path) const {
  if (!rules_.is_confined || path.empty()) return path;
  DF_TRY(CheckNoNul(path));
  std::string resolved = ResolvePath(path);
  if (!Allows(resolved)) return Refuse(what, path, resolved);
  return resolved;
}

Result<std::string> FileAccess::ForReading(const std::string& path) const {
  return Resolve("read", path);
}

Result<std::string> FileAccess::ForAppending(const std::string& path) const {
  return Resolve("write", path);
}

Result<std::string> FileAccess::ForWriting(const std::string& path) const {
  if (!rules_.is_confined || path.empty()) return path;
  DF_ASSIGN(std::string resolved, Resolve("write", path));
  resolved = WithoutSlashes(std::move(resolved));
  std::error_code error;
  const fs::path target = WithoutSlashes(fs::absolute(path, error).string());
  const std::string parent = EndsInName(target.string()) ? ResolvePath(target.parent_path().string())
                                                         : fs::path(resolved).parent_path().string();
  const bool is_file_itself = !fs::is_directory(resolved, error) && parent == fs::path(resolved).parent_path().string();
  if (!Allows(parent) && !is_file_itself) return Refuse("write beside", path, parent);
  return EndsInName(path) ? (fs::path(parent) / target.filename()).string() : path;
}

Status FileAccess::CheckPattern(const std::string& pattern) const {
  if (!rules_.is_confined) return Status();
  const size_t special = pattern.find_first_of("*?[\\");
  if (special == std::string::npos) return ForReading(pattern).status();
  const size_t slash = pattern.rfind('/', special);
  const std::string directory = slash == std::string::npos ? "." : pattern.substr(0, slash + 1);
  // What follows a wildcard could climb out again.
  const std::string rest = "/" + pattern.substr(slash == std::string::npos ? 0 : slash + 1) + "/";
  const std::string resolved = WithoutSlashes(ResolvePath(directory));
  if (!Allows(resolved)) return Refuse("look for", pattern, resolved);
  if (rest.find("/../") == std::string::npos) return Status();
  return Error(Code::kBadSpec, "a graph may not look for ", pattern, ": '..' behind a wildcard may lead anywhere");
}

Result<FileDescriptor> FileAccess::OpenForReading(const std::string& path) const {
  if (!rules_.is_confined || path.empty()) return FileDescriptor::OpenForReading(path);
  DF_TRY(ForReading(path).status());
  const int found = ::open(path.c_str(), O_PATH | O_CLOEXEC);  // opens no device and no pipe
  if (found < 0) return ErrnoError("cannot open", path);
  const FileDescriptor target(found, path);
  const std::string name = NameOf(found);
  if (!Allows(name)) return Refuse("read", path, name);
  const Result<FileDescriptor> file = FileDescriptor::OpenForReading(StrCat("/proc/self/fd/", found));
  if (!file.ok()) return file.status().Annotate(path);
  const int again = ::fcntl(file->fd(), F_DUPFD_CLOEXEC, 0);
  if (again < 0) return ErrnoError("cannot open", path);
  return FileDescriptor(again, path);
}

}  // namespace dfrun
