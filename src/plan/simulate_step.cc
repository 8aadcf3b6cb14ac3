#include "src/plan/simulate_step.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

namespace dfrun {
namespace {

constexpr int kNone = -1;

class StepSimulation {
 public:
  explicit StepSimulation(const StepTasks& step)
      : step_(step),
        waits_(step.tasks.size(), 0),
        cause_(step.tasks.size(), kNone),
        message_to_(step.tasks.size(), 0),
        messages_of_(step.tasks.size()),
        sent_s_(step.messages.size(), 0),
        ready_(static_cast<size_t>(step.devices)),
        is_busy_(static_cast<size_t>(step.devices), false),
        last_of_(static_cast<size_t>(step.devices), kNone),
        receive_s_(static_cast<size_t>(step.devices), 0),
        port_free_(static_cast<size_t>(step.ports), 0) {
    made_.busy_s.resize(static_cast<size_t>(step.devices));
    made_.port_busy_s.resize(static_cast<size_t>(step.ports));
    for (const std::vector<int>& readers : step.readers) {
      for (const int reader : readers) ++waits_[reader];
    }
    for (size_t i = 0; i < step.messages.size(); ++i) {
      ++waits_[step.messages[i].to];
      messages_of_[step.messages[i].from].push_back(static_cast<int>(i));
    }
  }

  SimulatedStep Run() {
    for (int task = 0; task < num_tasks(); ++task) {
      if (waits_[task] == 0) MakeReady(task, 0);
    }
    for (int device = 0; device < step_.devices; ++device) Begin(device, 0);
    while (!events_.empty()) {
      const auto [time, order, id] = events_.top();
      events_.pop();
      if (id >= 0) {
        End(id, time);
      } else {
        Arrive(step_.messages[~id], time);
      }
    }
    made_.is_whole = ended_ == num_tasks();
    TracePath();
    return std::move(made_);
  }

 private:
  // Time, then the order in which it was made; the task that ends, or ~ the message that is there.
  using Event = std::tuple<double, int64_t, int>;
  using Ready = std::pair<double, int>;  // since when, and the task
  template <class T>
  using Earliest = std::priority_queue<T, std::vector<T>, std::greater<>>;

  int num_tasks() const { return static_cast<int>(step_.tasks.size()); }
  void At(double time, int id) { events_.emplace(time, ++made_events_, id); }
  void MakeReady(int task, double time) { ready_[step_.tasks[task].device].emplace(time, task); }

  // Begins the next task of a device that has none.
  void Begin(int device, double time) {
    if (is_busy_[device] || ready_[device].empty()) return;
    const auto [since, task] = ready_[device].top();
    ready_[device].pop();
    // A task that has been ready before waited for the device alone.
    if (since < time) {
      cause_[task] = last_of_[device];
      message_to_[task] = 0;
    }
    is_busy_[device] = true;
    last_of_[device] = task;
    const double takes_s = step_.tasks[task].seconds + std::exchange(receive_s_[device], 0);
    made_.busy_s[device] += takes_s;
    At(time + takes_s, task);
  }

  void End(int task, double time) {
    ++ended_;
    if (time >= made_.seconds) {
      made_.seconds = time;
      last_ = task;
    }
    const int device = step_.tasks[task].device;
    is_busy_[device] = false;
    for (const int message : messages_of_[task]) Send(message, time);
    for (const int reader : step_.readers[task]) {
      if (--waits_[reader] > 0) continue;
      cause_[reader] = task;
      MakeReady(reader, time);
    }
    Begin(device, time);
  }

  void Send(int id, double time) {
    const StepMessage& message = step_.messages[id];
    double& free = port_free_[message.port];
    free = std::max(free, time) + message.port_s;
    made_.port_busy_s[message.port] += message.port_s;
    sent_s_[id] = time;
    At(free + message.latency_s, ~id);
  }

  void Arrive(const StepMessage& message, double time) {
    const int task = message.to;
    receive_s_[step_.tasks[task].device] += message.receive_s;
    if (--waits_[task] > 0) return;
    cause_[task] = message.from;
    message_to_[task] = time - sent_s_[&message - step_.messages.data()];
    MakeReady(task, time);
    Begin(step_.tasks[task].device, time);
  }

  void TracePath() {
    for (int task = last_; task != kNone; task = cause_[task]) {
      made_.path.push_back(task);
      made_.path_tasks_s += step_.tasks[task].seconds;
      made_.path_messages_s += message_to_[task];
    }
    std::reverse(made_.path.begin(), made_.path.end());
  }

  const StepTasks& step_;
  std::vector<int> waits_;                     // by task: how many tasks and messages it waits for
  std::vector<int> cause_;                     // by task: what it came behind last
  std::vector<double> message_to_;             // by task: time of the message from its cause
  std::vector<std::vector<int>> messages_of_;  // by task: those that it sends
  std::vector<double> sent_s_;                 // by message
  std::vector<Earliest<Ready>> ready_;         // by device
  std::vector<bool> is_busy_;
  std::vector<int> last_of_;
  std::vector<double> receive_s_;  // by device: what it has to do for messages that came, before its next task
  std::vector<double> port_free_;
  Earliest<Event> events_;
  int64_t made_events_ = 0;
  int ended_ = 0;
  int last_ = kNone;
  SimulatedStep made_;
};

}  // namespace

SimulatedStep SimulateStep(const StepTasks& step) {
  return StepSimulation(step).Run();
}

}  // namespace dfrun
