#include "jobs/export/wandb_log.h"

#include <zlib.h>

#include <algorithm>

#include "src/base/number_bytes.h"

namespace dfrun::jobs {
namespace {

constexpr std::string_view kBegin(":W&B\xe1\xbe\x00", 7);  // the magic number 0xBEE1, and version 0
constexpr size_t kBlockBytes = size_t{32} << 10;
constexpr size_t kHeaderBytes = 7;  // CRC, length, type

uLong Crc(uLong before, const void* data, size_t bytes) {
  return crc32_z(before, static_cast<const Bytef*>(data), bytes);
}

}  // namespace

WandbLog::WandbLog() : file_(kBegin) {}

size_t WandbLog::LeftInBlock() const {
  return kBlockBytes - file_.size() % kBlockBytes;
}

void WandbLog::Add(std::string_view record) {
  if (LeftInBlock() < kHeaderBytes) file_.append(LeftInBlock(), '\0');
  for (bool is_first = true;; is_first = false) {
    // 0 at the end of a block that has room for a header alone.
    const size_t bytes = std::min(record.size(), LeftInBlock() - kHeaderBytes);
    const bool is_last = bytes == record.size();
    const Type type = is_first ? (is_last ? kFull : kFirst) : (is_last ? kLast : kMiddle);
    AddPiece(type, record.substr(0, bytes));
    if (is_last) return;
    record.remove_prefix(bytes);
  }
}

void WandbLog::AddPiece(Type type, std::string_view data) {
  const auto crc = static_cast<uint32_t>(Crc(Crc(0, &type, sizeof type), data.data(), data.size()));
  const auto length = static_cast<uint16_t>(data.size());
  AppendNumber(crc, file_);
  AppendNumber(length, file_);
  AppendNumber(static_cast<uint8_t>(type), file_);
  file_ += data;
}

}  // namespace dfrun::jobs
