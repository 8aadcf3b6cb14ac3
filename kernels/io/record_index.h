// Builds the index of a data set's records.
#ifndef DFRUN_KERNELS_IO_RECORD_INDEX_H_
#define DFRUN_KERNELS_IO_RECORD_INDEX_H_

#include <memory>
#include <string>
#include <vector>

#include "kernels/io/record_decoder.h"
#include "kernels/io/record_format.h"
#include "src/storage/sample_source.h"

namespace dfrun {

// The parts of a data set of records.
struct RecordSet {
  std::vector<std::string> paths;
  Compression compression = Compression::kNone;
  bool skips_errors = false;
  std::unique_ptr<RecordFormat> format;
  std::unique_ptr<RecordDecoder> decoder;
  std::vector<SampleField> fields;  // settled by the decoder
};

// Finds all records, several files at a time. Where errors are skipped every record is decoded, to see whether it can
// be; else the first error in the order of the files is the result. `reports`: logs the first records left out.
Result<RecordIndex> BuildRecordIndex(const RecordSet& set, bool reports);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_RECORD_INDEX_H_
