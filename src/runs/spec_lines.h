// The lines of spec.yaml of a run directory, without a parser of YAML: PrintSpec() writes one value a line.
#ifndef DFRUN_SRC_RUNS_SPEC_LINES_H_
#define DFRUN_SRC_RUNS_SPEC_LINES_H_

#include <string>
#include <string_view>
#include <vector>

namespace dfrun {

// A key or an element with its value.
struct SpecLine {
  std::string path;  // "train.learning_rate"; elements of a list are numbered from 0: "eval.metrics.0"
  std::string text;  // the printed text: "0.1", "${rate}", "[1, 2]"; empty for the head of a mapping or of a block list
  std::string value;   // without quotes, and with the params' values where the comment tells them
  std::string origin;  // "mlp.yaml:12", "--set", "default"
};

// The lines in their order. Lines of another form are left out. `settings_only`: without those of `graph` and
// `functions`.
// Thread safety: any thread.
std::vector<SpecLine> ReadSpecLines(std::string_view text, bool settings_only);

// The value of the path; empty where there is none.
std::string_view ValueIn(const std::vector<SpecLine>& lines, std::string_view path);

}  // namespace dfrun

#endif  // DFRUN_SRC_RUNS_SPEC_LINES_H_
