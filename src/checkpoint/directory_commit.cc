#include "src/checkpoint/directory_commit.h"

#include <filesystem>

#include "src/base/file.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;

Status FsError(const std::string& what, const std::string& path, const std::error_code& error) {
  return IoError(what, " ", path, ": ", error.message());
}

Status Rename(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::rename(from, to, error);
  return error ? FsError("cannot rename " + from + " to", to, error) : Status();
}

bool IsCheckpoint(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path + "/manifest.json", error);
}

}  // namespace

Status RemoveDirectory(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  return error ? FsError("cannot remove", path, error) : Status();
}

Result<std::string> BeginDirectory(const std::string& path) {
  const std::string temporary = path + ".tmp";
  DF_TRY(RemoveDirectory(temporary));
  std::error_code error;
  fs::create_directories(temporary, error);
  if (error) return FsError("cannot make the directory", temporary, error);
  return temporary;
}

Status CommitDirectory(const std::string& path, const Manifest& manifest) {
  const std::string temporary = path + ".tmp";
  const std::string replaced = path + ".old";
  DF_TRY(WriteIndex(temporary, manifest));
  DF_TRY(WriteManifest(temporary, manifest));
  DF_TRY(SyncDirectory(temporary));
  std::error_code error;
  if (fs::exists(path, error)) {
    DF_TRY(RemoveDirectory(replaced));
    DF_TRY(Rename(path, replaced));
  }
  DF_TRY(Rename(temporary, path));
  const std::string parent = fs::path(path).parent_path().string();
  DF_TRY(SyncDirectory(parent.empty() ? "." : parent));
  return RemoveDirectory(replaced);
}

Result<std::string> FindDirectory(const std::string& path) {
  if (IsCheckpoint(path)) return path;
  if (IsCheckpoint(path + ".old")) return path + ".old";
  return NotFound("there is no checkpoint ", path);
}

}  // namespace dfrun
