// The constants and packing that the writer and the reader of a table share.
// https://github.com/google/leveldb/blob/main/doc/table_format.md
#ifndef DFRUN_SRC_CHECKPOINT_TENSORFLOW_TABLE_FORMAT_H_
#define DFRUN_SRC_CHECKPOINT_TENSORFLOW_TABLE_FORMAT_H_

#include <cstddef>
#include <cstdint>

namespace dfrun {

// A table ends with a footer, and the footer with the magic number.
inline constexpr size_t kTableFooterBytes = 48;
inline constexpr uint64_t kTableMagic = 0xdb4775248b80fb57;
// How a block is packed, by the byte behind it.
inline constexpr char kUncompressed = 0;
inline constexpr char kSnappy = 1;

}  // namespace dfrun

#endif  // DFRUN_SRC_CHECKPOINT_TENSORFLOW_TABLE_FORMAT_H_
