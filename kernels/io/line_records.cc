#include "kernels/io/line_reader.h"
#include "kernels/io/record_format.h"

namespace dfrun {
namespace {

class PlainEnds {
 public:
  size_t Find(std::string_view text) { return text.find('\n'); }
};

class TextRecords final : public RecordFormat {
 public:
  explicit TextRecords(int64_t skip) : skip_(skip) {}

  bool BeginsWithAnything() const override { return false; }
  bool HasLines() const override { return true; }

  Result<bool> Find(FileCursor& file, uint64_t& at, RecordSpan& record) const override {
    if (at == 0) {
      for (int64_t i = 0; i < skip_; ++i) {
        DF_ASSIGN(const bool found, FindLine<PlainEnds>(file, at, record));
        if (!found) return false;
      }
    }
    return FindLine<PlainEnds>(file, at, record);
  }

  Result<std::string_view> Read(FileCursor& file, const RecordSpan& record) const override {
    return ReadLine(file, record);
  }

 private:
  const int64_t skip_;
};

}  // namespace

std::unique_ptr<RecordFormat> TextLines(int64_t skip) {
  return std::make_unique<TextRecords>(skip);
}

}  // namespace dfrun
