#include "kernels/io/record_format.h"

namespace dfrun {
namespace {

class FixedRecords final : public RecordFormat {
 public:
  explicit FixedRecords(const FixedLength& sizes) : sizes_(sizes) {}

  uint64_t Begin() const override { return sizes_.header; }

  Result<bool> Find(FileCursor& file, uint64_t& at, RecordSpan& record) const override {
    const uint64_t size = file.file().size();
    if (size < sizes_.header + sizes_.footer) {
      return Error(Code::kDataLoss, "it has ", size, " bytes, fewer than its header and footer");
    }
    const uint64_t limit = size - sizes_.footer;
    if (at >= limit) return false;
    if (sizes_.record > limit - at) {
      if (sizes_.ends_before_part) return false;
      return Error(Code::kDataLoss, "the record at byte ", at, " is cut short: ", limit - at, " of ", sizes_.record,
                   " bytes");
    }
    record = {at, sizes_.record};
    at += sizes_.hop == 0 ? sizes_.record : sizes_.hop;
    return true;
  }

 private:
  const FixedLength sizes_;
};

class WholeFileRecords final : public RecordFormat {
 public:
  Result<bool> Find(FileCursor& file, uint64_t& at, RecordSpan& record) const override {
    if (at != 0) return false;
    record = {0, file.file().size()};
    at = UINT64_MAX;  // an empty file is a record too
    return true;
  }
};

}  // namespace

std::unique_ptr<RecordFormat> FixedLengthRecords(const FixedLength& sizes) {
  return std::make_unique<FixedRecords>(sizes);
}

std::unique_ptr<RecordFormat> WholeFiles() {
  return std::make_unique<WholeFileRecords>();
}

}  // namespace dfrun
