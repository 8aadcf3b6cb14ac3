// The transport over UCX: a worker of its own, with an endpoint to each peer that it has exchanged messages with.
//
// A message is sent under its tag. Large messages from memory of a NewRegion() use rendezvous where that is faster
// (ReadFrom): an RTS, a get of the memory by the receiver in pieces, then an ATS.
//
// Endpoints report lost peers. A rank sends a hello when it makes an endpoint, and a goodbye when its transport ends,
// so that a peer that ends in order is not taken for lost.
#ifndef DFRUN_COMM_UCX_PART_UCX_TRANSPORT_H_
#define DFRUN_COMM_UCX_PART_UCX_TRANSPORT_H_

#include <ucp/api/ucp.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "comm/driven_transport.h"
#include "comm/tag_layout.h"
#include "comm/ucx/part/ucx_context.h"
#include "comm/ucx/part/ucx_key.h"
#include "comm/ucx/part/ucx_message.h"
#include "src/base/threads.h"

namespace dfrun::comm {

// The rendezvous thresholds, by whether the two ranks share a host. They are the same on all ranks.
struct RndvThreshold {
  bool is_possible = false;                      // receivers can read the memory of any rank
  size_t same_host_from = Capabilities::kNever;  // threshold in bytes
  size_t other_hosts_from = Capabilities::kNever;

  size_t least() const { return std::min(same_host_from, other_hosts_from); }
};

// The host of a rank and the address of its worker.
struct UcxAddress {
  std::string host;
  std::string worker;
};

class UcxTransport final : public DrivenTransport {
 public:
  static Result<std::unique_ptr<UcxTransport>> Create(std::shared_ptr<UcxContext> context, int rank, int size);
  // Blocks: for a second at most, whatever the peers do.
  ~UcxTransport() override;
  UcxTransport(const UcxTransport&) = delete;
  UcxTransport& operator=(const UcxTransport&) = delete;

  // Returns the address by which the other ranks reach this one.
  Result<std::string> WorkerAddress() const;
  // Sets the addresses of all ranks and the mark of this run's RTS messages. Called before the first message.
  void SetPeers(const std::vector<UcxAddress>& addresses, const UcxRts::Mark& mark);
  // Sets the thresholds. Called while no message is in flight.
  void SetReading(const RndvThreshold& reading) { reading_rule_ = reading; }
  // Returns the lanes of the endpoint to a peer; makes the endpoint if there is none.
  Result<std::string> LanesTo(int peer);

  std::string_view name() const override { return "ucx"; }
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(peers_.size()); }
  int32_t max_channels() const override { return kTags.max_channels(); }
  int32_t max_slots() const override { return kTags.max_slots(); }
  Capabilities capabilities() const override;
  Result<Region> Register(void* data, size_t bytes) override;
  Result<Region> NewRegion(size_t bytes) override;
  int wake_descriptor() const override { return wake_descriptor_; }

 private:
  static constexpr TagLayout kTags{UINT32_MAX};

  // A call that has been started.
  struct Started : Call {
    UcxTransport* transport = nullptr;
    size_t index = 0;         // index in in_flight_
    void* request = nullptr;  // UCX's request; null while UCX has none
    bool is_posting = false;  // a receive is being posted, which UCX may end at once
    Status ending = {};       // status that overrides UCX's: that of an abort or a lost peer
    bool has_rts = false;     // a Send that ends by the receiver's ATS
    bool has_ended = false;   // its callback has been completed, but UCX still holds its request
    // These belong to a rendezvous or a Get.
    uint64_t number = 0;  // number of the RTS; 0: the call is a Get
    uint64_t address = 0;
    ucp_rkey_h key = nullptr;
    size_t bytes_read = 0;
    size_t piece_bytes = 0;
    char buffer[UcxRts::kMaxRtsBytes];  // an RTS, or a message that may be one
  };
  struct Peer {
    UcxTransport* transport = nullptr;
    int rank = 0;
    UcxAddress address = {};
    ucp_ep_h endpoint = nullptr;
    bool has_left = false;   // the peer has sent a goodbye
    bool is_broken = false;  // its endpoint has failed
    Status lost = {};
    std::unordered_map<uint64_t, ucp_rkey_h> keys = {};  // unpacked keys, by the number of the Region
  };
  struct Control {
    UcxTransport* transport = nullptr;
    UcxControl content = {};
  };
  using Clock = std::chrono::steady_clock;

  UcxTransport(std::shared_ptr<UcxContext> context, ucp_worker_h worker, int rank, int size);

  void Start(const Call& call, Completions* completed) override;
  bool Progress(Completions* completed) override;
  bool HasStarted() const override { return !in_flight_.empty(); }
  void EndAll(const Status& status, Completions* completed) override;
  bool Arm() override;

