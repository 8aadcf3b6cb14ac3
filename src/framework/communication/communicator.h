// Communication between ranks, as a session needs it: one object a rank. comm/ implements it over a Transport; src/
// sees this interface alone.
#ifndef DFRUN_SRC_FRAMEWORK_COMMUNICATION_COMMUNICATOR_H_
#define DFRUN_SRC_FRAMEWORK_COMMUNICATION_COMMUNICATOR_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/status.h"
#include "src/framework/step/rendezvous.h"
#include "src/framework/step/trace_sink.h"
#include "src/framework/values/allocator.h"

namespace dfrun {

// A channel to or from another rank, as a rank's part of a graph has it.
struct ChannelEndpoint {
  int32_t channel = 0;
  int32_t peer = 0;
  bool is_send = false;
  bool in_loop = false;       // the channel carries a value an iteration, else one a step
  bool static_shape = false;  // see ChannelKey::static_shape
  size_t bytes = 0;           // size of a value of static shape
};

// The scope of an error of a step, where there are several ranks.
enum class ErrorScope {
  kSession,  // all steps; no later one can be served
  kStep,     // one step alone
};

// A Rendezvous of one slot: it serves one step after the other. Steps in flight at the same time have different slots.
class StepRendezvous : public Rendezvous {
 public:
  // Begins a step in this slot. Call before the first Send or Recv of a step, when every call of the step before has
  // completed, with the same scope on all ranks.
  virtual void StartStep(ErrorScope scope) = 0;
  // Ends a step of scope kStep that fails somewhere. Call it on every rank, once, also where the rank's part has ended:
  // each channel carries the value that the step would have sent, or word that no value comes, so that the slot can be
  // used again. Later calls end with `status`, and so does a Recv for which no value comes; other pending calls end as
  // they would. `quiet` runs when nothing of the step comes to this rank any more, possibly before this returns.
  virtual void EndStep(const Status& status, Callback quiet) = 0;
};

// Thread safety: all methods from any thread, but Listen() before the first Poll().
class Communicator {
 public:
  // Runs inside Poll(), for one message of a sender at a time and in the order sent. It may call SendControl(); it must
  // not block.
  using ControlHandler = std::function<void(int from, std::string message)>;

  virtual ~Communicator() = default;

  // "self", "mpi".
  virtual std::string_view transport() const = 0;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // Control messages travel apart from tensors. Never blocks; the bytes leave in later Poll()s.
  virtual void SendControl(int to, std::string message) = 0;
  // Returns true when every control message has left.
  virtual bool ControlFlushed() const = 0;
  // Messages of `peers` go to `handler` from now on; those of others are never received. Once.
  virtual void Listen(std::vector<int> peers, ControlHandler handler) = 0;

  // Host memory that the transport moves best: values that ranks exchange are to lie in it. Null: any will do. It lives
  // as long as the communicator.
  virtual Allocator* network_memory() { return nullptr; }
  // Makes a rendezvous for the steps in this slot of this rank's part of one graph. `ends` are the part's channels to
  // other ranks; they and the communicator must outlive it. Channels must be below max_channels(), slots below
  // max_slots().
  virtual std::unique_ptr<StepRendezvous> NewRendezvous(int32_t slot, std::span<const ChannelEndpoint> ends) = 0;
  virtual int32_t max_channels() const = 0;
  virtual int32_t max_slots() const = 0;

  // Moves messages and runs callbacks; true if anything happened. One thread at a time drives; another that calls
  // meanwhile gets false at once.
  virtual bool Poll() = 0;
  // Descriptors for a thread that has nothing to do but wait: it calls ArmWake() and, if that is true, sleeps until one
  // of them is readable. False: there may be something to Poll() for now. Empty if the transport cannot sleep; the
  // caller then polls.
  virtual std::vector<int> wake_descriptors() const { return {}; }
  virtual bool ArmWake() { return false; }
  // Records messages with values in `sink` from now on; null: no longer. The sink must outlive all polling.
  virtual void Trace(TraceSink* sink) = 0;
  // The first error that the network itself gave a control message; OK while there is none.
  virtual Status network_status() const = 0;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_COMMUNICATION_COMMUNICATOR_H_
