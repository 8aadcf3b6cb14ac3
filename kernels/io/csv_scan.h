// Finds where a record of comma-separated values ends.
#ifndef DFRUN_KERNELS_IO_CSV_SCAN_H_
#define DFRUN_KERNELS_IO_CSV_SCAN_H_

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "kernels/io/record_format.h"

namespace dfrun {

// Goes over the bytes of one record, part by part, by the rules of CsvFields().
// Thread safety: one thread.
class CsvScan {
 public:
  enum class Found { kNothing, kEnd, kDamage };

  // The columns outlive the scan.
  explicit CsvScan(const CsvColumns& columns) : columns_(columns) {}

  // kEnd: `end` is the index in `text` of the line end that ends a record of as many fields as there may be. kDamage:
  // no record begins where the scan began. kNothing: the bytes that follow decide.
  Found Next(std::string_view text, size_t& end) {
    for (size_t i = 0; i < text.size(); ++i) {
      if (state_ == State::kQuoted) {
        const size_t quote = std::min(text.find('"', i), text.size());
        quoted_bytes_ += quote - i;
        if (quoted_bytes_ > kMaxQuoted) return Found::kDamage;
        if (quote == text.size()) return Found::kNothing;
        state_ = State::kQuoteSeen;
        i = quote;
        continue;
      }
      if (text[i] == '\n') {
        end = i;
        return End();
      }
      if (!Step(text[i])) return Found::kDamage;
    }
    return Found::kNothing;
  }

  // The file ends here.
  Found End() const {
    if (state_ == State::kQuoted || fields_ < columns_.wanted) return Found::kDamage;
    return columns_.MayHave(fields_, state_ == State::kBegin) ? Found::kEnd : Found::kDamage;
  }

 private:
  // kQuoteSeen: behind a quote within quotes, the last one or the first of two. kReturn: a line end must follow.
  enum class State { kBegin, kPlain, kQuoted, kQuoteSeen, kReturn };
  // A quoted field with more bytes is taken for one whose end is missing.
  static constexpr uint64_t kMaxQuoted = uint64_t{1} << 20;

  // False where the byte, outside of quotes and no line end, cannot stand here.
  bool Step(char c) {
    if (state_ == State::kReturn) return false;
    if (c == columns_.format.delimiter) {
      state_ = State::kBegin;
      return columns_.MayHave(++fields_, true);
    }
    if (c == '"') {
      if (state_ == State::kPlain) return false;
      if (state_ == State::kBegin) quoted_bytes_ = 0;
      state_ = State::kQuoted;
      return true;
    }
    if (c == '\r') {
      if (state_ != State::kBegin) state_ = State::kReturn;
      return true;
    }
    if (state_ == State::kQuoteSeen) return false;
    state_ = State::kPlain;
    return true;
  }

  const CsvColumns& columns_;
  State state_ = State::kBegin;
  size_t fields_ = 1;
  uint64_t quoted_bytes_ = 0;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_CSV_SCAN_H_
