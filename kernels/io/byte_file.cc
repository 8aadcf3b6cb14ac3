#include "kernels/io/byte_file.h"

#include <algorithm>
#include <utility>

namespace dfrun {
namespace {

// The number of bytes to prefetch: the processor fetches more by itself once the first ones are read.
constexpr uint64_t kPrefetch = uint64_t{4} << 10;
constexpr size_t kCacheLine = 64;
constexpr uint64_t kReadAhead = uint64_t{256} << 10;
// Limits of inflated files, since a small file may stand for a thousand times its bytes. Usual data compress to more
// than a hundredth. A file that inflates beyond that, but for the first GiB, or beyond 4 GiB, is refused.
constexpr size_t kMaxInflated = size_t{4} << 30;
constexpr size_t kAlwaysInflated = size_t{1} << 30;
constexpr size_t kMaxRatio = 100;

size_t InflatedLimit(size_t compressed) {
  return std::min(kMaxInflated, std::max(kAlwaysInflated, compressed * kMaxRatio));
}
// A damaged length must not take all memory: longer parts of a file are refused.
constexpr uint64_t kMaxView = uint64_t{2} << 30;

}  // namespace

Result<ByteFile> ByteFile::Open(const std::string& path, Compression compression, size_t map_bytes) {
  DF_ASSIGN(FileDescriptor file, FileDescriptor::OpenForReading(path));
  return Open(std::move(file), compression, map_bytes);
}

Result<ByteFile> ByteFile::Open(FileDescriptor opened, Compression compression, size_t map_bytes) {
  ByteFile file;
  file.file_ = std::move(opened);
  const std::string& path = file.path();
  DF_ASSIGN(file.size_, file.file_.Size());
  if (compression == Compression::kNone) {
    if (file.size_ > 0 && file.size_ <= map_bytes) file.mapped_ = MappedFile::Map(file.file_, file.size_);
    file.in_memory_ = file.mapped_.is_mapped();
    return file;
  }
  if (file.size_ > kMaxInflated) {
    return Error(Code::kResourceExhausted, path, " has ", file.size_, " bytes, more than are inflated");
  }
  std::string compressed(file.size_, '\0');
  DF_TRY(file.file_.ReadAt(0, compressed.data(), compressed.size()));
  Result<std::string> plain = Inflate(compressed, compression, InflatedLimit(compressed.size()));
  if (plain.status().code() == Code::kResourceExhausted || plain.status().code() == Code::kOutOfRange) {
    const Code code = plain.status().code() == Code::kOutOfRange ? Code::kNoInput : Code::kResourceExhausted;
    return Status(code, plain.status().message())
        .Annotate(StrCat(path, ", of ", compressed.size(), " bytes, is not read compressed: unpack it first"));
  }
  if (!plain.ok()) return plain.status().Annotate(path);
  file.inflated_ = *std::move(plain);
  file.size_ = file.inflated_.size();
  file.in_memory_ = true;
  return file;
}

Result<std::string_view> FileCursor::View(uint64_t offset, uint64_t bytes) {
  const uint64_t size = file_->size();
  if (offset > size || bytes > size - offset) {
    return Error(Code::kDataLoss, file_->path(), " ends at byte ", size, ", within ", bytes, " bytes from byte ",
                 offset, " on");
  }
  if (file_->in_memory()) return file_->bytes().substr(offset, bytes);
  if (offset < begin_ || offset + bytes > begin_ + buffer_.size()) DF_TRY(Fill(offset, bytes));
  return std::string_view(buffer_).substr(offset - begin_, bytes);
}

void FileCursor::Prefetch(uint64_t offset, uint64_t bytes) const {
  if (!file_->in_memory() || offset > file_->size()) return;
  const std::string_view wanted = file_->bytes().substr(offset, std::min(bytes, kPrefetch));
  for (size_t at = 0; at < wanted.size(); at += kCacheLine) __builtin_prefetch(wanted.data() + at, 0, 2);
}

Result<std::string_view> FileCursor::Some(uint64_t offset) {
  const uint64_t left = file_->size() - offset;
  if (file_->in_memory()) return file_->bytes().substr(offset, left);
  if (offset >= begin_ && offset < begin_ + buffer_.size()) {
    return std::string_view(buffer_).substr(offset - begin_);
  }
  return View(offset, std::min(left, kReadAhead));
}

Status FileCursor::Fill(uint64_t offset, uint64_t bytes) {
  if (bytes > kMaxView) {
    return Error(Code::kResourceExhausted, file_->path(), ": ", bytes, " bytes in one piece at byte ", offset,
                 " are more than are read");
  }
  const bool goes_on = offset >= begin_ && offset <= begin_ + buffer_.size();
  const uint64_t wanted = goes_on ? std::max(bytes, std::min(kReadAhead, file_->size() - offset)) : bytes;
  buffer_.resize(wanted);
  begin_ = offset;
  Status status = file_->ReadAt(offset, buffer_.data(), buffer_.size());
  if (!status.ok()) buffer_.clear();
  return status;
}

Status CheckNotZipped(FileCursor& file) {
  constexpr std::string_view kGzipMagic = "\x1f\x8b\x08";
  if (file.file().size() < kGzipMagic.size()) return Status();
  DF_ASSIGN(const std::string_view begin, file.View(0, kGzipMagic.size()));
  if (begin != kGzipMagic) return Status();
  return Error(Code::kDataLoss, file.file().path(), " is compressed by gzip; 'compression: gzip' reads it");
}

}  // namespace dfrun
