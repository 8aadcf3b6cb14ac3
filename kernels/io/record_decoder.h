// Makes tensors of records.
#ifndef DFRUN_KERNELS_IO_RECORD_DECODER_H_
#define DFRUN_KERNELS_IO_RECORD_DECODER_H_

#include <string>
#include <string_view>

#include "kernels/io/batch_builder.h"

namespace dfrun {

struct Record {
  std::string_view bytes;
  const std::string& path;  // of its file
};

// Thread safety: Decode() from any thread, after the AddField()s.
class RecordDecoder {
 public:
  virtual ~RecordDecoder() = default;
  // As SampleSource::AddField().
  virtual Status AddField(SampleField& field) = 0;
  // Whether Decode() takes about as long as a copy of the record.
  virtual bool IsCopy() const { return false; }
  // Decodes every field of sample `i` into the batch.
  virtual Status Decode(const Record& record, int64_t i, BatchBuilder& batch) const = 0;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_RECORD_DECODER_H_
