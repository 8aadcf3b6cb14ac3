// The transport over UCX: a worker of its own, with an endpoint to each peer that it has exchanged messages with.
//
// A message goes under its tag. Of a large one that lies in memory of a NewRegion(), an offer goes instead where
// reading it is faster (ReadFrom): the receiver reads the memory, in pieces, and then sends a note that it has.
//
// Endpoints tell of lost peers. A rank says hello by a note when it makes an endpoint, and goodbye at its end, so that
// a peer that ends in order is not taken for lost.
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

// How receivers read messages themselves, by where the other rank is. The same on all ranks.
struct UcxReading {
  bool is_possible = false;                      // between any two ranks
  size_t same_host_from = Capabilities::kNever;  // messages of so many bytes and more
  size_t other_hosts_from = Capabilities::kNever;

  size_t least() const { return std::min(same_host_from, other_hosts_from); }
};

// Where a rank is, and how its worker is reached.
struct UcxAddress {
  std::string host;
  std::string worker;
};

class UcxTransport final : public DrivenTransport {
 public:
  static Result<std::unique_ptr<UcxTransport>> Create(std::shared_ptr<UcxContext> context, int rank, int size);
  // Takes a second at most, whatever the peers do.
  ~UcxTransport() override;
  UcxTransport(const UcxTransport&) = delete;
  UcxTransport& operator=(const UcxTransport&) = delete;

  // By which the others reach this one.
  Result<std::string> WorkerAddress() const;
  // Before the first message: those of all ranks, and the mark of this run's offers.
  void SetPeers(const std::vector<UcxAddress>& addresses, const UcxOffer::Mark& mark);
  // While no message is under way.
  void SetReading(const UcxReading& reading) { reading_rule_ = reading; }
  // The lanes of the endpoint to a peer, which is made where there is none.
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
    size_t index = 0;         // in in_flight_
    void* request = nullptr;  // UCX's; null while UCX has none of it
    bool is_posting = false;  // its receive is being given to UCX, which may end it at once
    Status ending = {};       // it ends with this, whatever UCX says: of an abort, or of a lost peer
    bool is_offered = false;  // it ends by the receiver's note
    bool has_ended = false;   // its callback has been given away, but UCX still holds it
    // Of a message that is read, here or there.
    uint64_t number = 0;  // of the offer; 0: it is a Get
    uint64_t address = 0;
    ucp_rkey_h key = nullptr;
    size_t bytes_read = 0;
    size_t piece_bytes = 0;
    char buffer[UcxOffer::kMostBytes];  // an offer, or a message that may be one
  };
  struct Peer {
    UcxTransport* transport = nullptr;
    int rank = 0;
    UcxAddress address = {};
    ucp_ep_h endpoint = nullptr;
    bool has_left = false;   // in order
    bool is_broken = false;  // its endpoint
    Status lost = {};
    std::unordered_map<uint64_t, ucp_rkey_h> keys = {};  // by the number of the Region
  };
  struct Note {
    UcxTransport* transport = nullptr;
    UcxNote content = {};
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
  // What a call ends with of which UCX says this.
  Status Outcome(const Started& call, ucs_status_t status) const;

  Peer& PeerOf(const Call& call) { return peers_[static_cast<size_t>(call.peer)]; }
  Status EndpointTo(Peer& peer);
  Status MakeEndpoint(Peer& peer);
  size_t ReadFrom(const Peer& peer) const;
  bool MayBeOffer(const Call& call) const;

  void StartSend(const Call& call);
  bool StartOffer(const Call& call, const Peer& peer);
  void StartRecv(const Call& call);
  void StartGet(const Call& call);
  void Sent(Started* call, ucs_status_t status);
  void Received(Started* call, ucs_status_t status, size_t bytes);
  void TakeOffer(Started* call, const void* message, size_t bytes);
  Status FindKey(Peer& peer, const UcxKey& key, std::string_view bytes, ucp_rkey_h* found);
  void ReadPiece(Started* call);
  void PieceRead(Started* call, ucs_status_t status);
  void EndReading(Started* call, Status status);
  void ContinueReading();

  void SendNote(const Peer& peer, UcxNote::Kind kind, uint64_t number);
  void GotNote(const UcxNote& note);
  void OfferTaken(uint64_t number);
  void DropOffer(Started* call);

  void GreetBack();
  void EndOfLostPeers();
  void EndOf(Peer& peer);
  void EndStarted(Started* call, const Status& status);
  void EndOverdue();

  // False: that has not come to pass in the time.
  bool ProgressUntil(FunctionRef<bool()> done, Clock::duration longest);
  void AwaitAndFree(const std::vector<ucs_status_ptr_t>& requests, Clock::duration longest);
  // False: not all of them in time.
  bool SayGoodbye();
  void Flush();
  // How many there were.
  size_t DropUnexpected();
  void CloseEndpoints();
  bool MayDestroyWorker() const;

  static void OnSent(void* request, ucs_status_t status, void* call);
  static void OnReceived(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info, void* call);
  static void OnRead(void* request, ucs_status_t status, void* call);
  static void OnNoteSent(void* request, ucs_status_t status, void* note);
  static ucs_status_t OnNote(void* transport, const void* header, size_t header_bytes, void* data, size_t bytes,
                             const ucp_am_recv_param_t* param);
  static void OnLost(void* peer, ucp_ep_h endpoint, ucs_status_t status);

  // So many bytes are read before others are looked for: no poll takes longer than a copy of them.
  static constexpr size_t kPieceBytes = size_t{4} << 20;
  // UCX moves a part of a large message whenever it is called.
  static constexpr size_t kLargeBytes = size_t{64} << 10;
  static constexpr int kLooksForLarge = 16;
  static constexpr size_t kMostKeys = 1024;  // of a peer
  static constexpr std::chrono::milliseconds kEndTime{1000};

  const std::shared_ptr<UcxContext> context_;
  const ucp_worker_h worker_;
  const int rank_;
  int wake_descriptor_ = -1;
  UcxOffer::Mark mark_ = {};
  UcxReading reading_rule_;

  // These belong to the driver.
  std::vector<Peer> peers_;
  Completions* completed_ = nullptr;  // of this drive
  bool any_ended_ = false;            // in this drive
  std::deque<Started> calls_;
  std::vector<Started*> free_calls_;
  std::vector<Started*> in_flight_;
  int large_ = 0;                    // of them, of kLargeBytes and more
  std::vector<Started*> reading_;    // with a piece to read next
  std::vector<Started*> continued_;  // only while those are
  std::vector<Started*> offers_;     // by the low bits of their numbers; null: free
  std::vector<size_t> free_offers_;
  uint64_t offers_made_ = 0;
  std::deque<Note> notes_;
  std::vector<Note*> free_notes_;
  bool is_in_order_ = true;                                  // no rank leaves anything with UCX at its end
  std::vector<Peer*> greeted_;                               // those that said hello
  std::vector<std::pair<Peer*, ucs_status_t>> lost_;         // those of which UCX has told
  std::vector<ucs_status_ptr_t> closing_;                    // endpoints
  Clock::time_point overdue_at_ = Clock::time_point::max();  // for receives that an abort left with UCX
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_UCX_PART_UCX_TRANSPORT_H_
