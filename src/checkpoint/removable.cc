#include "src/checkpoint/removable.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <vector>

#include "src/base/file.h"
#include "src/checkpoint/manifest_file.h"
#include "src/checkpoint/temporary_name.h"

namespace dfrun {
namespace {

constexpr char kManifest[] = "manifest.json";
constexpr char kIndex[] = "index.h5";
// Looking again is needed only when another process has given its checkpoint the name meanwhile, so one of the
// processes always ends.
constexpr int kMaxLooks = 1000;

// The name that NFS gives to a removed file which a process still has open; the file goes when that process closes it.
bool IsLeftByNfs(std::string_view name) {
  return name.starts_with(".nfs");
}

// The kinds of entries that a name may have. Dfrun needs nothing of a link, so a file that a copy made of one will do.
enum class Kind { kNone, kFile, kFileOrLink };

// Returns what a file of a checkpoint, or of its temporary, may be by its name alone.
Kind KindByName(std::string_view name) {
  const std::string_view file = name.substr(0, name.find(".tmp"));
  if (IsFurtherFileName(file)) return Kind::kFileOrLink;
  return file == kManifest || file == kIndex || IsShardName(file) ? Kind::kFile : Kind::kNone;
}

struct Content {
  FileId id;
  std::vector<std::string> files;
};

Status StandsThere(const std::string& path, const std::string& what) {
  return IoError(path, " is not dfrun's to remove: ", what);
}

Status CheckKind(const FileDescriptor& directory, const std::string& name, Kind kind) {
  struct stat info;
  if (::fstatat(directory.fd(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return ErrnoError("cannot look at", directory.path() + "/" + name);
  }
  if (S_ISREG(info.st_mode) || (kind == Kind::kFileOrLink && S_ISLNK(info.st_mode))) return Status();
  return StandsThere(directory.path(), StrCat("a directory stands there whose '", name, "' is ",
                                              KindOfFile(info.st_mode), ", which is no part of a checkpoint"));
}

// The files of a whole checkpoint.
Result<std::map<std::string, Kind>> NamedFiles(const std::string& path) {
  const Result<Manifest> manifest = ReadManifest(path);
  if (!manifest.ok()) {
    return StandsThere(path, "a directory stands there that is no checkpoint (" + manifest.status().message() + ")");
  }
  std::map<std::string, Kind> names = {{kManifest, Kind::kFile}, {kIndex, Kind::kFile}};
  for (const ShardEntry& shard : manifest->shards) names.emplace(shard.file, Kind::kFile);
  for (const SavedFile& file : manifest->files) names.emplace(file.name, file.link ? Kind::kFileOrLink : Kind::kFile);
  return names;
}

Kind KindIn(const std::map<std::string, Kind>& named, const std::string& name) {
  const auto known = named.find(name);
  return known == named.end() ? Kind::kNone : known->second;
}

Result<FileDescriptor> OpenDirectory(const std::string& path) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0) return ErrnoError("cannot look at", path);
  if (!S_ISDIR(info.st_mode)) return StandsThere(path, StrCat(KindOfFile(info.st_mode), " stands there"));
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return ErrnoError("cannot look into", path);
  return FileDescriptor(fd, path);
}

Result<Content> ReadContent(const FileDescriptor& directory, RemovalRule rule) {
  const std::string& path = directory.path();
  Content content;
  struct stat info;
  if (::fstat(directory.fd(), &info) != 0) return ErrnoError("cannot look at", path);
  content.id = {info.st_dev, info.st_ino};
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK | X_OK, AT_EACCESS) != 0) return ErrnoError("cannot remove", path);
  std::map<std::string, Kind> named;
  if (rule == RemovalRule::kWhole) {
    DF_ASSIGN(named, NamedFiles(path));
  }
  DF_ASSIGN(content.files, ListDirectory(path));
  for (const std::string& name : content.files) {
    const Kind kind = IsLeftByNfs(name)             ? Kind::kFile
                      : rule == RemovalRule::kWhole ? KindIn(named, name)
                                                    : KindByName(name);
    if (kind == Kind::kNone) {
      return StandsThere(path, "a directory stands there with '" + name + "', which is no part of a checkpoint");
    }
    DF_TRY(CheckKind(directory, name, kind));
  }
  return content;
}

// Files that were read by the path belong to one directory only if the path still leads to it.
Result<Content> Look(const std::string& path, RemovalRule rule) {
  for (int i = 0; i < kMaxLooks; ++i) {
    DF_ASSIGN(const FileDescriptor directory, OpenDirectory(path));
    Result<Content> content = ReadContent(directory, rule);
    struct stat opened;
    if (::fstat(directory.fd(), &opened) != 0) return ErrnoError("cannot look at", path);
    const Result<FileId> now = IdOf(path);
    if (now.ok() && *now == FileId{opened.st_dev, opened.st_ino}) return content;
    if (now.status().code() == Code::kIo) return now.status();
  }
  return IoError("cannot look at ", path, ": other processes replace it again and again");
}

// The manifest is removed first, so that the remains after a crash are no checkpoint.
Status RemoveFiles(const std::string& path, std::vector<std::string> files) {
  std::stable_partition(files.begin(), files.end(), [](const std::string& name) { return name == kManifest; });
  const auto left = [&](const std::string& file) {
    return IoError("cannot remove ", file, ": ", std::strerror(errno), "; it is left, for you to remove");
  };
  for (const std::string& name : files) {
    const std::string file = StrCat(path, "/", name);
    if (::unlink(file.c_str()) != 0 && errno != ENOENT && !IsLeftByNfs(name)) return left(file);
  }
  return ::rmdir(path.c_str()) == 0 || errno == ENOENT ? Status() : left(path);
}

}  // namespace

bool IsShardName(std::string_view name) {
  return name.starts_with("shard-") && name.ends_with(".h5") && name.find('/') == std::string_view::npos;
}

Result<FileId> IdOf(const std::string& path) {
  struct stat info;
  if (::lstat(path.c_str(), &info) != 0) return ErrnoError("cannot look at", path);
  return FileId{info.st_dev, info.st_ino};
}

Status CheckRemovable(const std::string& path, RemovalRule rule) {
  return Look(path, rule).status();
}

Status RemoveDirectory(const std::string& path, RemovalRule rule) {
  DF_ASSIGN(Content content, Look(path, rule));
  return RemoveFiles(path, std::move(content.files));
}

Status RemoveAtomically(const std::string& path, RemovalRule rule, const FileId& id) {
  DF_ASSIGN(const Content seen, Look(path, rule));
  Status replaced = IoError(path, " was replaced while it was to be removed");
  if (!(seen.id == id)) return replaced;
  const std::string removed = OwnName(path, kTemporaryMark);
  if (std::rename(path.c_str(), removed.c_str()) != 0) return ErrnoError("cannot rename, to remove it,", path);
  Result<Content> content = Look(removed, rule);
  Status refused = content.status();
  if (content.ok() && !(content->id == id)) refused = replaced;
  if (refused.ok()) return RemoveFiles(removed, std::move(content->files));
  if (std::rename(removed.c_str(), path.c_str()) == 0) return refused;
  return ErrnoError(StrCat(refused.message(), "; it stands at ", removed, " now, since it cannot be renamed back to"),
                    path);
}

Status RemoveAtomically(const std::string& path, RemovalRule rule) {
  DF_ASSIGN(const FileId id, IdOf(path));
  return RemoveAtomically(path, rule, id);
}

}  // namespace dfrun
