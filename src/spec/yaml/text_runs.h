// Maps the bytes of a YAML scalar's value to their positions in the file, between which are line breaks, escapes and
// indentation.
#ifndef DFRUN_SRC_SPEC_YAML_TEXT_RUNS_H_
#define DFRUN_SRC_SPEC_YAML_TEXT_RUNS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dfrun {

// The value's bytes from `begin` up to the next run are adjacent in the file, from this position on. Lines and columns
// count from 1, columns in bytes.
struct TextRun {
  uint32_t begin;
  int32_t line;
  int32_t column;
};

struct TextRuns {
  std::vector<TextRun> runs;  // ascending; the first begins at 0
  size_t end;                 // end of the text in the file: the position of the closing quote, or of white space
                              // before it
};

// `at`, `line`, `column`: the beginning of the scalar in `source`, at its anchor if it has one. `value` is the parser's
// result.
TextRuns FindTextRuns(std::string_view source, size_t at, int32_t line, int32_t column, std::string_view value);

// The beginning of the scalar's own text, after an anchor and the space that follows it.
size_t SkipAnchor(std::string_view source, size_t at);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_YAML_TEXT_RUNS_H_
