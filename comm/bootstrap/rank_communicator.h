// The Communicator of a rank: a rendezvous over one transport, control messages over another.
#ifndef DFRUN_COMM_BOOTSTRAP_RANK_COMMUNICATOR_H_
#define DFRUN_COMM_BOOTSTRAP_RANK_COMMUNICATOR_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "comm/control/control_link.h"
#include "comm/network_memory.h"
#include "comm/transport.h"
#include "src/framework/communication/communicator.h"

namespace dfrun::comm {

class RankCommunicator final : public Communicator {
 public:
  // Both transports must connect the same ranks, and their messages must never mix.
  RankCommunicator(std::unique_ptr<Transport> tensors, std::unique_ptr<Transport> control);

  std::string_view transport() const override { return tensors_->name(); }
  int rank() const override { return tensors_->rank(); }
  int size() const override { return tensors_->size(); }
  void SendControl(int to, std::string message) override { control_.Send(to, std::move(message)); }
  bool ControlFlushed() const override { return control_.Flushed(); }
  void Listen(std::vector<int> peers, ControlHandler handler) override { control_.Listen(peers, std::move(handler)); }
  Allocator* network_memory() override { return memory_.get(); }
  std::unique_ptr<StepRendezvous> NewRendezvous(int32_t slot, std::span<const ChannelEndpoint> ends) override;
  int32_t max_channels() const override { return tensors_->max_channels(); }
  int32_t max_slots() const override { return tensors_->max_slots(); }
  // Polls for tensors each time. Control messages are polled for each time while no tensor is awaited. Otherwise they
  // are polled for once in kPollsPerControl polls, or once in kBusyPollsPerControl polls while tensors arrive, because
  // each control poll delays the awaited tensor.
  bool Poll() override {
    const bool tensors = tensors_->Poll();
    const uint32_t polls = polls_.load(std::memory_order_relaxed) + 1;
    polls_.store(polls, std::memory_order_relaxed);
    if (!tensors && tensors_->is_idle()) return control_.Poll();
    if (polls % (tensors ? kBusyPollsPerControl : kPollsPerControl) != 0) return tensors;
    return control_.Poll() || tensors;
  }
  std::vector<int> wake_descriptors() const override;
  bool ArmWake() override;
  void Trace(TraceSink* sink) override { tensors_->Trace(sink); }
  Status network_status() const override { return control_.status(); }

 private:
  static constexpr uint32_t kPollsPerControl = 4;
  static constexpr uint32_t kBusyPollsPerControl = 64;

  // Memory that the transport needs for its messages; null if the transport takes any memory. Declared before
  // `tensors_` because peers may read from it until the transport is destroyed.
  const std::unique_ptr<NetworkMemory> memory_;
  const std::unique_ptr<Transport> tensors_;
  ControlLink control_;
  std::atomic<uint32_t> polls_{0};  // a lower bound: two polls at once may count as one
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_RANK_COMMUNICATOR_H_
