// A random graph around objects that outlive nodes: queues, accumulators, mutexes, readers, stacks, TensorArrays,
// TensorLists, collectives.
#ifndef DFRUN_TESTS_FUZZ_RANDOM_OBJECTS_H_
#define DFRUN_TESTS_FUZZ_RANDOM_OBJECTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun::fuzz {

struct RandomObjects {
  Graph graph;
  std::vector<std::string> refused;  // texts of nodes that could not be added
};

// Makes a graph of one family of ops, of which some make an object and others use it. The nodes are made from nothing,
// but share dtypes and shapes, and take handles of earlier nodes. A node that does not fit its op is not added. The
// same seed gives the same graph. `with_op` limits the choice to families that have this op; empty: all families.
RandomObjects MakeRandomObjects(const std::string& with_op, uint64_t seed);

}  // namespace dfrun::fuzz

#endif  // DFRUN_TESTS_FUZZ_RANDOM_OBJECTS_H_
