// The runs that `dfrun runs --where` asks for: "lr < 0.1 and state = done".
#ifndef DFRUN_SRC_RUNS_RUN_FILTER_H_
#define DFRUN_SRC_RUNS_RUN_FILTER_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/status.h"
#include "src/runs/run_cells.h"

namespace dfrun {

// Comparisons of facts (run_cells.h) with numbers or words, joined by `and`: NAME < VALUE, with <, <=, =, !=, >= or >;
// == is =. A value may stand in quotes. A number is compared with numbers; words are compared letter by letter. Thread
// safety: const methods from any thread.
class RunFilter {
 public:
  // Usage error for a text of another form. An empty text is that of all runs.
  static Result<RunFilter> Parse(std::string_view text);

  // Usage error where a name is that of no run's fact.
  Status CheckNames(const std::vector<RunCells>& runs) const;
  // Whether all comparisons hold. One with a fact that the run lacks does not.
  bool Takes(const RunCells& run) const;

 private:
  enum class Sign { kLess, kLessOrEqual, kEqual, kNotEqual, kGreaterOrEqual, kGreater };
  struct Comparison {
    std::string name;
    Sign sign = Sign::kEqual;
    RunCell value;
  };
  static Result<Comparison> ParseOne(std::string_view text);
  static bool Holds(const RunCell& fact, const Comparison& comparison);

  std::vector<Comparison> comparisons_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_RUNS_RUN_FILTER_H_
