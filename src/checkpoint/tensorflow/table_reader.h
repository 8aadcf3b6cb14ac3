// Reads a table of entries sorted by their keys, as LevelDB defines it and TensorFlow writes it.
// https://github.com/google/leveldb/blob/main/doc/table_format.md
#ifndef DFRUN_SRC_CHECKPOINT_TENSORFLOW_TABLE_READER_H_
#define DFRUN_SRC_CHECKPOINT_TENSORFLOW_TABLE_READER_H_

#include <map>
#include <string>
#include <string_view>

#include "src/base/status.h"

namespace dfrun {

// Returns the values by their keys. Blocks are plain or packed by Snappy, and their checksums are compared. DataLoss
// where the table is damaged.
Result<std::map<std::string, std::string>> ReadTable(std::string_view table);

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_TENSORFLOW_TABLE_READER_H_
