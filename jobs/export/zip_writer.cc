#include "jobs/export/zip_writer.h"

#include <zlib.h>

#include <limits>

#include "src/base/number_bytes.h"

namespace dfrun::jobs {
namespace {

constexpr uint32_t kLocalHeader = 0x04034b50;
constexpr uint32_t kDirectoryEntry = 0x02014b50;
constexpr uint32_t kDirectoryEnd = 0x06054b50;
constexpr uint16_t kVersion = 20;
constexpr uint16_t kUtf8Name = 1 << 11;
constexpr uint16_t kFirstDay = (1 << 5) | 1;  // 1 January 1980: equal metrics give equal bytes

template <class... Numbers>
void Append(std::string& to, Numbers... numbers) {
  (AppendNumber(numbers, to), ...);
}

}  // namespace

Status ZipWriter::Add(std::string_view name, std::string_view content) {
  constexpr uint64_t kMaxBytes = std::numeric_limits<uint32_t>::max() - (uint64_t{1} << 20);
  if (members_ == std::numeric_limits<uint16_t>::max() || name.size() > std::numeric_limits<uint16_t>::max() ||
      file_.size() + directory_.size() + 2 * name.size() + content.size() > kMaxBytes) {
    return Error(Code::kResourceExhausted, "the archive has more than 65,535 members, or 4 GiB");
  }
  const auto at = static_cast<uint32_t>(file_.size());
  const auto bytes = static_cast<uint32_t>(content.size());
  const auto name_bytes = static_cast<uint16_t>(name.size());
  const auto crc = static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
  constexpr uint16_t kNone16 = 0;
  // Flags, method 0 (stored), time, day, crc, size, size, length of the name, extra bytes.
  const auto append_facts = [&](std::string& to) {
    Append(to, kUtf8Name, kNone16, kNone16, kFirstDay, crc, bytes, bytes, name_bytes, kNone16);
  };
  Append(file_, kLocalHeader, kVersion);
  append_facts(file_);
  file_.append(name).append(content);
  Append(directory_, kDirectoryEntry, kVersion, kVersion);
  append_facts(directory_);
  // Comment, disk, internal and external attributes.
  Append(directory_, kNone16, kNone16, kNone16, uint32_t{0}, at);
  directory_.append(name);
  ++members_;
  return Status();
}

Result<std::string> ZipWriter::Finish() {
  const auto at = static_cast<uint32_t>(file_.size());
  const auto count = static_cast<uint16_t>(members_);
  file_ += directory_;
  Append(file_, kDirectoryEnd, uint16_t{0}, uint16_t{0}, count, count, static_cast<uint32_t>(directory_.size()), at,
         uint16_t{0});
  return std::move(file_);
}

}  // namespace dfrun::jobs
