#include "kernels/io/formats/raw_decoder.h"

#include <algorithm>

#include "src/base/text.h"

namespace dfrun {
namespace {

class RawDecoder final : public RecordDecoder {
 public:
  explicit RawDecoder(std::string payload) : payload_(std::move(payload)) {}

  Status AddField(SampleField& field) override {
    if (field.from != payload_ && field.from != "path") {
      return InvalidArgument("there is no '", field.from, "': a record has '", payload_, "' and 'path'");
    }
    is_path_.push_back(field.from == "path");
    DF_TRY(SettleDType(field, {DType::kString}));
    return SettleShape(field, PartialShape::Scalar());
  }

  bool IsCopy() const override { return true; }

  Status Decode(const Record& record, int64_t i, BatchBuilder& batch) const override {
    for (size_t f = 0; f < is_path_.size(); ++f) {
      batch.Row(f, i).data<std::string>()->assign(is_path_[f] ? std::string_view(record.path) : record.bytes);
    }
    return Status();
  }

 private:
  const std::string payload_;
  std::vector<bool> is_path_;
};

}  // namespace

std::unique_ptr<RecordDecoder> MakeRawDecoder(std::string payload) {
  return std::make_unique<RawDecoder>(std::move(payload));
}

Status SettleDType(SampleField& field, std::initializer_list<DType> dtypes) {
  if (field.dtype == DType::kInvalid) field.dtype = *dtypes.begin();
  if (std::find(dtypes.begin(), dtypes.end(), field.dtype) != dtypes.end()) return Status();
  return InvalidArgument("'", field.from, "' cannot be ", field.dtype, ", only ", Join(dtypes));
}

Status SettleShape(SampleField& field, const PartialShape& shape) {
  Result<PartialShape> merged = field.shape.Merge(shape);
  if (!merged.ok()) return InvalidArgument("'", field.from, "' has shape ", shape, ", not ", field.shape);
  field.shape = *std::move(merged);
  return Status();
}

}  // namespace dfrun