  Started* Take(const Call& call);
  void GiveBack(Started* call);
  void End(Started* call, Status status);
  // Returns the final status of a call for which UCX reports `status`.
  Status Outcome(const Started& call, ucs_status_t status) const;

  Peer& PeerOf(const Call& call) { return peers_[static_cast<size_t>(call.peer)]; }
  Status EndpointTo(Peer& peer);
  Status MakeEndpoint(Peer& peer);
  size_t ReadFrom(const Peer& peer) const;
  bool MayBeRts(const Call& call) const;

  void StartSend(const Call& call);
  bool SendRts(const Call& call, const Peer& peer);
  void StartRecv(const Call& call);
  void StartGet(const Call& call);
  void Sent(Started* call, ucs_status_t status);
  void Received(Started* call, ucs_status_t status, size_t bytes);
  void TakeRts(Started* call, const void* message, size_t bytes);
  Status FindKey(Peer& peer, const UcxKey& key, std::string_view bytes, ucp_rkey_h* found);
  void ReadPiece(Started* call);
  void PieceRead(Started* call, ucs_status_t status);
  void EndReading(Started* call, Status status);
  void ContinueReading();

  void SendControl(const Peer& peer, UcxControl::Kind kind, uint64_t number);
  void TakeControl(const UcxControl& note);
  void TakeAts(uint64_t number);
  void DropRts(Started* call);

  void GreetBack();
  void EndOfLostPeers();
  void EndOf(Peer& peer);
  void EndStarted(Started* call, const Status& status);
  void EndOverdue();

  // Progresses the worker until `done` returns true. Returns false if it does not within `longest`.
  bool ProgressUntil(FunctionRef<bool()> done, Clock::duration longest);
  void AwaitAndFree(const std::vector<ucs_status_ptr_t>& requests, Clock::duration longest);
  // Exchanges goodbyes with the peers. Returns false if not all have come in time.
  bool SayGoodbye();
  void Flush();
  // Returns the number of messages that it dropped.
  size_t DropUnexpected();
  void CloseEndpoints();
  bool MayDestroyWorker() const;

  static void OnSent(void* request, ucs_status_t status, void* call);
  static void OnReceived(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info, void* call);
  static void OnRead(void* request, ucs_status_t status, void* call);
  static void OnControlSent(void* request, ucs_status_t status, void* note);
  static ucs_status_t OnControl(void* transport, const void* header, size_t header_bytes, void* data, size_t bytes,
                                const ucp_am_recv_param_t* param);
  static void OnLost(void* peer, ucp_ep_h endpoint, ucs_status_t status);

  // Size of the pieces in which a large message is read, so that no poll takes longer than a copy of one piece.
  static constexpr size_t kPieceBytes = size_t{4} << 20;
  // UCX moves a part of a large message whenever it is called.
  static constexpr size_t kLargeBytes = size_t{64} << 10;
  static constexpr int kLooksForLarge = 16;
  static constexpr size_t kMaxKeys = 1024;  // kept per peer
  static constexpr std::chrono::milliseconds kEndTime{1000};

  const std::shared_ptr<UcxContext> context_;
  const ucp_worker_h worker_;
  const int rank_;
  int wake_descriptor_ = -1;
  UcxRts::Mark mark_ = {};
  RndvThreshold reading_rule_;

  // Guarded by driving: only the driver uses these.
  std::vector<Peer> peers_;
  Completions* completed_ = nullptr;  // completions of the current drive
  bool any_ended_ = false;            // a call has ended in the current drive
  std::deque<Started> calls_;
  std::vector<Started*> free_calls_;
  std::vector<Started*> in_flight_;
  int large_ = 0;                    // calls in flight of kLargeBytes and more
  std::vector<Started*> reading_;    // calls that have a piece to read next
  std::vector<Started*> continued_;  // scratch list for ContinueReading()
  std::vector<Started*> rts_;        // Sends that wait for an ATS, by the low bits of their numbers; null: free
  std::vector<size_t> free_rts_;
  uint64_t rts_made_ = 0;
  std::deque<Control> controls_;
  std::vector<Control*> free_controls_;
  bool is_in_order_ = true;                                  // no rank has left calls in UCX at its end
  std::vector<Peer*> greeted_;                               // peers that have sent a hello, not yet answered
  std::vector<std::pair<Peer*, ucs_status_t>> lost_;         // peers that UCX has reported lost, not yet handled
  std::vector<ucs_status_ptr_t> closing_;                    // requests that close endpoints
  Clock::time_point overdue_at_ = Clock::time_point::max();  // deadline of receives that an abort left in UCX
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_TRANSPORT_H_
