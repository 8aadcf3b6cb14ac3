#include "jobs/predict/partial_file.h"

#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

namespace dfrun::jobs {
namespace {

Status RemoveFile(const std::string& path) {
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return Status();
  return ErrnoError("cannot remove", path);
}

Status TruncateAt(const FileDescriptor& file, int64_t bytes) {
  DF_ASSIGN(const uint64_t size, file.Size());
  if (size < static_cast<uint64_t>(bytes)) {
    return Error(Code::kDataLoss, file.path(), " has ", size, " bytes, and its record counts ", bytes,
                 "; --force begins anew");
  }
  return ::ftruncate(file.fd(), bytes) == 0 ? Status() : ErrnoError("cannot cut", file.path());
}

}  // namespace

std::string PartialFile::PathFor(const std::string& out) {
  std::error_code error;
  return std::filesystem::absolute(out, error).lexically_normal().string() + ".partial";
}

Result<PartialFile> PartialFile::Open(OutputFile target, Mode mode, RowRecord record) {
  PartialFile partial(std::move(target));
  partial.path_ = PathFor(partial.target_.path);
  partial.record_path_ = partial.path_ + ".json";
  if (mode == Mode::kForce) {
    DF_TRY(RemoveFile(partial.record_path_));
    DF_TRY(RemoveFile(partial.path_));
  }
  DF_ASSIGN(std::optional<RowRecord> begun, ReadRowRecord(partial.record_path_));
  Result<FileDescriptor> file = FileDescriptor::OpenForWriting(partial.path_);
  if (file.status().code() != Code::kNotFound) DF_TRY(file.status());
  if (begun && file.ok() && begun->done > 0) {
    if (mode == Mode::kNew) {
      return Error(Code::kUsage, partial.target_.flag, " ", partial.target_.path, ": ", begun->done, " of ",
                   begun->rows, " rows are in ", partial.path_,
                   " of an earlier command: --resume goes on with them, --force begins anew");
    }
    DF_TRY(CheckSameSettings(partial.path_, *begun, record));
    partial.record_ = *std::move(begun);
    partial.file_ = *std::move(file);
    partial.is_resumed_ = partial.is_made_ = true;
    DF_TRY(partial.Lock());
    if (partial.record_.offsets.empty()) DF_TRY(TruncateAt(partial.file_, partial.record_.bytes));
    return partial;
  }
  if (file.ok()) {
    partial.file_ = *std::move(file);
    DF_TRY(partial.Lock());
    if (!begun) {
      return Error(Code::kUsage, partial.path_, ": there is such a file, without a record of rows in it; --force ",
                   "replaces it");
    }
    DF_TRY(RemoveFile(partial.path_));
    partial.file_ = FileDescriptor();
  }
  partial.record_ = std::move(record);
  return partial;
}

Status PartialFile::Lock() {
  if (::flock(file_.fd(), LOCK_EX | LOCK_NB) == 0) return Status();
  if (errno != EWOULDBLOCK) return Status();  // a file system without locks
  return Error(Code::kUsage, path_, ": another dfrun is writing it");
}

Status PartialFile::Make(const std::function<Status(const std::string& path)>& make) {
  // The record comes first: a file without one is not known to be dfrun's.
  DF_TRY(WriteRowRecord(record_path_, record_));
  DF_ASSIGN(FileDescriptor made, FileDescriptor::CreateNew(path_));
  is_made_ = true;
  DF_TRY(make(path_));
  DF_ASSIGN(file_, FileDescriptor::OpenForWriting(path_));
  DF_TRY(Lock());
  return WriteRowRecord(record_path_, record_);
}

Status PartialFile::Note(int64_t done, int64_t bytes) {
  record_.done = done;
  record_.bytes = bytes;
  return WriteRowRecord(record_path_, record_);
}

Status PartialFile::Commit() {
  DF_TRY(target_.Check());
  DF_TRY(file_.Sync());
  if (std::rename(path_.c_str(), target_.path.c_str()) != 0) return ErrnoError("cannot rename to", target_.path);
  is_made_ = false;
  DF_TRY(RemoveFile(record_path_));
  return SyncDirectory(ParentDirectory(target_.path));
}

void PartialFile::Remove() {
  static_cast<void>(RemoveFile(path_));
  static_cast<void>(RemoveFile(record_path_));
  is_made_ = false;
}

Status PartialFile::Leave(const Status& error) {
  if (!is_made_) return error;
  if (record_.done == 0) {
    Remove();
    return error;
  }
  return Error(error.code(), error.message(), "; ", record_.done, " of ", record_.rows, " rows are in ", path_,
               ": --resume goes on with them");
}

}  // namespace dfrun::jobs
