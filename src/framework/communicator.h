// What a session needs of communication, one object a rank. comm/ implements it over a Transport; src/ sees this alone.
#ifndef DFRUN_SRC_FRAMEWORK_COMMUNICATOR_H_
#define DFRUN_SRC_FRAMEWORK_COMMUNICATOR_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/status.h"
#include "src/framework/rendezvous.h"

namespace dfrun {

// A Rendezvous that serves one step after the other.
class StepRendezvous : public Rendezvous {
 public:
  // Before the first Send or Recv of a step, when every call of the step before has completed.
  virtual void StartStep(int64_t step_id) = 0;
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
  // True when every control message has left.
  virtual bool ControlFlushed() const = 0;
  // Messages of `peers` go to `handler` from now on; those of others are never received. Once.
  virtual void Listen(std::vector<int> peers, ControlHandler handler) = 0;

  // A rendezvous for the steps of what this rank runs of one graph. The communicator outlives it. Channels must be
  // below max_channels().
  virtual std::unique_ptr<StepRendezvous> NewRendezvous() = 0;
  virtual int32_t max_channels() const = 0;

  // Moves messages and runs callbacks; true if anything happened. One thread at a time drives; another that calls
  // meanwhile gets false at once.
  virtual bool Poll() = 0;
  // The first error that the network itself gave a control message; OK while there is none.
  virtual Status network_status() const = 0;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_COMMUNICATOR_H_
