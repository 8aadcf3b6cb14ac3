// Makes tensors of records.
#ifndef DFRUN_KERNELS_IO_RECORD_DECODER_H_
#define DFRUN_KERNELS_IO_RECORD_DECODER_H_

#include <string>
#include <string_view>

#include "kernels/io/batch_builder.h"

namespace dfrun {

struct Record {
  std::string_view bytes;
  const std::string& path;  // path of the record's file
};

// Thread safety: Decode() from any thread, after the AddField()s.
class RecordDecoder {
 public:
  virtual ~RecordDecoder() = default;
  // Adds a field by the contract of SampleSource::AddField().
  virtual Status AddField(SampleField& field) = 0;
  // A warning about the fields for the spec's author; empty: none.
  virtual std::string Warning() const { return ""; }
  // The settled options, by the contract of SampleSource::Settled().
  virtual SampleOptions Settled() const { return {}; }
  // True if Decode() takes about as long as a copy of the record.
  virtual bool IsCopy() const { return false; }
  // LooksAtRecords() is true if some records are worth decoding before the first step. MayRefuse() picks them: records
  // whose bytes look as though the fields might not suit them.
  virtual bool LooksAtRecords() const { return false; }
  virtual bool MayRefuse(std::string_view /*record*/) const { return false; }
  // Decodes every field of sample `i` into the batch. InvalidArgument and DataLoss are errors of the record, which may
  // be left out for them; NoInput is one of the fields, which do not suit the files.
  virtual Status Decode(const Record& record, int64_t i, BatchBuilder& batch) const = 0;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_RECORD_DECODER_H_
