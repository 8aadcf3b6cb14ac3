// A round of the stress test, drawn at random: queues, producers and consumers on ranks, and what ends it.
//
// A producer or consumer makes its calls one after the other. A step has calls of all of them at once. Every step but
// the last of a round takes and leaves what it can; the last one may be ended by a Close or a failure at any moment.
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

// One node that enqueues or dequeues.
struct Call {
  enum class Form { kPutOne, kPutMany, kTakeOne, kTakeMany, kTakeUpTo };
  std::string name;
  Form form = Form::kPutOne;
  int queue = 0;
  int rank = 0;                 // of the producer or consumer
  int worker = 0;               // which of them
  std::vector<int64_t> values;  // that it puts: they follow one another
  int64_t wanted = 0;           // that it takes
  bool puts() const { return form == Form::kPutOne || form == Form::kPutMany; }
};

enum class Ending { kNone, kClose, kCancel, kFailure };

struct StepPlan {
  std::vector<Call> calls;
  Ending ending = Ending::kNone;
  // By queue; of a failure the first: microseconds until it comes, and the rank that waits so long.
  std::vector<int64_t> nap_us;
  std::vector<int> nap_rank;
};

struct Round {
  std::string kind;  // the op of its queues
  std::vector<QueuePlan> queues;
  std::vector<StepPlan> steps;

  // The same for the same generator.
  static Round Draw(std::mt19937& random, int ranks);
  // "RandomShuffleQueueV2, 4 queues, 3 steps, ends with a close".
  std::string ToString() const;
  // Adds the queues, the calls and what ends the steps. A taking call's values come out of "<name>/here" on its rank.
  Status AddTo(Graph& graph) const;
  // Names of the nodes of a step.
  std::vector<std::string> Fetches(int step) const;
  std::vector<std::string> Targets(int step) const;
};

// How a node is added, on a device and after other nodes.
struct NodePlace {
  std::string device = {};
  std::vector<NodeId> after = {};
};
Result<Output> AddNode(Graph& graph, const std::string& name, const std::string& op, std::vector<Output> inputs,
                       AttrMap attrs, NodePlace place = {});

// The components of an element: the value is the last.
std::vector<DType> ComponentTypes(const Round& round);
// The queue's node, as the round's graph has it.
Result<Output> AddQueue(Graph& graph, const Round& round, int queue);
std::string TaskDevice(int task);

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_MPI_QUEUES_ROUND_H_
