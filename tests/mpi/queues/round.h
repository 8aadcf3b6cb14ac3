// A random round of the stress test: queues, producers and consumers on ranks, and the event that ends it.
//
// A producer or consumer makes its calls one after the other. A step has calls of all of them at the same time. Every
// step but the last of a round takes and leaves what it can; a Close or a failure may end the last one at any moment.
#ifndef DFRUN_TESTS_MPI_QUEUES_ROUND_H_
#define DFRUN_TESTS_MPI_QUEUES_ROUND_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun::testing {

struct QueuePlan {
  std::string name;
  int rank = 0;
  int64_t capacity = 0;
  int64_t min_after_dequeue = 0;
};

// A node that enqueues or dequeues.
struct Call {
  enum class Form { kPutOne, kPutMany, kTakeOne, kTakeMany, kTakeUpTo };
  std::string name;
  Form form = Form::kPutOne;
  int queue = 0;
  int rank = 0;                 // rank of the producer or consumer
  int worker = 0;               // number of the producer or consumer
  std::vector<int64_t> values;  // consecutive values that it puts
  int64_t wanted = 0;           // number of values that it takes
  bool puts() const { return form == Form::kPutOne || form == Form::kPutMany; }
};

enum class Ending { kNone, kClose, kCancel, kFailure };

struct StepPlan {
  std::vector<Call> calls;
  Ending ending = Ending::kNone;
  // Microseconds until the ending, and the rank that waits so long, by queue; a failure uses the first.
  std::vector<int64_t> nap_us;
  std::vector<int> nap_rank;
};

struct Round {
  std::string kind;  // op of its queues
  std::vector<QueuePlan> queues;
  std::vector<StepPlan> steps;

  // Draws a round; a generator of the same state draws the same round.
  static Round Draw(std::mt19937& random, int ranks);
  // Returns a text such as "RandomShuffleQueueV2, 4 queues, 3 steps, ends with a close".
  std::string ToString() const;
  // Adds the queues, the calls and the nodes that end the steps. The values of a taking call come out of "<name>/here"
  // on its rank.
  Status AddTo(Graph& graph) const;
  // Return the names of the nodes that a step fetches, and of its targets.
  std::vector<std::string> Fetches(int step) const;
  std::vector<std::string> Targets(int step) const;
};

// The device of a new node, and the nodes after which it runs.
struct NodePlace {
  std::string device = {};
  std::vector<NodeId> after = {};
};
Result<Output> AddNode(Graph& graph, const std::string& name, const std::string& op, std::vector<Output> inputs,
                       AttrMap attrs, NodePlace place = {});

// Returns the dtypes of an element's components: the value is the last.
std::vector<DType> ComponentTypes(const Round& round);
// Adds the queue's node as the round's graph has it.
Result<Output> AddQueue(Graph& graph, const Round& round, int queue);
std::string TaskDevice(int task);

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_MPI_QUEUES_ROUND_H_
