#include "src/storage/file_access.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

#include "src/base/sort_unique.h"
#include "src/base/text.h"
#include "src/storage/run_files.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;

// Graphs name containers by their own words; this is no word of theirs that a reset would forget by chance.
constexpr const char* kContainer = "dfrun file access";
constexpr int kMaxLinks = 40;  // the limit of Linux

// Returns the target of a link; empty for a path that is no link.
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

// Returns the name by which the system knows an open file.
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

// Refuses a path with a NUL: the system reads a path up to its first NUL, and would open another file than the one
// judged.
Status CheckNoNul(const std::string& path) {
  return path.find('\0') == std::string::npos ? Status() : InvalidArgument("a path cannot hold a NUL");
}

// Returns the directory to give to --allow-paths for this file.
std::string DirectoryOf(const std::string& resolved) {
  std::error_code error;
  return fs::is_directory(resolved, error) ? resolved : fs::path(resolved).parent_path().string();
}

// Whether a name of the path below `root` begins with a dot.
bool HasDotBelow(const std::string& resolved, const std::string& root) {
  return resolved.find("/.", root == "/" ? 0 : root.size()) != std::string::npos;
}

// Returns the time of the file's birth or, where the file system does not know it, of its last change, its name
// included.
int64_t BirthOf(const std::string& path) {
  struct statx info = {};
  if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BTIME | STATX_CTIME, &info) != 0) return 0;
  const statx_timestamp& time = (info.stx_mask & STATX_BTIME) != 0 ? info.stx_btime : info.stx_ctime;
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

std::vector<std::string> Resolved(std::vector<std::string> roots) {
  for (std::string& root : roots) root = WithoutSlashes(ResolvePath(root));
  SortUnique(roots);
  return roots;
}

FileRules Resolved(FileRules rules) {
  rules.roots = Resolved(std::move(rules.roots));
  rules.write_roots = Resolved(std::move(rules.write_roots));
  if (!rules.run_directory.empty()) rules.run_directory = WithoutSlashes(ResolvePath(rules.run_directory));
  return rules;
}

}  // namespace

