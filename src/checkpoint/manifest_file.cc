#include "src/checkpoint/manifest_file.h"

#include "src/base/file.h"
#include "src/checkpoint/manifest_text.h"
#include "src/storage/hdf5_library.h"

namespace dfrun {
namespace {

constexpr size_t kMaxManifestBytes = size_t{256} << 20;

Status Damaged(const std::string& directory, const std::string& why) {
  return Error(Code::kDataLoss, "the checkpoint ", directory, " is damaged: ", why);
}

}  // namespace

Result<Manifest> ReadManifest(const std::string& directory) {
  const Result<FileDescriptor> file = FileDescriptor::OpenRegular(directory + "/manifest.json");
  if (file.status().code() == Code::kDataLoss) return Damaged(directory, file.status().message());
  DF_TRY(file.status());
  DF_ASSIGN(const uint64_t bytes, file->Size());
  if (bytes > kMaxManifestBytes) return Damaged(directory, StrCat("its manifest.json has ", bytes, " bytes"));
  DF_ASSIGN(const std::string text, ReadAll(*file, kMaxManifestBytes));
  Result<Manifest> manifest = ParseManifest(text);
  if (manifest.status().code() == Code::kBadSpec) {
    return Error(Code::kBadSpec, "the checkpoint ", directory, " cannot be read: ", manifest.status().message());
  }
  if (!manifest.ok()) return Damaged(directory, "manifest.json: " + manifest.status().message());
  return manifest;
}

Status WriteManifest(const std::string& directory, const Manifest& manifest) {
  const Status readable = CheckManifest(manifest);
  if (!readable.ok()) return InvalidArgument("cannot write the checkpoint ", directory, ": ", readable.message());
  return WriteFileAtomically(directory + "/manifest.json", PrintManifest(manifest));
}

Status WriteIndex(const std::string& directory, const Manifest& manifest) {
  const std::string path = directory + "/index.h5";
  DF_ASSIGN(const Hdf5Library* const library, LoadHdf5());
  DF_ASSIGN(const std::unique_ptr<Hdf5Writer> file, library->CreateNew(path));
  for (const ShardEntry& shard : manifest.shards) {
    for (const SavedVariable& v : shard.variables) {
      DF_TRY(file->Show(shard.file, DatasetOfVariable(v.name), v.dtype, v.shape));
    }
  }
  DF_TRY(file->Close());
  DF_ASSIGN(FileDescriptor written, FileDescriptor::OpenForWriting(path));
  return written.Sync();
}

namespace {

Status VerifyFile(const std::string& directory, const std::string& name, const FileDigest& written) {
  const Result<FileDescriptor> file = FileDescriptor::OpenRegular(directory + "/" + name);
  if (file.status().code() == Code::kIo) return file.status();
  if (!file.ok()) return Damaged(directory, file.status().message());
  DF_ASSIGN(const uint64_t bytes, file->Size());
  if (bytes != written.bytes) {
    return Damaged(directory, StrCat(name, " has ", bytes, " bytes, but ", written.bytes, " were written"));
  }
  const Result<FileDigest> digest = Digest(*file);
  if (digest.status().code() == Code::kDataLoss) return Damaged(directory, digest.status().message());
  DF_TRY(digest.status());
  if (digest->crc32c == written.crc32c) return Status();
  return Damaged(directory, StrCat(name, " has crc32c ", digest->crc32c, ", but ", written.crc32c, " was written"));
}

}  // namespace

Status VerifyFiles(const std::string& directory, const Manifest& manifest) {
  for (const ShardEntry& shard : manifest.shards) {
    DF_TRY(VerifyFile(directory, shard.file, {.bytes = shard.bytes, .crc32c = shard.crc32c}));
  }
  for (const SavedFile& file : manifest.files) {
    if (!file.link) DF_TRY(VerifyFile(directory, file.name, {.bytes = file.bytes, .crc32c = file.crc32c}));
  }
  return Status();
}

}  // namespace dfrun
