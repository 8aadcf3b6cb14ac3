#include "src/checkpoint/weights/zip_archive.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

#include "src/base/byte_reader.h"
#include "src/base/text.h"

namespace dfrun {
namespace {

constexpr uint32_t kLocalHeader = 0x04034b50;
constexpr uint32_t kDirectoryEntry = 0x02014b50;
constexpr uint32_t kEndOfDirectory = 0x06054b50;
constexpr uint32_t kEndOfDirectory64 = 0x06064b50;
constexpr uint32_t kLocator64 = 0x07064b50;
constexpr size_t kLocalHeaderBytes = 30;
constexpr size_t kEntryBytes = 46;
constexpr size_t kEndBytes = 22;
constexpr size_t kEnd64Bytes = 56;
constexpr size_t kLocatorBytes = 20;
constexpr size_t kMaxComment = 0xffff;
constexpr uint64_t kMaxDirectoryBytes = uint64_t{256} << 20;
constexpr uint16_t kExtra64 = 1;
// Deflate makes at most so many bytes of one.
constexpr uint64_t kMaxOfAByte = 1032;

// The little-endian number that stands at byte `at`.
template <class T>
T At(std::string_view bytes, size_t at) {
  uint64_t number = 0;
  ByteReader(bytes.substr(at)).TakeNumber(sizeof(T), number);
  return static_cast<T>(number);
}

// Takes the sizes of 64 bits that stand in an entry's extra field for those that do not fit into 32. False where they
// are not there.
bool TakeSizes64(std::string_view extra, ZipArchive::Member& member) {
  constexpr uint32_t kElsewhere = 0xffffffff;
  std::vector<uint64_t*> wanted;
  for (uint64_t* size : {&member.bytes, &member.compressed_bytes, &member.header}) {
    if (*size == kElsewhere) wanted.push_back(size);
  }
  if (wanted.empty()) return true;
  while (extra.size() >= 4) {
    const size_t bytes = At<uint16_t>(extra, 2);
    if (extra.size() - 4 < bytes) return false;
    if (At<uint16_t>(extra, 0) == kExtra64) {
      if (bytes < wanted.size() * 8) return false;
      for (size_t i = 0; i < wanted.size(); ++i) *wanted[i] = At<uint64_t>(extra, 4 + 8 * i);
      return true;
    }
    extra.remove_prefix(4 + bytes);
  }
  return false;
}

}  // namespace

Status ZipArchive::Damaged(const std::string& why) const {
  return Error(Code::kDataLoss, path(), " is a damaged archive: ", why);
}

Result<ZipArchive> ZipArchive::Open(const std::string& path) {
  DF_ASSIGN(FileDescriptor file, FileDescriptor::OpenForReading(path));
  DF_ASSIGN(const uint64_t size, file.Size());
  ZipArchive archive(std::move(file), size);
  DF_TRY(archive.ReadDirectory());
  return archive;
}

// The directory's place stands at the end of the file, before a comment.
Status ZipArchive::FindDirectory(uint64_t& offset, uint64_t& bytes, uint64_t& count) const {
  const uint64_t tail_bytes = std::min<uint64_t>(size_, kEndBytes + kMaxComment);
  std::string tail(tail_bytes, '\0');
  DF_TRY(file_.ReadAt(size_ - tail_bytes, tail.data(), tail.size()));
  size_t end = tail.size() < kEndBytes ? std::string::npos : tail.size() - kEndBytes;
  while (end != std::string::npos && At<uint32_t>(tail, end) != kEndOfDirectory)
    end = end == 0 ? std::string::npos : end - 1;
  if (end == std::string::npos) return Damaged("it has no directory, as one that was cut has none");
  count = At<uint16_t>(tail, end + 10);
  bytes = At<uint32_t>(tail, end + 12);
  offset = At<uint32_t>(tail, end + 16);
  const uint64_t end_at = size_ - tail_bytes + end;
  if (end_at < kLocatorBytes) return Status();
  std::string locator(kLocatorBytes, '\0');
  DF_TRY(file_.ReadAt(end_at - kLocatorBytes, locator.data(), locator.size()));
  if (At<uint32_t>(locator, 0) != kLocator64) return Status();
  const auto end64_at = At<uint64_t>(locator, 8);
  if (size_ < kEnd64Bytes || end64_at > size_ - kEnd64Bytes) return Damaged("its directory is beyond its end");
  std::string end64(kEnd64Bytes, '\0');
  DF_TRY(file_.ReadAt(end64_at, end64.data(), end64.size()));
  if (At<uint32_t>(end64, 0) != kEndOfDirectory64) return Damaged("the end of its directory is not where it says");
  count = At<uint64_t>(end64, 32);
  bytes = At<uint64_t>(end64, 40);
  offset = At<uint64_t>(end64, 48);
  return Status();
}

Status ZipArchive::ReadDirectory() {
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint64_t count = 0;
  DF_TRY(FindDirectory(offset, bytes, count));
  if (bytes > kMaxDirectoryBytes || bytes > size_ || offset > size_ - bytes)
    return Damaged("its directory is beyond its end");
  std::string directory(bytes, '\0');
  DF_TRY(file_.ReadAt(offset, directory.data(), directory.size()));
  std::string_view rest = directory;
  for (uint64_t i = 0; i < count; ++i) {
    if (rest.size() < kEntryBytes || At<uint32_t>(rest, 0) != kDirectoryEntry)
      return Damaged(StrCat("entry ", i, " of its directory is none"));
    const auto flags = At<uint16_t>(rest, 8);
    const auto method = At<uint16_t>(rest, 10);
    const size_t name_bytes = At<uint16_t>(rest, 28);
    const size_t extra_bytes = At<uint16_t>(rest, 30);
    const size_t comment_bytes = At<uint16_t>(rest, 32);
    if (rest.size() - kEntryBytes < name_bytes + extra_bytes + comment_bytes)
      return Damaged(StrCat("entry ", i, " of its directory is cut short"));
    Member member{.name = std::string(rest.substr(kEntryBytes, name_bytes)),
                  .bytes = At<uint32_t>(rest, 24),
                  .compressed_bytes = At<uint32_t>(rest, 20),
                  .header = At<uint32_t>(rest, 42),
                  .crc32 = At<uint32_t>(rest, 16),
                  .is_deflated = method == Z_DEFLATED};
    if (!TakeSizes64(rest.substr(kEntryBytes + name_bytes, extra_bytes), member))
      return Damaged(StrCat("'", member.name, "' lacks its sizes"));
    if ((flags & 1) != 0) member.odd = "it is encrypted";
    if (method != 0 && method != Z_DEFLATED) member.odd = StrCat("it is compressed by method ", method);
    if (member.compressed_bytes > size_ || member.header > size_ - member.compressed_bytes)
      return Damaged(StrCat("'", member.name, "' is beyond its end"));
    const bool fits = member.is_deflated ? member.bytes / kMaxOfAByte <= member.compressed_bytes
                                         : member.bytes == member.compressed_bytes;
    if (!fits && member.odd.empty()) return Damaged(StrCat("'", member.name, "' claims ", member.bytes, " bytes"));
    members_.push_back(std::move(member));
    rest.remove_prefix(kEntryBytes + name_bytes + extra_bytes + comment_bytes);
  }
  return Status();
}

Result<uint64_t> ZipArchive::ContentAt(const Member& member) const {
  std::string header(kLocalHeaderBytes, '\0');
  if (size_ < kLocalHeaderBytes || member.header > size_ - kLocalHeaderBytes)
    return Damaged(StrCat("'", member.name, "' is beyond its end"));
  DF_TRY(file_.ReadAt(member.header, header.data(), header.size()));
  if (At<uint32_t>(header, 0) != kLocalHeader) return Damaged(StrCat("'", member.name, "' is not where it says"));
  const uint64_t at = member.header + kLocalHeaderBytes + At<uint16_t>(header, 26) + At<uint16_t>(header, 28);
  if (at > size_ || member.compressed_bytes > size_ - at) return Damaged(StrCat("'", member.name, "' is cut short"));
  return at;
}

Result<std::string> ZipArchive::Inflate(const Member& member, uint64_t at, uint64_t bytes) const {
  constexpr int kRawWindow = -15;  // without zlib's own frame
  constexpr uint64_t kBlock = uint64_t{1} << 20;
  z_stream stream = {};
  if (inflateInit2(&stream, kRawWindow) != Z_OK) return Error(Code::kResourceExhausted, "zlib has no memory");
  std::string content(bytes, '\0');
  std::string block;
  uint64_t taken = 0;
  uint64_t made = 0;
  int state = Z_OK;
  Status status;
  while (state == Z_OK && made < bytes) {
    if (stream.avail_in == 0) {
      block.resize(std::min(kBlock, member.compressed_bytes - taken));
      status = file_.ReadAt(at + taken, block.data(), block.size());
      if (!status.ok() || block.empty()) break;
      taken += block.size();
      stream.next_in = reinterpret_cast<Bytef*>(block.data());
      stream.avail_in = static_cast<uInt>(block.size());
    }
    const uint64_t room = std::min<uint64_t>(bytes - made, std::numeric_limits<uInt>::max());
    stream.next_out = reinterpret_cast<Bytef*>(content.data() + made);
    stream.avail_out = static_cast<uInt>(room);
    state = inflate(&stream, Z_NO_FLUSH);
    made += room - stream.avail_out;
  }
  inflateEnd(&stream);
  DF_TRY(status);
  if (made < bytes) return Damaged(StrCat("'", member.name, "' does not unpack"));
  return content;
}

Result<std::string> ZipArchive::ReadBegin(const Member& member, size_t bytes) const {
  if (!member.odd.empty()) return Error(Code::kUnimplemented, path(), ": '", member.name, "': ", member.odd);
  DF_ASSIGN(const uint64_t at, ContentAt(member));
  const uint64_t wanted = std::min<uint64_t>(bytes, member.bytes);
  try {
    if (member.is_deflated) return Inflate(member, at, wanted);
    std::string content(wanted, '\0');
    DF_TRY(file_.ReadAt(at, content.data(), content.size()));
    return content;
  } catch (const std::bad_alloc&) {
    return Error(Code::kResourceExhausted, "no memory for the ", wanted, " bytes of '", member.name, "' of ", path());
  }
}

Result<std::string> ZipArchive::Read(const Member& member) const {
  if (member.bytes > std::numeric_limits<size_t>::max() / 2) return Damaged(StrCat("'", member.name, "' is too large"));
  DF_ASSIGN(std::string content, ReadBegin(member, member.bytes));
  if (crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()) != member.crc32)
    return Damaged(StrCat("the checksum of '", member.name, "' is another"));
  return content;
}

}  // namespace dfrun
