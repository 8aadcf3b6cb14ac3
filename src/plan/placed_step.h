// Simulates a step whose tasks have devices, and again after some of them have moved.
#ifndef DFRUN_SRC_PLAN_PLACED_STEP_H_
#define DFRUN_SRC_PLAN_PLACED_STEP_H_

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "src/plan/shared_port.h"
#include "src/plan/step_graph.h"

namespace dfrun {

// The messages of a step over links between devices that are as far apart as this.
struct PlacedLinkUse {
  int64_t messages = 0;
  double bytes = 0;
  bool operator==(const PlacedLinkUse&) const = default;
};

// A step as it runs. Times are in seconds.
struct PlacedRun {
  double seconds = 0;
  std::vector<double> busy_s;      // by device
  std::vector<double> peak_bytes;  // by device: values and state at a time, at most
  std::array<PlacedLinkUse, kPairClasses.size()> links = {};
  // The chain of tasks that leads to the end, from the first on: each begins when the one before it has ended, or its
  // message is there.
  std::vector<int> path;
  double path_tasks_s = 0;
  double path_messages_s = 0;
};

// Runs the step as the executor does. A device does the task that has been ready for longest. The end of a task makes
// those ready that wait for it there, and then its Sends, one for each output and device elsewhere, which wait for the
// device like tasks. A rank has a port for what it sends to other hosts, one for what it gets from them, and one
// between its own devices; the messages that pass a port at a time share it (shared_port.h). A message begins to enter
// the port of the rank that gets it one latency after it has begun to leave. A message that has come takes `receive_s`
// of the device that gets it, before its next task, and between processes of a host the time of the copy, for which
// there is no port.
//
// Tasks that wait for each other in a circle, and those behind them, are left out.
//
// After a move the simulation goes on from a snapshot of an earlier run, the last before anything differs. The result
// is that of a whole run.
//
// Lifetime: the graph must outlive it. Thread safety: one thread.
class PlacedStep {
 public:
  // `device_of`: by task.
  PlacedStep(const StepGraph& graph, std::vector<int> device_of);

  const std::vector<int>& device_of() const { return device_of_; }
  double seconds() const { return kept_.now; }
  // Bytes beyond the limits of the devices, over all of them.
  double excess_bytes() const { return ExcessOf(kept_); }
  PlacedRun Describe() const;
  // Seconds since the step's begin at which the task ends.
  double EndOf(int task) const { return kept_.end_s[Index(task)]; }
  // And at which all that it waits for is there.
  double ReadyOf(int task) const { return kept_.ready_s[Index(task)]; }

  // Tells how long the step takes with each task of `tasks` on its device of `devices`. Accept() or Reject() follows.
  // A run that takes longer than `give_up_s` is left, and then said to take forever.
  struct Tried {
    double seconds = 0;
    double excess_bytes = 0;
  };
  Tried Try(std::span<const int> tasks, std::span<const int> devices, double give_up_s = StepGraph::kNever);
  void Accept();
  void Reject();

 private:
  static constexpr int kNone = -1;
  static constexpr int kSnapshots = 12;

  // Events are of the end of a task or of a Send (from num_tasks() on), of a transfer that begins to enter a port or
  // that has passed one, or of a port that a transfer leaves.
  enum class EventKind { kEnd, kEnters, kPassed, kPort };
  // Events of one time come in the order in which they were made, by which they are numbered.
  using Event = std::tuple<double, int64_t, EventKind, int>;

  struct Transfer {
    int output = 0;
    int device = 0;  // to which it goes
    int next = -1;   // the next of the same output
    int left = 0;    // readers that have not ended
    int ports = 0;   // how many it has not passed
  };

  // All that changes as the step runs.
  struct State {
    double now = 0;
    int64_t made = 0;           // events so far
    int64_t handled = 0;        // events that are over
    std::vector<Event> events;  // a heap
    std::vector<int> waits;     // by task
    std::vector<int> left;      // by output: readers, transfers and views that still need it
    std::vector<double> ready_s;
    std::vector<double> end_s;
    std::vector<int> cause;         // by task: what it came behind last
    std::vector<double> message_s;  // by task: time of the message from its cause
    std::vector<int> next;          // by item: the one behind it in the queue of its device
    std::vector<int> head;          // by device
    std::vector<int> tail;
    std::vector<int> running;
    std::vector<int> last;
    std::vector<double> debt_s;
    std::vector<double> busy_s;
    std::vector<double> live_bytes;
    std::vector<double> peak_bytes;
    std::vector<SharedPort> ports;    // kPorts of each rank
    std::vector<int> first_transfer;  // by output
    std::vector<Transfer> transfers;
    std::vector<double> sent_s;  // by transfer
  };

  // Ports of a rank.
  enum Port { kLeaving, kOwnDevices, kEntering, kPorts };

  static size_t Index(int i) { return static_cast<size_t>(i); }
  int DeviceOf(int task) const { return device_of_[Index(task)]; }
  bool IsTask(int item) const { return item < graph_.num_tasks(); }
  PairClass PairOf(const Transfer& transfer) const;
  double CopyTime(const Transfer& transfer) const;
  double Latency(const Transfer& transfer) const;
  bool Crosses(int output, int reader) const;

  void Begin(State& state) const;
  bool Run(State& state, double give_up_s, std::array<State, kSnapshots>& snapshots, int next_snapshot) const;
  void Push(State& state, int device, int item) const;
  void StartNext(State& state, int device) const;
  void EndItem(State& state, int item) const;
  void EndTask(State& state, int task) const;
  void Deliver(State& state, int output) const;
  void AddTransfer(State& state, int output, int device) const;
  int64_t At(State& state, double time_s, EventKind kind, int of) const;
  void Leave(State& state, int transfer) const;
  void EnterPort(State& state, int device, Port port, int transfer) const;
  void AwaitPort(State& state, int port) const;
  void LeavePort(State& state, int port, int64_t event) const;
  void Pass(State& state, int transfer) const;
  void Arrive(State& state, int transfer) const;
  void Ready(State& state, int task, int cause, double message_s) const;
  void Hold(State& state, int device, double bytes) const;
  void Release(State& state, int output, int device) const;
  void ReleaseInputs(State& state, int task) const;
  double ExcessOf(const State& state) const;
  int LastTask() const;
  void TakeSnapshots();
  double ReadyWithoutLocal(int task) const;
  // The time before which nothing differs when a task moves.
  double FirstChange(int task) const;
  // Corrects the waits of a state in which none of the tasks has begun, for their new devices.
  void CorrectWaits(State& state, std::span<const int> tasks, std::span<const int> before) const;

  const StepGraph& graph_;
  std::vector<int> device_of_;
  State kept_;   // at the end of the run that counts
  State tried_;  // at the end of the run that is tried
  std::array<State, kSnapshots> snapshots_;
  std::array<State, kSnapshots> tried_snapshots_;
  int64_t stride_ = 0;  // events between snapshots; 0: there are none yet
  int from_ = 0;        // the snapshot from which the run was tried; kNone: from the begin
  std::vector<int> moved_;
  std::vector<int> moved_from_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_PLACED_STEP_H_
