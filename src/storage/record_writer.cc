#include "src/storage/record_writer.h"

#include <cstdint>

#include "src/base/crc32c.h"
#include "src/base/number_bytes.h"

namespace dfrun {
namespace {

void AppendCrc(std::string_view data, std::string& to) {
  AppendNumber(MaskCrc32c(Crc32c(data.data(), data.size())), to);
}

}  // namespace

void AppendTfRecord(std::string_view data, std::string& to) {
  const size_t begin = to.size();
  AppendNumber(uint64_t{data.size()}, to);
  AppendCrc(std::string_view(to).substr(begin), to);
  to += data;
  AppendCrc(data, to);
}

}  // namespace dfrun
