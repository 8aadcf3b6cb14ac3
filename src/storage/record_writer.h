// Records of TensorFlow's files: TFRecords and event files.
// Source: TensorFlow's record_writer.cc.
#ifndef DFRUN_SRC_STORAGE_RECORD_WRITER_H_
#define DFRUN_SRC_STORAGE_RECORD_WRITER_H_

#include <string>
#include <string_view>

namespace dfrun {

// Appends a record: length (u64), masked crc32c of the length, data, masked crc32c of the data, all little-endian.
void AppendTfRecord(std::string_view data, std::string& to);

}  // namespace dfrun

#endif  // DFRUN_SRC_STORAGE_RECORD_WRITER_H_
