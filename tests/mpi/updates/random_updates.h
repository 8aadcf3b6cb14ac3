// Random programs of reads and updates of variables, as a graph and evaluated directly.
//
// A program is a list of statements, each of which computes a value, reads a variable, updates one, calls a function,
// or is a conditional or a loop of such statements. The graph has edges that order each read after the previous update
// in the list and before the next one. At random such an edge is a control edge, a path over nodes that may be on other
// devices, an input that waits, or an order that exists already. So every value is determined. Variables are by
// reference or behind handles, small or large. In a large one all elements are equal, which shows a torn read.
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
  // The values that the nodes work on: floats of small whole numbers, exact in any order of sums.
  struct State {
    std::vector<std::vector<float>> values;
    std::vector<std::vector<float>> variables;
  };
  using Statement = std::function<void(State&)>;

  Graph graph;
  std::vector<std::string> inits;    // targets of a first step
  std::vector<std::string> fetches;  // each a vector of kWidth elements
  std::vector<int> fetched;          // numbers of the fetched values
  std::vector<Statement> statements;
  State initial;

  // Returns the values of the fetches in the next step, and changes the state.
  std::vector<std::vector<float>> Step(State& state) const;
};

constexpr int64_t kWidth = 4;

// Makes a program; the same seed gives the same program.
Result<UpdateProgram> MakeUpdates(uint64_t seed, const UpdateOptions& options);

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_MPI_UPDATES_RANDOM_UPDATES_H_
