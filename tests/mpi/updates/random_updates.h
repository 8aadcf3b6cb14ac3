// Random programs of reads and updates of variables: as a graph, and evaluated directly.
//
// A program is a list of statements, each of which computes a value, reads a variable, updates one, calls a function,
// or is a conditional or a loop of such statements. The graph has the edges that make each read come after the update
// before it in the list, and before the update behind it: at random a control edge, a way over nodes that may be on
// other devices, an input that waits, or what is in order already. So every value is determined. Variables are by
// reference or behind handles, small or large; in a large one all elements are equal, and a torn read is seen.
#ifndef DFRUN_TESTS_MPI_UPDATES_RANDOM_UPDATES_H_
#define DFRUN_TESTS_MPI_UPDATES_RANDOM_UPDATES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun::testing {

struct UpdateOptions {
  int statements = 12;
  int64_t large_elements = int64_t{1} << 18;
};

struct UpdateProgram {
  // What the nodes work on: floats of small whole numbers, exact in any order of sums.
  struct State {
    std::vector<std::vector<float>> values;
    std::vector<std::vector<float>> variables;
  };
  using Statement = std::function<void(State&)>;

  Graph graph;
  std::vector<std::string> inits;    // targets of a first step
  std::vector<std::string> fetches;  // each a vector of kWidth elements
  std::vector<int> fetched;          // the values that they are
  std::vector<Statement> statements;
  State initial;

  // What the fetches give in the next step.
  std::vector<std::vector<float>> Step(State& state) const;
};

constexpr int64_t kWidth = 4;

// The same program for the same seed.
Result<UpdateProgram> MakeUpdates(uint64_t seed, const UpdateOptions& options);

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_MPI_UPDATES_RANDOM_UPDATES_H_
