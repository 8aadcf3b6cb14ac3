#include "src/checkpoint/try_saving.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>

#include "src/base/file.h"
#include "src/base/log.h"
#include "src/checkpoint/directory_commit.h"
#include "src/checkpoint/tensorflow_files.h"

namespace dfrun {
namespace {

Result<bool> IsDirectory(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return true;
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return false;
    return ErrnoError("cannot look at", path);
  }
  return IoError(KindOfFile(info.st_mode), " stands there");
}

Status CheckRoom(const std::string& directory, uint64_t bytes) {
  struct statvfs room;
  if (::statvfs(directory.c_str(), &room) != 0 || room.f_blocks == 0) return Status();  // not known
  const uint64_t blocks = ::geteuid() == 0 ? room.f_bfree : room.f_bavail;
  const uint64_t block_bytes = room.f_frsize;
  if (bytes <= blocks * block_bytes) return Status();
  return IoError("a checkpoint of this job has ", bytes, " bytes, and ", blocks * block_bytes, " are free there");
}

Status TryFile(const std::string& path) {
  DF_ASSIGN(const FileDescriptor file, FileDescriptor::CreateNew(path));
  DF_TRY(file.WriteAt(0, "dfrun", 5));
  return file.Sync();
}

}  // namespace

Status TrySaving(const std::string& store, const std::string& checkpoint, uint64_t bytes, bool with_link) {
  DF_ASSIGN(const bool is_there, IsDirectory(store));
  DF_ASSIGN(const FileDescriptor made, MakeOwnDirectory(is_there ? checkpoint : store));
  Status status = CheckRoom(made.path(), bytes);
  const std::string file = made.path() + "/shard-0.h5";
  const std::string link = made.path() + "/tf.data-00000-of-00001";
  if (status.ok()) status = TryFile(file);
  if (status.ok() && with_link) status = MakeLink("shard-0.h5", link);
  if (status.ok()) status = SyncDirectory(made.path());
  ::unlink(file.c_str());  // if this fails, so does removing the directory
  if (with_link) ::unlink(link.c_str());
  if (::rmdir(made.path().c_str()) != 0) {
    DF_LOG(kWarning) << ErrnoError("cannot remove", made.path()).message() << "; it is left where it is";
  }
  return status;
}

}  // namespace dfrun