std::string ResolvePath(const std::string& path) {
  std::error_code error;
  fs::path at = fs::absolute(path, error);
  fs::path rest;  // the part that does not exist
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

FileAccess::FileAccess(FileRules rules)
    : rules_(Resolved(std::move(rules))), written_(rules_.run_directory, rules_.rank) {}

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

bool FileAccess::IsBelowOne(const std::string& resolved, const std::vector<std::string>& roots) {
  return std::any_of(roots.begin(), roots.end(), [&](const std::string& root) { return IsBelow(resolved, root); });
}

Status FileAccess::Refuse(const char* what, const std::string& path, const std::string& resolved,
                          const std::vector<std::string>& roots) {
  const std::string led = resolved == path ? "" : StrCat(" (that is ", resolved, ")");
  return Error(Code::kBadSpec, "a graph may not ", what, " ", path, led, ", which lies outside of ",
               roots.empty() ? "all that it was given" : Join(roots), "; to let it, add --allow-paths ",
               DirectoryOf(resolved));
}

Result<std::string> FileAccess::Resolve(const char* what, const std::string& path) const {
  if (!rules_.is_confined || path.empty()) return path;
  DF_TRY(CheckNoNul(path));
  std::string resolved = ResolvePath(path);
  if (!IsBelowOne(resolved, rules_.roots)) return Refuse(what, path, resolved, rules_.roots);
  return resolved;
}

Result<std::string> FileAccess::ForReading(const std::string& path) const {
  return Resolve("read", path);
}

Status FileAccess::CheckMayWrite(const std::string& path, const std::string& resolved) const {
  const std::vector<std::string>& roots = rules_.write_roots;
  if (!IsBelowOne(resolved, roots)) return Refuse("write", path, resolved, roots);
  const bool is_free = std::any_of(roots.begin(), roots.end(), [&](const std::string& root) {
    return IsBelow(resolved, root) && !HasDotBelow(resolved, root);
  });
  if (!is_free) {
    return Error(Code::kBadSpec, "a graph may not write ", path,
                 ": a name that begins with a dot is of programs' own files; give another");
  }
  if (!IsKeptByRun(resolved, rules_.run_directory)) return Status();
  return Error(Code::kBadSpec, "a graph may not write ", path, ": dfrun itself keeps that of a run; give another name");
}

// Claims a path for this run. A regular file there must be of this run or may be replaced; opening refuses everything
// else.
Status FileAccess::Claim(const std::string& path) const {
  struct stat info;
  const bool stands_there = ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
  if (stands_there && !rules_.may_replace) {
    DF_ASSIGN(const bool is_own, written_.Has(path));
    if (!is_own) {
      return Error(Code::kBadSpec, "a graph may not write ", path,
                   ", which was there before the job; move it away, or add --force to let it be replaced");
    }
  }
  return written_.Add(path);
}

Result<std::string> FileAccess::ForAppending(const std::string& path) const {
  if (!rules_.is_confined || path.empty()) return path;
  DF_TRY(CheckNoNul(path));
  std::string resolved = ResolvePath(path);
  DF_TRY(CheckMayWrite(path, resolved));
  DF_TRY(Claim(resolved));
  return resolved;
}

Result<std::string> FileAccess::ForEventFile(const std::string& directory, const std::string& name) const {
  DF_TRY(CheckNoNul(directory));
  DF_TRY(CheckNoNul(name));
  if (name.find('/') != std::string::npos) return InvalidArgument("the name of an event file cannot hold '/': ", name);
  std::string path = StrCat(directory.empty() ? "." : directory, "/", name);
  if (!rules_.run_directory.empty()) {
    std::string last = fs::path(WithoutSlashes(directory)).filename().string();
    if (last.empty() || last.front() == '.' || last == "/") last = "events";
    path = StrCat(rules_.run_directory, "/events/graph/", last, "/", name);
  } else {
    DF_ASSIGN(path, ForAppending(path));
  }
  DF_TRY(MakeDirectories(fs::path(path).parent_path().string()));
  return path;
}

Result<std::string> FileAccess::ForRename(const std::string& path) const {
  DF_TRY(CheckNoNul(path));
  const std::string resolved = WithoutSlashes(ResolvePath(path));
  DF_TRY(CheckMayWrite(path, resolved));
  std::error_code error;
  const fs::path target = WithoutSlashes(fs::absolute(path, error).string());
  const std::string parent = EndsInName(target.string()) ? ResolvePath(target.parent_path().string())
                                                         : fs::path(resolved).parent_path().string();
  const bool is_file_itself = !fs::is_directory(resolved, error) && parent == fs::path(resolved).parent_path().string();
  if (!IsBelowOne(parent, rules_.write_roots) && !is_file_itself) {
    return Refuse("write beside", path, parent, rules_.write_roots);
  }
  if (!EndsInName(path)) return path;
  std::string named = (fs::path(parent) / target.filename()).string();
  DF_TRY(CheckMayWrite(path, named));
  return named;
}

Result<std::string> FileAccess::ForWriting(const std::string& path) const {
  if (!rules_.is_confined || path.empty()) return path;
  DF_ASSIGN(std::string target, ForRename(path));
  DF_TRY(Claim(target));
  return target;
}

Result<std::string> FileAccess::ForSaving(const std::string& path) const {
  return !rules_.is_confined || path.empty() ? path : ForRename(WithoutSlashes(path));
}

Status FileAccess::NoteSaved(const std::string& saved) const {
  return rules_.is_confined ? written_.Add(saved) : Status();
}

Result<std::string> FileAccess::ForShard(const std::string& directory, const std::string& name) const {
  if (!rules_.is_confined || directory.empty()) return directory;
  DF_TRY(CheckNoNul(directory));
  std::string resolved = ResolvePath(directory);
  if (!IsStepBeingSaved(resolved, rules_.run_directory)) DF_TRY(ForWriting(StrCat(directory, "/", name)).status());
  return resolved;
}

Result<bool> FileAccess::MayReplace(const std::string& saved) const {
  if (!rules_.is_confined || rules_.may_replace) return true;
  return written_.Has(saved);
}

Result<bool> FileAccess::MayRemove(const std::string& saved) const {
  if (!rules_.is_confined) return true;
  if (!CheckMayWrite(saved, saved).ok()) return false;
  DF_ASSIGN(const bool may_replace, MayReplace(saved));
  return may_replace || BirthOf(saved) >= rules_.begin_ns;
}

Status FileAccess::CheckPattern(const std::string& pattern) const {
  if (!rules_.is_confined) return Status();
  const size_t special = pattern.find_first_of("*?[\\");
  if (special == std::string::npos) return ForReading(pattern).status();
  const size_t slash = pattern.rfind('/', special);
  const std::string directory = slash == std::string::npos ? "." : pattern.substr(0, slash + 1);
  // A ".." after a wildcard could climb out again.
  const std::string rest = "/" + pattern.substr(slash == std::string::npos ? 0 : slash + 1) + "/";
  const std::string resolved = WithoutSlashes(ResolvePath(directory));
  if (!IsBelowOne(resolved, rules_.roots)) return Refuse("look for", pattern, resolved, rules_.roots);
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
  if (!IsBelowOne(name, rules_.roots)) return Refuse("read", path, name, rules_.roots);
  const Result<FileDescriptor> file = FileDescriptor::OpenForReading(StrCat("/proc/self/fd/", found));
  if (!file.ok()) return file.status().Annotate(path);
  const int again = ::fcntl(file->fd(), F_DUPFD_CLOEXEC, 0);
  if (again < 0) return ErrnoError("cannot open", path);
  return FileDescriptor(again, path);
}

}  // namespace dfrun
