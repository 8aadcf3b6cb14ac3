#include "src/storage/record_writer.h"

#include <cstdint>

#include "src/base/crc32c.h"

namespace dfrun {
namespace {

template <class T>
std::string BytesOf(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string CrcOf(std::string_view data) {
  return BytesOf(MaskCrc32c(Crc32c(data.data(), data.size())));
}

}  // namespace

void AppendTfRecord(std::string_view data, std::string& to) {
  const std::string length = BytesOf(uint64_t{data.size()});
  to += length;
  to += CrcOf(length);
  to += data;
  to += CrcOf(data);
}

}  // namespace dfrun
