// Where the bytes of a YAML scalar's value stand in its file: line folding, escapes and indentation come between.
#ifndef DFRUN_SRC_SPEC_TEXT_RUNS_H_
#define DFRUN_SRC_SPEC_TEXT_RUNS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dfrun {

// Value bytes from `begin` to the next run's stand side by side from there on. Lines and columns count from 1, columns
// in bytes.
struct TextRun {
  uint32_t begin;
  int32_t line;
  int32_t column;
};

struct TextRuns {
  std::vector<TextRun> runs;  // ascending; the first begins at 0
  size_t end;                 // of the text in the file: a closing quote stands there, or white space before it
};

// `at`, `line`, `column`: where the scalar begins in `source`, at its anchor if it has one. `value` is what the parser
// made of it.
TextRuns FindTextRuns(std::string_view source, size_t at, int32_t line, int32_t column, std::string_view value);

// Where the scalar's own text begins: behind its anchor and what follows that.
size_t SkipAnchor(std::string_view source, size_t at);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_TEXT_RUNS_H_
