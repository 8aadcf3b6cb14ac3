// Records as strings.
#ifndef DFRUN_KERNELS_IO_FORMATS_RAW_DECODER_H_
#define DFRUN_KERNELS_IO_FORMATS_RAW_DECODER_H_

#include "kernels/io/record_source.h"

namespace dfrun {

// Fields: `payload`, the bytes of a record, and "path", that of its file; both string scalars.
std::unique_ptr<RecordDecoder> MakeRawDecoder(std::string payload);

// Gives a field its only dtype, or one of several of which the first is the default; InvalidArgument for others.
Status SettleDType(SampleField& field, std::initializer_list<DType> dtypes);
// Merges the field's shape with the one that the decoder requires.
Status SettleShape(SampleField& field, const PartialShape& shape);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_FORMATS_RAW_DECODER_H_
