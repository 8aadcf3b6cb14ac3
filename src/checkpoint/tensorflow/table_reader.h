// Reads a table of entries sorted by their keys, as LevelDB defines it and TensorFlow writes it.
// https://github.com/google/leveldb/blob/main/doc/table_format.md
#ifndef DFRUN_SRC_CHECKPOINT_TENSORFLOW_TABLE_READER_H_
#define DFRUN_SRC_CHECKPOINT_TENSORFLOW_TABLE_READER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "src/base/status.h"

namespace dfrun {

// The crc as such tables and TensorFlow's data files store it.
uint32_t MaskedCrc32c(uint32_t crc);

// Whether the bytes end as a table does.
bool EndsAsTable(std::string_view end);
inline constexpr size_t kTableFooterBytes = 48;

// Returns the values by their keys. Blocks are plain or packed by Snappy, and their checksums are compared. DataLoss
// where the table is damaged.
Result<std::map<std::string, std::string>> ReadTable(std::string_view table);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_TENSORFLOW_TABLE_READER_H_
