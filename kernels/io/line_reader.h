// Lines of a file, whatever ends them.
#ifndef DFRUN_KERNELS_IO_LINE_READER_H_
#define DFRUN_KERNELS_IO_LINE_READER_H_

#include "kernels/io/record_format.h"

namespace dfrun {

// The line at `at`, which moves behind it; false at the end of the file. `Ends` has the line's end found in its parts,
// one after the other: Find(part) is the end's index or npos. Whatever the line's length, no more than a buffer of it
// is looked at in one piece.
template <class Ends>
Result<bool> FindLine(FileCursor& file, uint64_t& at, RecordSpan& line) {
  const uint64_t size = file.file().size();
  if (at >= size) return false;
  const uint64_t begin = at;
  Ends ends;
  while (at < size) {
    DF_ASSIGN(const std::string_view text, file.Some(at));
    const size_t end = ends.Find(text);
    if (end != std::string_view::npos) {
      line = {begin, at + end - begin};
      at += end + 1;
      return true;
    }
    at += text.size();
  }
  line = {begin, size - begin};
  return true;
}

// The text of a line, without a '\r' at its end.
inline Result<std::string_view> ReadLine(FileCursor& file, const RecordSpan& line) {
  DF_ASSIGN(const std::string_view text, file.View(line.offset, line.bytes));
  return text.substr(0, text.size() - (!text.empty() && text.back() == '\r' ? 1 : 0));
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_LINE_READER_H_
