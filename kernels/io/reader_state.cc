// The checkpointed state of readers: the number of files and records that they have read, and the position in the last
// file.
#include "kernels/io/queue_reader.h"
#include "kernels/state/object_state.h"

namespace dfrun {
namespace {

std::vector<StatePart> PartsOf() {
  return {{"counts", DType::kInt64, PartialShape({3})},      // files begun, files ended, records
          {"file", DType::kString, PartialShape::Scalar()},  // that is being read
          {"open", DType::kBool, PartialShape::Scalar()},    // true if the file has records left
          {"place", DType::kInt64, PartialShape({2})}};      // position of the next record: its byte, its number
}

Result<std::vector<StatePart>> PartsOfReader(const AttrMap& /*attrs*/) {
  return PartsOf();
}

KEEPS_STATE(StateBehindHandle<QueueReader>::With(&PartsOfReader), "TextLineReader", "TextLineReaderV2",
            "WholeFileReader", "WholeFileReaderV2", "FixedLengthRecordReader", "FixedLengthRecordReaderV2",
            "TFRecordReader", "TFRecordReaderV2", "IdentityReader", "IdentityReaderV2");

}  // namespace

Result<std::vector<Tensor>> QueueReader::SaveState(Allocator& /*allocator*/) const {
  const WorkReader::Place place = reader_->place();
  return std::vector<Tensor>{Tensor::Vector<int64_t>({state_.started_, state_.finished_, state_.records_}),
                             Tensor::Scalar(state_.work_), Tensor::Scalar(place.is_open),
                             Tensor::Vector<int64_t>({static_cast<int64_t>(place.at), place.number})};
}

Status QueueReader::RestoreState(std::span<const Tensor> parts, Allocator& /*allocator*/) {
  DF_TRY(CheckParts(parts, PartsOf()));
  const int64_t* const counts = parts[0].data<int64_t>();
  const int64_t* const place = parts[3].data<int64_t>();
  DF_TRY(state_.Set(counts[0], counts[1], counts[2], parts[1].scalar<std::string>()));
  if (!state_.in_work()) return Status();
  return reader_->Resume(state_.work_, {parts[2].scalar<bool>(), static_cast<uint64_t>(place[0]), place[1]});
}

}  // namespace dfrun
