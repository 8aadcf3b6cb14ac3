#include "src/plan/placed_step.h"

#include <algorithm>
#include <functional>

namespace dfrun {
namespace {

// Between processes of a host the one that gets a value copies it.
bool ReceiverCopies(PairClass pair) {
  return pair == PairClass::kSameHost;
}

}  // namespace

PlacedStep::PlacedStep(const StepGraph& graph, std::vector<int> device_of)
    : graph_(graph), device_of_(std::move(device_of)) {
  Begin(kept_);
  Run(kept_, StepGraph::kNever, snapshots_, kSnapshots);
}

// Runs the step once more, of which now is known how many events it has.
void PlacedStep::TakeSnapshots() {
  stride_ = kept_.handled / kSnapshots + 1;
  Begin(kept_);
  Run(kept_, StepGraph::kNever, snapshots_, 0);
}

bool PlacedStep::Crosses(int output, int reader) const {
  return DeviceOf(graph_.outputs[Index(output)].task) != DeviceOf(reader);
}

// Sets the state in which the step begins.
void PlacedStep::Begin(State& state) const {
  const auto tasks = Index(graph_.num_tasks());
  const size_t devices = graph_.devices.size();
  state = State();
  state.waits.resize(tasks);
  state.left.assign(graph_.outputs.size(), 0);
  state.ready_s.assign(tasks, StepGraph::kNever);
  state.end_s.assign(tasks, StepGraph::kNever);
  state.cause.assign(tasks, kNone);
  state.message_s.assign(tasks, 0);
  state.next.assign(tasks, kNone);
  for (std::vector<int>* of_device : {&state.head, &state.tail, &state.running, &state.last})
    of_device->assign(devices, kNone);
  for (std::vector<double>* of_device : {&state.debt_s, &state.busy_s, &state.live_bytes, &state.peak_bytes})
    of_device->assign(devices, 0);
  state.ports.assign(kPorts * Index(graph_.num_ranks), {});
  state.first_transfer.assign(graph_.outputs.size(), kNone);
  for (int task = 0; task < graph_.num_tasks(); ++task) {
    for (const int input : graph_.InputsOf(task))
      state.waits[Index(task)] += graph_.outputs[Index(input)].is_local && Crosses(input, task) ? 0 : 1;
    Hold(state, DeviceOf(task), graph_.state_bytes[Index(task)]);
  }
  for (int task = 0; task < graph_.num_tasks(); ++task) {
    if (state.waits[Index(task)] == 0) Ready(state, task, kNone, 0);
  }
  for (size_t device = 0; device < devices; ++device) StartNext(state, static_cast<int>(device));
}

// Handles the events of a state to the last, and keeps the states that are due as snapshots. False: it took longer than
// `give_up_s`.
bool PlacedStep::Run(State& state, double give_up_s, std::array<State, kSnapshots>& snapshots,
                     int next_snapshot) const {
  while (!state.events.empty()) {
    if (next_snapshot < kSnapshots && state.handled >= next_snapshot * stride_)
      snapshots[Index(next_snapshot++)] = state;
    std::pop_heap(state.events.begin(), state.events.end(), std::greater<>());
    const auto [time, number, kind, of] = state.events.back();
    state.events.pop_back();
    state.now = time;
    if (time > give_up_s) return false;
    ++state.handled;
    switch (kind) {
      case EventKind::kEnd:
        EndItem(state, of);
        break;
      case EventKind::kEnters:
        EnterPort(state, state.transfers[Index(of)].device, kEntering, of);
        break;
      case EventKind::kPassed:
        Pass(state, of);
        break;
      case EventKind::kPort:
        LeavePort(state, of, number);
        break;
    }
  }
  // Later snapshots would be those of a run that took more events.
  for (; next_snapshot < kSnapshots; ++next_snapshot) snapshots[Index(next_snapshot)].now = StepGraph::kNever;
  return true;
}

// Returns the number of the event.
int64_t PlacedStep::At(State& state, double time_s, EventKind kind, int of) const {
  state.events.emplace_back(time_s, ++state.made, kind, of);
  std::push_heap(state.events.begin(), state.events.end(), std::greater<>());
  return state.made;
}

void PlacedStep::Push(State& state, int device, int item) const {
  int& tail = state.tail[Index(device)];
  (tail == kNone ? state.head[Index(device)] : state.next[Index(tail)]) = item;
  tail = item;
}

void PlacedStep::StartNext(State& state, int device) const {
  const size_t d = Index(device);
  const int item = state.head[d];
  if (item == kNone || state.running[d] != kNone) return;
  state.head[d] = state.next[Index(item)];
  if (state.head[d] == kNone) state.tail[d] = kNone;
  state.running[d] = item;
  double takes_s = graph_.send_s;
  if (IsTask(item)) {
    // A task that was ready before waited for the device alone.
    if (state.ready_s[Index(item)] < state.now) {
      state.cause[Index(item)] = state.last[d];
      state.message_s[Index(item)] = 0;
    }
    state.last[d] = item;
    takes_s = graph_.Seconds(item, device);
    for (int output = graph_.first_output[Index(item)]; output < graph_.first_output[Index(item) + 1]; ++output) {
      const StepOutput& of = graph_.outputs[Index(output)];
      Hold(state, device, of.held_bytes);
      if (of.holds != kNone && DeviceOf(graph_.outputs[Index(of.holds)].task) == device) ++state.left[Index(of.holds)];
    }
  }
  takes_s += std::exchange(state.debt_s[d], 0);
  state.busy_s[d] += takes_s;
  At(state, state.now + takes_s, EventKind::kEnd, item);
}

void PlacedStep::EndItem(State& state, int item) const {
  const int device =
      IsTask(item) ? DeviceOf(item)
                   : DeviceOf(graph_.outputs[Index(state.transfers[Index(item - graph_.num_tasks())].output)].task);
  state.running[Index(device)] = kNone;
  if (IsTask(item)) {
    EndTask(state, item);
  } else {
    Leave(state, item - graph_.num_tasks());
  }
  StartNext(state, device);
}

void PlacedStep::EndTask(State& state, int task) const {
  state.end_s[Index(task)] = state.now;
  const size_t first_sent = state.transfers.size();
  for (int output = graph_.first_output[Index(task)]; output < graph_.first_output[Index(task) + 1]; ++output)
    Deliver(state, output);
  for (size_t sent = first_sent; sent < state.transfers.size(); ++sent) {
    const auto transfer = static_cast<int>(sent);
    if (graph_.send_s > 0) {
      Push(state, DeviceOf(task), graph_.num_tasks() + transfer);
    } else {
      Leave(state, transfer);
    }
  }
  ReleaseInputs(state, task);
}

void PlacedStep::Deliver(State& state, int output) const {
  const StepOutput& of = graph_.outputs[Index(output)];
  const int device = DeviceOf(of.task);
  for (const int reader : graph_.ReadersOf(output)) {
    const int to = DeviceOf(reader);
    if (to == device) {
      ++state.left[Index(output)];
      if (--state.waits[Index(reader)] == 0) Ready(state, reader, of.task, 0);
    } else if (!of.is_local) {
      AddTransfer(state, output, to);
    }
  }
  if (state.left[Index(output)] > 0) return;
  state.left[Index(output)] = 1;
  Release(state, output, device);
}

// Adds a reader to the transfer of an output to a device.
void PlacedStep::AddTransfer(State& state, int output, int device) const {
  for (int t = state.first_transfer[Index(output)]; t != kNone; t = state.transfers[Index(t)].next) {
    if (state.transfers[Index(t)].device != device) continue;
    ++state.transfers[Index(t)].left;
    return;
  }
  const auto added = static_cast<int>(state.transfers.size());
  state.transfers.push_back({output, device, state.first_transfer[Index(output)], 1});
  state.first_transfer[Index(output)] = added;
  state.sent_s.push_back(state.now);
  state.next.push_back(kNone);
  ++state.left[Index(output)];
}

PairClass PlacedStep::PairOf(const Transfer& transfer) const {
  return graph_.PairOf(DeviceOf(graph_.outputs[Index(transfer.output)].task), transfer.device);
}

// The time of the messages of a transfer, one after the other, on a port that they have for themselves, or of their
// copy.
double PlacedStep::CopyTime(const Transfer& transfer) const {
  const StepOutput& value = graph_.outputs[Index(transfer.output)];
  return value.times * value.bytes / graph_.SpeedOf(PairOf(transfer)).bytes_per_s;
}

double PlacedStep::Latency(const Transfer& transfer) const {
  return graph_.outputs[Index(transfer.output)].times * graph_.SpeedOf(PairOf(transfer)).latency_s;
}

void PlacedStep::Leave(State& state, int transfer) const {
  Transfer& of = state.transfers[Index(transfer)];
  const PairClass pair = PairOf(of);
  const double latency_s = Latency(of);
  of.ports = pair == PairClass::kNetwork ? 2 : 1;
  if (ReceiverCopies(pair)) {
    At(state, state.now + latency_s, EventKind::kPassed, transfer);
    return;
  }
  const int from = DeviceOf(graph_.outputs[Index(of.output)].task);
  EnterPort(state, from, pair == PairClass::kNetwork ? kLeaving : kOwnDevices, transfer);
  if (pair == PairClass::kNetwork) At(state, state.now + latency_s, EventKind::kEnters, transfer);
}

void PlacedStep::EnterPort(State& state, int device, Port port, int transfer) const {
  const int of_rank = kPorts * graph_.devices[Index(device)].rank + port;
  state.ports[Index(of_rank)].Add(transfer, CopyTime(state.transfers[Index(transfer)]), state.now);
  AwaitPort(state, of_rank);
}

void PlacedStep::AwaitPort(State& state, int port) const {
  SharedPort& of = state.ports[Index(port)];
  if (!of.IsEmpty()) of.event = At(state, of.NextEnd(), EventKind::kPort, port);
}

// An event that is not the one that the port waits for comes too soon: messages have been added since.
void PlacedStep::LeavePort(State& state, int port, int64_t event) const {
  SharedPort& of = state.ports[Index(port)];
  if (of.event != event) return;
  const int transfer = of.TakeNext();
  AwaitPort(state, port);
  if (port % kPorts == kEntering) {
    Pass(state, transfer);
  } else {
    At(state, state.now + Latency(state.transfers[Index(transfer)]), EventKind::kPassed, transfer);
  }
}

void PlacedStep::Pass(State& state, int transfer) const {
  if (--state.transfers[Index(transfer)].ports == 0) Arrive(state, transfer);
}

void PlacedStep::Arrive(State& state, int transfer) const {
  const Transfer of = state.transfers[Index(transfer)];
  const StepOutput& value = graph_.outputs[Index(of.output)];
  Hold(state, of.device, value.held_bytes > 0 ? value.held_bytes : value.bytes);
  Release(state, of.output, DeviceOf(value.task));
  state.debt_s[Index(of.device)] += graph_.receive_s + (ReceiverCopies(PairOf(of)) ? CopyTime(of) : 0);
  const double message_s = state.now - state.sent_s[Index(transfer)];
  for (const int reader : graph_.ReadersOf(of.output)) {
    if (DeviceOf(reader) != of.device) continue;
    if (--state.waits[Index(reader)] == 0) Ready(state, reader, value.task, message_s);
  }
  StartNext(state, of.device);
}

void PlacedStep::Ready(State& state, int task, int cause, double message_s) const {
  state.ready_s[Index(task)] = state.now;
  state.cause[Index(task)] = cause;
  state.message_s[Index(task)] = message_s;
  Push(state, DeviceOf(task), task);
}

void PlacedStep::Hold(State& state, int device, double bytes) const {
  double& live = state.live_bytes[Index(device)];
  live += bytes;
  state.peak_bytes[Index(device)] = std::max(state.peak_bytes[Index(device)], live);
}

// Takes one of those away that need an output where it was made.
void PlacedStep::Release(State& state, int output, int device) const {
  for (int at = output; at != kNone && --state.left[Index(at)] == 0;) {
    const StepOutput& of = graph_.outputs[Index(at)];
    state.live_bytes[Index(device)] -= of.held_bytes;
    at = of.holds != kNone && DeviceOf(graph_.outputs[Index(of.holds)].task) == device ? of.holds : kNone;
  }
}

void PlacedStep::ReleaseInputs(State& state, int task) const {
  const int device = DeviceOf(task);
  for (const int input : graph_.InputsOf(task)) {
    const StepOutput& of = graph_.outputs[Index(input)];
    if (DeviceOf(of.task) == device) {
      Release(state, input, device);
      continue;
    }
    for (int t = state.first_transfer[Index(input)]; t != kNone; t = state.transfers[Index(t)].next) {
      Transfer& transfer = state.transfers[Index(t)];
      if (transfer.device != device || --transfer.left > 0) continue;
      state.live_bytes[Index(device)] -= of.held_bytes > 0 ? of.held_bytes : of.bytes;
    }
  }
}

double PlacedStep::ExcessOf(const State& state) const {
  double excess = 0;
  for (size_t d = 0; d < graph_.devices.size(); ++d) {
    const auto limit = static_cast<double>(graph_.devices[d].memory_bytes);
    if (limit > 0) excess += std::max(0.0, state.peak_bytes[d] - limit);
  }
  return excess;
}

// The time before which a task cannot be ready, whichever of its waits count on one device alone.
double PlacedStep::ReadyWithoutLocal(int task) const {
  double ready_s = 0;
  for (const int input : graph_.InputsOf(task)) {
    const StepOutput& of = graph_.outputs[Index(input)];
    if (!of.is_local) ready_s = std::max(ready_s, kept_.end_s[Index(of.task)]);
  }
  return std::min(ready_s, kept_.ready_s[Index(task)]);
}

double PlacedStep::FirstChange(int task) const {
  if (graph_.InputsOf(task).empty() || graph_.state_bytes[Index(task)] > 0) return 0;
  double first_s = ReadyWithoutLocal(task);
  for (const int input : graph_.InputsOf(task))
    first_s = std::min(first_s, kept_.end_s[Index(graph_.outputs[Index(input)].task)]);
  for (int output = graph_.first_output[Index(task)]; output < graph_.first_output[Index(task) + 1]; ++output) {
    if (!graph_.outputs[Index(output)].is_local) continue;
    for (const int reader : graph_.ReadersOf(output)) first_s = std::min(first_s, ReadyWithoutLocal(reader));
  }
  return first_s;
}

void PlacedStep::CorrectWaits(State& state, std::span<const int> tasks, std::span<const int> before) const {
  const auto was_on = [&](int task) {
    const auto found = std::find(tasks.begin(), tasks.end(), task);
    return found == tasks.end() ? DeviceOf(task) : before[static_cast<size_t>(found - tasks.begin())];
  };
  const auto correct = [&](int output, int reader) {
    const int task = graph_.outputs[Index(output)].task;
    const bool waited = was_on(task) == was_on(reader);
    const bool waits = DeviceOf(task) == DeviceOf(reader);
    state.waits[Index(reader)] += static_cast<int>(waits) - static_cast<int>(waited);
  };
  for (const int task : tasks) {
    for (const int input : graph_.InputsOf(task)) {
      if (graph_.outputs[Index(input)].is_local) correct(input, task);
    }
    for (int output = graph_.first_output[Index(task)]; output < graph_.first_output[Index(task) + 1]; ++output) {
      if (!graph_.outputs[Index(output)].is_local) continue;
      for (const int reader : graph_.ReadersOf(output)) {
        // One that moves too was corrected by its inputs.
        if (std::find(tasks.begin(), tasks.end(), reader) == tasks.end()) correct(output, reader);
      }
    }
  }
}

PlacedStep::Tried PlacedStep::Try(std::span<const int> tasks, std::span<const int> devices, double give_up_s) {
  if (stride_ == 0) TakeSnapshots();
  double first_s = StepGraph::kNever;
  for (const int task : tasks) first_s = std::min(first_s, FirstChange(task));
  moved_.assign(tasks.begin(), tasks.end());
  moved_from_.clear();
  for (size_t i = 0; i < tasks.size(); ++i)
    moved_from_.push_back(std::exchange(device_of_[Index(tasks[i])], devices[i]));
  from_ = kNone;
  for (int s = 0; s < kSnapshots && snapshots_[Index(s)].now < first_s; ++s) from_ = s;
  if (from_ == kNone) {
    Begin(tried_);
  } else {
    tried_ = snapshots_[Index(from_)];
    CorrectWaits(tried_, moved_, moved_from_);
  }
  if (!Run(tried_, give_up_s, tried_snapshots_, from_ + 1)) return {StepGraph::kNever, 0};
  return {tried_.now, ExcessOf(tried_)};
}

void PlacedStep::Accept() {
  std::swap(kept_, tried_);
  for (int s = 0; s <= from_; ++s) CorrectWaits(snapshots_[Index(s)], moved_, moved_from_);
  for (int s = from_ + 1; s < kSnapshots; ++s) std::swap(snapshots_[Index(s)], tried_snapshots_[Index(s)]);
}

void PlacedStep::Reject() {
  for (size_t i = moved_.size(); i-- > 0;) device_of_[Index(moved_[i])] = moved_from_[i];
}

// The task that ends last; kNone: there is none that ends.
int PlacedStep::LastTask() const {
  int last = kNone;
  for (int task = 0; task < graph_.num_tasks(); ++task) {
    const double end_s = EndOf(task);
    if (end_s < StepGraph::kNever && (last == kNone || end_s > EndOf(last))) last = task;
  }
  return last;
}

PlacedRun PlacedStep::Describe() const {
  PlacedRun run;
  run.seconds = kept_.now;
  run.busy_s = kept_.busy_s;
  run.peak_bytes = kept_.peak_bytes;
  for (const Transfer& transfer : kept_.transfers) {
    const StepOutput& of = graph_.outputs[Index(transfer.output)];
    PlacedLinkUse& use = run.links[static_cast<size_t>(PairOf(transfer))];
    use.messages += static_cast<int64_t>(of.times);
    use.bytes += of.times * of.bytes;
  }
  int task = LastTask();
  for (; task != kNone; task = kept_.cause[Index(task)]) {
    run.path.push_back(task);
    run.path_tasks_s += graph_.Seconds(task, DeviceOf(task));
    run.path_messages_s += kept_.message_s[Index(task)];
  }
  std::reverse(run.path.begin(), run.path.end());
  return run;
}

}  // namespace dfrun
