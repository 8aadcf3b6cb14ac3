#include "src/checkpoint/tensorflow/sorted_table.h"

#include <algorithm>
#include <utility>

#include "src/base/crc32c.h"
#include "src/base/number_bytes.h"
#include "src/base/varint.h"
#include "src/checkpoint/tensorflow/table_format.h"

namespace dfrun {
namespace {

constexpr size_t kBlockBytes = size_t{64} << 10;

size_t SharedPrefix(std::string_view a, std::string_view b) {
  const size_t most = std::min(a.size(), b.size());
  return static_cast<size_t>(std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(most), b.begin()).first -
                             a.begin());
}

}  // namespace

void SortedTable::Block::Add(std::string_view key, std::string_view value) {
  size_t shared = 0;
  if (restarts_.empty() || since_restart_ == interval_) {
    restarts_.push_back(static_cast<uint32_t>(bytes_.size()));
    since_restart_ = 0;
  } else {
    shared = SharedPrefix(last_key_, key);
  }
  AppendVarint(shared, bytes_);
  AppendVarint(key.size() - shared, bytes_);
  AppendVarint(value.size(), bytes_);
  bytes_ += key.substr(shared);
  bytes_ += value;
  last_key_ = key;
  ++since_restart_;
}

// Returns where the block lies: its offset and size.
std::string SortedTable::Block::AppendTo(std::string& table) {
  if (restarts_.empty()) restarts_.push_back(0);
  for (const uint32_t restart : restarts_) AppendNumber(restart, bytes_);
  AppendNumber(static_cast<uint32_t>(restarts_.size()), bytes_);
  std::string handle;
  AppendVarint(table.size(), handle);
  AppendVarint(bytes_.size(), handle);
  bytes_ += kUncompressed;
  table += bytes_;
  AppendNumber(MaskCrc32c(Crc32c(bytes_.data(), bytes_.size())), table);
  bytes_.clear();
  restarts_.clear();
  return handle;
}

void SortedTable::Add(std::string_view key, std::string_view value) {
  data_.Add(key, value);
  if (data_.bytes() >= kBlockBytes) EndBlock();
}

void SortedTable::EndBlock() {
  const std::string last = data_.last_key();
  index_.Add(last, data_.AppendTo(table_));
}

std::string SortedTable::Finish() {
  if (!data_.empty() || index_.empty()) EndBlock();
  std::string footer = Block(1).AppendTo(table_);  // for blocks about the table: there are none
  footer += index_.AppendTo(table_);
  footer.resize(kTableFooterBytes - sizeof kTableMagic);
  table_ += footer;
  AppendNumber(kTableMagic, table_);
  return std::move(table_);
}

}  // namespace dfrun
