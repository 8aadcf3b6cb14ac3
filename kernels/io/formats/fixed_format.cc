// fixed_length: binary records of one size, parts of which are tensors.
#include "kernels/io/formats/raw_decoder.h"
#include "kernels/strings/parse_number.h"

namespace dfrun {
namespace {

class FixedDecoder final : public RecordDecoder {
 public:
  explicit FixedDecoder(int64_t record_bytes) : record_bytes_(record_bytes) {}

  Status AddField(SampleField& field) override {
    int64_t offset = 0;
    if (!ParseNumber(field.from, offset) || offset < 0 || offset >= record_bytes_) {
      return InvalidArgument("'", field.from, "' is no byte of a record of ", record_bytes_);
    }
    if (field.dtype == DType::kInvalid) field.dtype = DType::kUint8;
    if (!IsPlain(field.dtype)) return InvalidArgument("bytes of a record cannot be ", field.dtype);
    const auto element = static_cast<int64_t>(DTypeSize(field.dtype));
    if (!field.shape.known_rank()) field.shape = PartialShape({(record_bytes_ - offset) / element});
    DF_ASSIGN(const Shape shape, field.shape.ToShape());
    if (shape.num_elements() > (record_bytes_ - offset) / element) {
      return InvalidArgument(field.dtype, shape, " from byte ", offset, " on needs more than the record's ",
                             record_bytes_, " bytes");
    }
    parts_.push_back({static_cast<size_t>(offset), static_cast<size_t>(shape.num_elements() * element)});
    return Status();
  }

  bool IsCopy() const override { return true; }

  Status Decode(const Record& record, int64_t i, BatchBuilder& batch) const override {
    for (size_t f = 0; f < parts_.size(); ++f) {
      batch.Row(f, i).Fill(record.bytes.substr(parts_[f].offset, parts_[f].bytes));
    }
    return Status();
  }

 private:
  struct Part {
    size_t offset;
    size_t bytes;
  };

  const int64_t record_bytes_;
  std::vector<Part> parts_;
};

Result<std::unique_ptr<SampleSource>> OpenFixedLength(const SampleConfig& config) {
  const auto bytes = [&](const char* name) { return static_cast<uint64_t>(IntOption(config, name, 0)); };
  const FixedLength sizes{bytes("header_bytes"), bytes("record_bytes"), bytes("footer_bytes"), bytes("hop_bytes")};
  if (sizes.record == 0) return InvalidArgument("'record_bytes' must be at least 1");
  DF_ASSIGN(std::vector<std::string> files, ExpandFiles(config.files));
  return MakeRecordSource(config, std::move(files), FixedLengthRecords(sizes),
                          std::make_unique<FixedDecoder>(static_cast<int64_t>(sizes.record)));
}

SAMPLE_FORMAT(SampleFormat{
    .name = "fixed_length",
    .options = RecordOptions({{.name = "record_bytes", .kind = SampleOption::Kind::kBytes, .required = true},
                              {.name = "header_bytes", .kind = SampleOption::Kind::kBytes},
                              {.name = "footer_bytes", .kind = SampleOption::Kind::kBytes},
                              {.name = "hop_bytes", .kind = SampleOption::Kind::kBytes}}),
    .default_fields = {{"bytes", "0"}},
    .open = &OpenFixedLength});

}  // namespace
}  // namespace dfrun
