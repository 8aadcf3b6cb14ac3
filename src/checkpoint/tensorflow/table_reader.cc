#include "src/checkpoint/tensorflow/table_reader.h"

#include <functional>

#include "src/base/byte_reader.h"
#include "src/base/crc32c.h"
#include "src/checkpoint/tensorflow/snappy.h"
#include "src/checkpoint/tensorflow/table_format.h"

namespace dfrun {
namespace {

constexpr size_t kTrailerBytes = 5;  // how it is packed, and a checksum
constexpr size_t kMaxBlockBytes = size_t{256} << 20;

Status DamagedTable(const char* why) {
  return Error(Code::kDataLoss, "the table of its entries is damaged: ", why);
}

struct BlockHandle {
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

bool TakeHandle(ByteReader& from, BlockHandle& out) {
  return from.TakeVarint(out.offset) && from.TakeVarint(out.bytes);
}

Result<std::string> ReadBlock(std::string_view table, BlockHandle at) {
  if (at.bytes > table.size() || table.size() - at.bytes < kTrailerBytes ||
      at.offset > table.size() - at.bytes - kTrailerBytes)
    return DamagedTable("a block is beyond its end");
  const std::string_view block = table.substr(at.offset, at.bytes);
  const std::string_view packing = table.substr(at.offset + at.bytes, 1);
  uint64_t stored = 0;
  ByteReader(table.substr(at.offset + at.bytes + 1)).TakeNumber(4, stored);
  if (MaskCrc32c(Crc32c(block.data(), block.size() + 1)) != stored)
    return DamagedTable("the checksum of a block is another");
  if (packing[0] == kUncompressed) return std::string(block);
  if (packing[0] != kSnappy) return DamagedTable("a block is packed in an unknown way");
  return UnpackSnappy(block, kMaxBlockBytes);
}

// Calls visit(key, value) for each entry of a block, whose keys leave out what they share with the one before.
Status VisitBlock(std::string_view block, const std::function<Status(const std::string&, std::string_view)>& visit) {
  constexpr size_t kCountBytes = 4;
  if (block.size() < kCountBytes) return DamagedTable("a block has no end");
  uint64_t restarts = 0;
  ByteReader(block.substr(block.size() - kCountBytes)).TakeNumber(kCountBytes, restarts);
  if (restarts > (block.size() - kCountBytes) / kCountBytes) return DamagedTable("a block has no end");
  ByteReader from(block.substr(0, block.size() - kCountBytes * (restarts + 1)));
  std::string key;
  while (!from.empty()) {
    uint64_t shared = 0;
    uint64_t rest = 0;
    uint64_t bytes = 0;
    std::string_view own;
    std::string_view value;
    const bool good = from.TakeVarint(shared) && from.TakeVarint(rest) && from.TakeVarint(bytes) &&
                      shared <= key.size() && from.TakeBytes(rest, own) && from.TakeBytes(bytes, value);
    if (!good) return DamagedTable("an entry is cut short");
    key.resize(shared);
    key += own;
    DF_TRY(visit(key, value));
  }
  return Status();
}

bool EndsAsTable(std::string_view bytes) {
  uint64_t magic = 0;
  return bytes.size() >= kTableFooterBytes &&
         ByteReader(bytes.substr(bytes.size() - sizeof magic)).TakeNumber(sizeof magic, magic) && magic == kTableMagic;
}

}  // namespace

Result<std::map<std::string, std::string>> ReadTable(std::string_view table) {
  if (!EndsAsTable(table)) return DamagedTable("it does not end as one");
  ByteReader footer(table.substr(table.size() - kTableFooterBytes));
  BlockHandle of_metadata;
  BlockHandle of_index;
  if (!TakeHandle(footer, of_metadata) || !TakeHandle(footer, of_index)) return DamagedTable("it does not end as one");
  std::map<std::string, std::string> entries;
  const auto add = [&](const std::string& key, std::string_view value) {
    return entries.emplace(key, value).second ? Status() : DamagedTable("a key is there twice");
  };
  DF_ASSIGN(const std::string index, ReadBlock(table, of_index));
  DF_TRY(VisitBlock(index, [&](const std::string&, std::string_view value) -> Status {
    ByteReader from(value);
    BlockHandle handle;
    if (!TakeHandle(from, handle)) return DamagedTable("an entry of its index is none");
    DF_ASSIGN(const std::string block, ReadBlock(table, handle));
    return VisitBlock(block, add);
  }));
  return entries;
}

}  // namespace dfrun
