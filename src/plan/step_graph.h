// A step before its nodes have devices: tasks, the values that go between them, and the devices that there are.
#ifndef DFRUN_SRC_PLAN_STEP_GRAPH_H_
#define DFRUN_SRC_PLAN_STEP_GRAPH_H_

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "src/costs/cost_table.h"

namespace dfrun {

// A device as a simulation sees it: it does one task at a time.
struct StepDevice {
  int rank = 0;
  int type = 0;              // counts the types of the cluster's devices
  int64_t memory_bytes = 0;  // values and state that it holds at most; 0: no limit
};

// A value, or the end of a task, on its way to those that wait for it.
struct StepOutput {
  int task = 0;
  double bytes = 0;       // size of the message to another device, once for all readers there
  double held_bytes = 0;  // size of the memory that it takes from the begin of its task until its last reader has ended
  int holds = -1;         // the output whose memory it is a view of, which stays as long
  // A wait that counts where both are on one device alone: the update of a variable behind a read.
  bool is_local = false;
  double times = 1;  // messages one after the other: the turns of a loop in which the task is
};

// Tasks and outputs count from 0. Times are in seconds.
struct StepGraph {
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  std::vector<StepDevice> devices;
  int num_types = 1;
  int num_ranks = 1;
  int ranks_per_node = 1;
  std::array<PairSpeed, kPairClasses.size()> pairs = {};
  double send_s = 0;     // time of a device for each message that it sends; 0: tasks of their own send
  double receive_s = 0;  // and for each that it gets

  std::vector<double> seconds;      // by task and type of device, kNever where it cannot be there
  std::vector<double> state_bytes;  // by task: what its device holds of it between steps
  std::vector<int> scopes;          // by task: tasks of one number have one scope of names
  std::vector<StepOutput> outputs;  // in the order of their tasks
  std::vector<int> first_output;    // by task, and the end
  std::vector<int> readers;         // tasks, by output
  std::vector<int> first_reader;    // by output, and the end
  std::vector<int> inputs;          // outputs, by the task that waits for them
  std::vector<int> first_input;     // by task, and the end

  // Fills `inputs` and `first_input` from outputs and readers.
  void SetInputs();

  int num_tasks() const { return static_cast<int>(state_bytes.size()); }
  double Seconds(int task, int device) const {
    return seconds[static_cast<size_t>(task) * static_cast<size_t>(num_types) +
                   static_cast<size_t>(devices[static_cast<size_t>(device)].type)];
  }
  std::span<const int> ReadersOf(int output) const { return Part(readers, first_reader, output); }
  std::span<const int> InputsOf(int task) const { return Part(inputs, first_input, task); }

  // How far apart two devices are.
  PairClass PairOf(int a, int b) const {
    const int of_a = devices[static_cast<size_t>(a)].rank;
    const int of_b = devices[static_cast<size_t>(b)].rank;
    if (a == b) return PairClass::kSameDevice;
    if (of_a == of_b) return PairClass::kSameProcess;
    return of_a / ranks_per_node == of_b / ranks_per_node ? PairClass::kSameHost : PairClass::kNetwork;
  }
  const PairSpeed& SpeedOf(PairClass pair) const { return pairs[static_cast<size_t>(pair)]; }

 private:
  static std::span<const int> Part(const std::vector<int>& all, const std::vector<int>& first, int i) {
    const auto begin = static_cast<size_t>(first[static_cast<size_t>(i)]);
    const auto end = static_cast<size_t>(first[static_cast<size_t>(i) + 1]);
    return {all.data() + begin, end - begin};
  }
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_STEP_GRAPH_H_
