#include "comm/ucx/part/ucx_transport.h"

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "comm/ucx/part/ucx_lanes.h"
#include "comm/ucx/part/ucx_settings.h"
#include "comm/ucx/part/ucx_status.h"
#include "src/base/log.h"

namespace dfrun::comm {
namespace {

constexpr uint64_t kEveryBit = ~uint64_t{0};
constexpr int kRtsSlotBits = 24;
constexpr int kLastLooks = 1000;
constexpr unsigned kDestroysWorkers = 118;  // UCX 1.18

uint64_t TagOf(int sender, uint32_t tag) {
  return static_cast<uint64_t>(static_cast<uint32_t>(sender)) << 32 | tag;
}

ucp_request_param_t ParamOf(void* user_data) {
  ucp_request_param_t param = {};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  param.user_data = user_data;
  return param;
}

}  // namespace

UcxTransport::UcxTransport(std::shared_ptr<UcxContext> context, ucp_worker_h worker, int rank, int size)
    : context_(std::move(context)), worker_(worker), rank_(rank), peers_(static_cast<size_t>(size)) {}

Result<std::unique_ptr<UcxTransport>> UcxTransport::Create(std::shared_ptr<UcxContext> context, int rank, int size) {
  ucp_worker_params_t params = {};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_FLAGS;
  params.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  params.flags = UCP_WORKER_FLAG_IGNORE_REQUEST_LEAK;  // ignores the requests of Sends that an abort has ended
  ucp_worker_h worker = nullptr;
  DF_TRY(UcxStatus(ucp_worker_create(context->handle(), &params, &worker), "make a worker"));
  std::unique_ptr<UcxTransport> transport(new UcxTransport(std::move(context), worker, rank, size));
  ucp_am_handler_param_t handler = {};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = UcxControl::kId;
  handler.cb = &OnControl;
  handler.arg = transport.get();
  DF_TRY(UcxStatus(ucp_worker_set_am_recv_handler(worker, &handler), "take active messages"));
  DF_TRY(UcxStatus(ucp_worker_get_efd(worker, &transport->wake_descriptor_), "tell of events by a descriptor"));
  return transport;
}

Result<std::string> UcxTransport::WorkerAddress() const {
  ucp_address_t* address = nullptr;
  size_t bytes = 0;
  DF_TRY(UcxStatus(ucp_worker_get_address(worker_, &address, &bytes), "tell a worker's address"));
  std::string text(reinterpret_cast<const char*>(address), bytes);
  ucp_worker_release_address(worker_, address);
  return text;
}

void UcxTransport::SetPeers(const std::vector<UcxAddress>& addresses, const UcxRts::Mark& mark) {
  mark_ = mark;
  for (size_t r = 0; r < peers_.size(); ++r) {
    peers_[r].transport = this;
    peers_[r].rank = static_cast<int>(r);
    peers_[r].address = addresses[r];
  }
}

Result<std::string> UcxTransport::LanesTo(int peer) {
  DF_TRY(EndpointTo(peers_[static_cast<size_t>(peer)]));
  return LanesOf(peers_[static_cast<size_t>(peer)].endpoint);
}

Capabilities UcxTransport::capabilities() const {
  Capabilities capabilities;
  capabilities.remote_read = reading_rule_.is_possible;
  capabilities.registered_from = reading_rule_.least();
  return capabilities;
}

Result<Region> UcxTransport::Register(void* data, size_t bytes) {
  return context_->Register(data, bytes, reading_rule_.is_possible);
}

Result<Region> UcxTransport::NewRegion(size_t bytes) {
  return context_->NewRegion(bytes, reading_rule_.is_possible);
}

size_t UcxTransport::ReadFrom(const Peer& peer) const {
  const bool is_near = peer.address.host == peers_[static_cast<size_t>(rank_)].address.host;
  return is_near ? reading_rule_.same_host_from : reading_rule_.other_hosts_from;
}

// --- Calls and their completion ---

UcxTransport::Started* UcxTransport::Take(const Call& call) {
  if (free_calls_.empty()) {
    calls_.emplace_back();
    calls_.back().transport = this;
    free_calls_.push_back(&calls_.back());
  }
  Started* const started = free_calls_.back();
  free_calls_.pop_back();
  static_cast<Call&>(*started) = call;
  started->request = nullptr;
  started->ending = Status();
  started->has_rts = false;
  started->has_ended = false;
  started->number = 0;
  started->bytes_read = 0;
  started->index = in_flight_.size();
  in_flight_.push_back(started);
  large_ += call.bytes >= kLargeBytes ? 1 : 0;
  return started;
}

void UcxTransport::GiveBack(Started* call) {
  in_flight_.back()->index = call->index;
  in_flight_[call->index] = in_flight_.back();
  in_flight_.pop_back();
  large_ -= call->bytes >= kLargeBytes ? 1 : 0;
  free_calls_.push_back(call);
}

void UcxTransport::End(Started* call, Status status) {
  any_ended_ = true;
  if (!call->has_ended) Complete(*call, std::move(status), completed_);
  GiveBack(call);
}

Status UcxTransport::Outcome(const Started& call, ucs_status_t status) const {
  if (!call.ending.ok()) return call.ending;
  if (status == UCS_OK) return Status();
  const Peer& peer = peers_[static_cast<size_t>(call.peer)];
  if (!peer.lost.ok()) return peer.lost.Annotate(Describe(call));
  return Error(Code::kUnavailable, Describe(call), ": ", ucs_status_string(status));
}

void UcxTransport::Start(const Call& call, Completions* completed) {
  completed_ = completed;
  if (call.source != nullptr) {
    StartGet(call);
  } else if (call.is_send) {
    StartSend(call);
  } else {
    StartRecv(call);
  }
}

bool UcxTransport::Progress(Completions* completed) {
  completed_ = completed;
  any_ended_ = false;
  for (int looks = large_ > 0 ? kLooksForLarge : 1; looks > 0 && !any_ended_; --looks) {
    if (ucp_worker_progress(worker_) == 0 && reading_.empty()) break;
    if (!reading_.empty()) ContinueReading();
  }
  if (!greeted_.empty()) [[unlikely]]
    GreetBack();
  if (!lost_.empty()) [[unlikely]]
    EndOfLostPeers();
  if (overdue_at_ != Clock::time_point::max()) [[unlikely]]
    EndOverdue();
  return any_ended_;
}

bool UcxTransport::Arm() {
  return reading_.empty() && overdue_at_ == Clock::time_point::max() && ucp_worker_arm(worker_) == UCS_OK;
}

// --- Messages ---

void UcxTransport::StartSend(const Call& call) {
  Peer& peer = PeerOf(call);
  if (Status status = EndpointTo(peer); !status.ok())
    return Complete(call, status.Annotate(Describe(call)), completed_);
  if (call.bytes >= ReadFrom(peer) && SendRts(call, peer)) return;
  Started* const started = Take(call);
  ucp_request_param_t param = ParamOf(started);
  param.cb.send = &OnSent;
  const ucs_status_ptr_t request =
      ucp_tag_send_nbx(peer.endpoint, call.data, call.bytes, TagOf(rank_, kTags.Pack(call.tag)), &param);
  if (!UCS_PTR_IS_PTR(request)) return Sent(started, UCS_PTR_STATUS(request));
  started->request = request;
}

void UcxTransport::OnSent(void* request, ucs_status_t status, void* call) {
  auto* const started = static_cast<Started*>(call);
  started->transport->Sent(started, status);
  ucp_request_free(request);
}

void UcxTransport::Sent(Started* call, ucs_status_t status) {
  call->request = nullptr;
  if (call->has_rts && status == UCS_OK) return;  // the receiver's ATS will end the call
  if (call->has_rts) DropRts(call);
  End(call, Outcome(*call, status));
}

// Sends an RTS instead of the message. Returns false if the memory belongs to no Region; the message is then sent
// itself.
bool UcxTransport::SendRts(const Call& call, const Peer& peer) {
  size_t offset = 0;
  const std::string* const key = context_->FindKey(call.data, call.bytes, &offset);
  if (key == nullptr || sizeof(UcxRts) + key->size() > UcxRts::kMaxRtsBytes) return false;
  if (free_rts_.empty()) {
    free_rts_.push_back(rts_.size());
    rts_.push_back(nullptr);
  }
  Started* const started = Take(call);
  const size_t slot = free_rts_.back();
  free_rts_.pop_back();
  rts_[slot] = started;
  started->number = ++rts_made_ << kRtsSlotBits | slot;
  started->has_rts = true;
  const UcxRts rts = {mark_, started->number, offset, call.bytes};
  std::memcpy(started->buffer, &rts, sizeof rts);
  std::memcpy(started->buffer + sizeof rts, key->data(), key->size());
  ucp_request_param_t param = ParamOf(started);
  param.cb.send = &OnSent;
  const ucs_status_ptr_t request = ucp_tag_send_nbx(peer.endpoint, started->buffer, sizeof rts + key->size(),
                                                    TagOf(rank_, kTags.Pack(call.tag)), &param);
  if (UCS_PTR_IS_PTR(request)) {
    started->request = request;
  } else {
    Sent(started, UCS_PTR_STATUS(request));
  }
  return true;
}

void UcxTransport::TakeAts(uint64_t number) {
  const size_t slot = number & ((uint64_t{1} << kRtsSlotBits) - 1);
  // The call was aborted
  if (slot >= rts_.size() || rts_[slot] == nullptr || rts_[slot]->number != number) return;
  Started* const call = rts_[slot];
  DropRts(call);
  if (call->request == nullptr) End(call, Status());  // otherwise it ends when UCX has finished sending the RTS
}

// Frees the slot of an RTS, whose call no longer ends by an ATS.
void UcxTransport::DropRts(Started* call) {
  const size_t slot = call->number & ((uint64_t{1} << kRtsSlotBits) - 1);
  rts_[slot] = nullptr;
  free_rts_.push_back(slot);
  call->has_rts = false;
}

// Returns whether a receive that is smaller than an RTS needs a buffer that an RTS fits in. It does wherever RTS are
// used, since the sender's message may be larger than the receiver states.
bool UcxTransport::MayBeRts(const Call& call) const {
  return call.bytes < UcxRts::kMaxRtsBytes && reading_rule_.least() != Capabilities::kNever;
}

void UcxTransport::StartRecv(const Call& call) {
  Peer& peer = PeerOf(call);
  const Status status = EndpointTo(peer);  // reports a lost peer
  if (!status.ok() && !peer.has_left) return Complete(call, status.Annotate(Describe(call)), completed_);
  Started* const started = Take(call);
  const bool buffered = MayBeRts(call);
  // UCX 1.13 tells the size of a message that is received at once only through the callback.
  ucp_request_param_t param = ParamOf(started);
  param.op_attr_mask |= UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  param.cb.recv = &OnReceived;
  started->is_posting = true;
  const ucs_status_ptr_t request =
      ucp_tag_recv_nbx(worker_, buffered ? started->buffer : call.data, buffered ? sizeof started->buffer : call.bytes,
                       TagOf(call.peer, kTags.Pack(call.tag)), kEveryBit, &param);
  if (!UCS_PTR_IS_PTR(request)) return Received(started, UCS_PTR_STATUS(request), 0);
  if (std::exchange(started->is_posting, false)) started->request = request;
}

void UcxTransport::OnReceived(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info, void* call) {
  auto* const started = static_cast<Started*>(call);
  started->transport->Received(started, status, info->length);
  ucp_request_free(request);
}

void UcxTransport::Received(Started* call, ucs_status_t status, size_t bytes) {
  call->request = nullptr;
  call->is_posting = false;
  if (status == UCS_ERR_MESSAGE_TRUNCATED) return End(call, WrongSize(*call, std::nullopt));
  if (status != UCS_OK) return End(call, Outcome(*call, status));
  const bool buffered = MayBeRts(*call);
  const char* const message = buffered ? call->buffer : call->data;
  if (UcxRts::Is(message, bytes, mark_)) return TakeRts(call, message, bytes);
  if (bytes != call->bytes) return End(call, WrongSize(*call, bytes));
  if (buffered && bytes > 0) std::memcpy(call->data, message, bytes);
  End(call, Status());
}

// --- Reading a peer's memory ---

void UcxTransport::TakeRts(Started* call, const void* message, size_t bytes) {
  const UcxRts rts = UcxRts::Of(message);
  const std::string_view key_bytes = UcxRts::KeyIn(message, bytes);
  const std::optional<UcxKey> key = UcxKey::Of(key_bytes);
  call->number = rts.number;
  if (!call->ending.ok()) return EndReading(call, call->ending);
  if (rts.bytes != call->bytes) return EndReading(call, WrongSize(*call, rts.bytes));
  if (!key) return EndReading(call, Error(Code::kInternal, Describe(*call), ": the offer has no key"));
  if (Status status = FindKey(PeerOf(*call), *key, key_bytes, &call->key); !status.ok()) {
    return EndReading(call, status.Annotate(Describe(*call)));
  }
  call->address = key->address + rts.offset;
  ReadPiece(call);
}

void UcxTransport::StartGet(const Call& call) {
  Peer& peer = PeerOf(call);
  const std::optional<UcxKey> key = UcxKey::Of(call.source->key);
  if (!key) return Complete(call, InvalidArgument(Describe(call), ": this is no key"), completed_);
  if (call.source->offset > key->bytes || call.bytes > key->bytes - call.source->offset) {
    return Complete(call, Error(Code::kOutOfRange, Describe(call), ", which are ", key->bytes), completed_);
  }
  Started* const started = Take(call);
  Status status = EndpointTo(peer);
  if (status.ok()) status = FindKey(peer, *key, call.source->key, &started->key);
  if (!status.ok()) return End(started, status.Annotate(Describe(call)));
  started->address = key->address + call.source->offset;
  ReadPiece(started);
}

Status UcxTransport::FindKey(Peer& peer, const UcxKey& key, std::string_view bytes, ucp_rkey_h* found) {
  if (const auto it = peer.keys.find(key.number); it != peer.keys.end()) {
    *found = it->second;
    return Status();
  }
  const auto reads_of_peer = [&](const Started* call) { return call->peer == peer.rank && call->key != nullptr; };
  if (peer.keys.size() >= kMaxKeys && std::none_of(in_flight_.begin(), in_flight_.end(), reads_of_peer)) {
    for (const auto& [number, unpacked] : peer.keys) ucp_rkey_destroy(unpacked);
    peer.keys.clear();
  }
  if (peer.endpoint == nullptr) return Error(Code::kUnavailable, "rank ", peer.rank, " has ended its transport");
  DF_TRY(UcxStatus(ucp_ep_rkey_unpack(peer.endpoint, UcxKey::Packed(bytes), found), "take the key of memory"));
  peer.keys.emplace(key.number, *found);
  return Status();
}

void UcxTransport::ReadPiece(Started* call) {
  const ucp_ep_h endpoint = PeerOf(*call).endpoint;
  if (endpoint == nullptr) return EndReading(call, Outcome(*call, UCS_ERR_UNREACHABLE));
  call->piece_bytes = std::min(kPieceBytes, call->bytes - call->bytes_read);
  if (call->piece_bytes == 0) return PieceRead(call, UCS_OK);
  ucp_request_param_t param = ParamOf(call);
  param.cb.send = &OnRead;
  const ucs_status_ptr_t request = ucp_get_nbx(endpoint, call->data + call->bytes_read, call->piece_bytes,
                                               call->address + call->bytes_read, call->key, &param);
  if (!UCS_PTR_IS_PTR(request)) return PieceRead(call, UCS_PTR_STATUS(request));
  call->request = request;
}

void UcxTransport::OnRead(void* request, ucs_status_t status, void* call) {
  auto* const started = static_cast<Started*>(call);
  started->transport->PieceRead(started, status);
  ucp_request_free(request);
}

void UcxTransport::PieceRead(Started* call, ucs_status_t status) {
  call->request = nullptr;
  call->bytes_read += call->piece_bytes;
  const bool has_all = call->bytes_read == call->bytes;
  if (status != UCS_OK || has_all || !call->ending.ok()) return EndReading(call, Outcome(*call, status));
  reading_.push_back(call);
}

void UcxTransport::EndReading(Started* call, Status status) {
  const Peer& peer = PeerOf(*call);
  if (call->number != 0 && peer.endpoint != nullptr) SendControl(peer, UcxControl::kAts, call->number);
  call->key = nullptr;
  End(call, std::move(status));
}

void UcxTransport::ContinueReading() {
  continued_.swap(reading_);
  for (Started* call : continued_) ReadPiece(call);
  continued_.clear();
}

// --- Control messages ---

void UcxTransport::SendControl(const Peer& peer, UcxControl::Kind kind, uint64_t number) {
  if (free_controls_.empty()) {
    controls_.push_back({this, {}});
    free_controls_.push_back(&controls_.back());
  }
  Control* const note = free_controls_.back();
  free_controls_.pop_back();
  note->content = {kind, rank_, number};
  ucp_request_param_t param = ParamOf(note);
  param.cb.send = &OnControlSent;
  const ucs_status_ptr_t request =
      ucp_am_send_nbx(peer.endpoint, UcxControl::kId, &note->content, sizeof note->content, nullptr, 0, &param);
  // A control message that is not delivered was for a lost peer, which the endpoint reports.
  if (!UCS_PTR_IS_PTR(request)) free_controls_.push_back(note);
}

void UcxTransport::OnControlSent(void* request, ucs_status_t, void* note) {
  auto* const sent = static_cast<Control*>(note);
  sent->transport->free_controls_.push_back(sent);
  ucp_request_free(request);
}

ucs_status_t UcxTransport::OnControl(void* transport, const void* header, size_t header_bytes, void*, size_t,
                                     const ucp_am_recv_param_t*) {
  UcxControl note;
  if (header_bytes != sizeof note) return UCS_OK;
  std::memcpy(&note, header, sizeof note);
  static_cast<UcxTransport*>(transport)->TakeControl(note);
  return UCS_OK;
}

void UcxTransport::TakeControl(const UcxControl& note) {
  if (note.rank < 0 || note.rank >= size()) return;
  Peer& peer = peers_[static_cast<size_t>(note.rank)];
  switch (note.kind) {
    case UcxControl::kHello:
      greeted_.push_back(&peer);
      return;
    case UcxControl::kGoodbye:
      peer.has_left = true;
      is_in_order_ &= note.number == 0;
      return;
    case UcxControl::kAts:
      return TakeAts(note.number);
  }
}

// --- Endpoints and lost peers ---

Status UcxTransport::EndpointTo(Peer& peer) {
  if (peer.endpoint != nullptr) [[likely]]
    return Status();
  if (!peer.lost.ok()) return peer.lost;
  if (peer.has_left) return Error(Code::kUnavailable, "rank ", peer.rank, " has ended its transport");
  return MakeEndpoint(peer);
}

// Makes an endpoint. An endpoint to this rank itself cannot be lost and needs no error handler.
Status UcxTransport::MakeEndpoint(Peer& peer) {
  ucp_ep_params_t params = {};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
  params.address = reinterpret_cast<const ucp_address_t*>(peer.address.worker.data());
  if (peer.rank != rank_) {
    params.field_mask |= UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
    params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
    params.err_handler.cb = &OnLost;
    params.err_handler.arg = &peer;
  }
  const ucs_status_t made = ucp_ep_create(worker_, &params, &peer.endpoint);
  if (made != UCS_OK) {
    peer.endpoint = nullptr;
    return UcxStatusBySettings(made, StrCat("reach rank ", peer.rank, " on ", peer.address.host), context_->networks());
  }
  if (peer.rank != rank_) SendControl(peer, UcxControl::kHello, 0);
  return Status();
}

// Makes endpoints to the peers that have sent a hello, so that this rank can send them a goodbye when it ends. The
// endpoint cannot be made then, since the peer may have ended before.
void UcxTransport::GreetBack() {
  for (Peer* const peer : std::exchange(greeted_, {})) {
    if (Status status = EndpointTo(*peer); !status.ok() && !peer->has_left) {
      DF_LOG(kWarning) << "rank " << peer->rank << " may take this rank for lost when it ends: " << status.ToString();
    }
  }
}

void UcxTransport::OnLost(void* peer, ucp_ep_h, ucs_status_t status) {
  auto* const lost = static_cast<Peer*>(peer);
  lost->is_broken = true;
  lost->transport->lost_.emplace_back(lost, status);
}

void UcxTransport::EndOfLostPeers() {
  for (const auto& [peer, status] : std::exchange(lost_, {})) {
    if (!peer->has_left) {
      peer->lost = Error(Code::kUnavailable, "rank ", peer->rank, " on ", peer->address.host,
                         " is lost: ", ucs_status_string(status));
    }
    EndOf(*peer);
  }
}

// Closes the endpoint to a peer. UCX ends the calls that use the endpoint, but not the receives that wait for the peer;
// these end here if the peer is lost, and stay pending if it left in order.
void UcxTransport::EndOf(Peer& peer) {
  const ucp_ep_h endpoint = std::exchange(peer.endpoint, nullptr);
  if (endpoint != nullptr) {
    for (const auto& [number, key] : peer.keys) ucp_rkey_destroy(key);
    peer.keys.clear();
    ucp_request_param_t param = {};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = UCP_EP_CLOSE_FLAG_FORCE;
    const ucs_status_ptr_t request = ucp_ep_close_nbx(endpoint, &param);
    if (UCS_PTR_IS_PTR(request)) closing_.push_back(request);
  }
  if (peer.lost.ok()) return;
  for (Started* call : std::vector<Started*>(in_flight_)) {
    if (call->peer == peer.rank && !call->has_ended) EndStarted(call, peer.lost.Annotate(Describe(*call)));
  }
}

// Ends a call. If UCX still holds its request, UCX's callback frees the call.
void UcxTransport::EndStarted(Started* call, const Status& status) {
  call->ending = status;
  if (call->has_rts) DropRts(call);
  if (call->request == nullptr) {
    const auto next_piece = std::find(reading_.begin(), reading_.end(), call);
    if (next_piece != reading_.end()) reading_.erase(next_piece);
    return End(call, status);
  }
  if (call->is_send) {
    call->has_ended = true;
    any_ended_ = true;
    return Complete(*call, status, completed_);
  }
  const bool is_read = call->key != nullptr;
  if (!is_read) ucp_request_cancel(worker_, call->request);
}

void UcxTransport::EndAll(const Status& status, Completions* completed) {
  completed_ = completed;
  for (Started* call : std::vector<Started*>(in_flight_)) {
    if (!call->has_ended) EndStarted(call, status);
  }
  overdue_at_ = Clock::now() + kEndTime;
}

// Closes the endpoints of receives that an abort left in UCX. A receive whose message has begun to arrive cannot be
// cancelled, and a peer that has aborted sends no more of it; closing the endpoint ends the receive.
void UcxTransport::EndOverdue() {
  const auto is_waited_for = [](const Started* call) { return !call->has_ended; };
  if (std::none_of(in_flight_.begin(), in_flight_.end(), is_waited_for)) {
    overdue_at_ = Clock::time_point::max();
    return;
  }
  if (Clock::now() < overdue_at_) return;
  overdue_at_ = Clock::time_point::max();
  for (const Started* call : std::vector<Started*>(in_flight_)) {
    if (is_waited_for(call)) EndOf(PeerOf(*call));
  }
}

// --- Shutdown ---

bool UcxTransport::ProgressUntil(FunctionRef<bool()> done, Clock::duration longest) {
  const Clock::time_point deadline = Clock::now() + longest;
  while (!done()) {
    if (ucp_worker_progress(worker_) > 0) continue;
    if (Clock::now() > deadline) return false;
    sched_yield();
  }
  return true;
}

void UcxTransport::AwaitAndFree(const std::vector<ucs_status_ptr_t>& requests, Clock::duration longest) {
  const auto is_open = [](ucs_status_ptr_t request) { return ucp_request_check_status(request) == UCS_INPROGRESS; };
  ProgressUntil([&] { return std::none_of(requests.begin(), requests.end(), is_open); }, longest);
  for (const ucs_status_ptr_t request : requests) ucp_request_free(request);
}

// Sends a goodbye to each peer and waits for theirs: UCX 1.13 may end the process if a peer breaks a connection that
// this rank is still flushing.
bool UcxTransport::SayGoodbye() {
  const auto is_there = [&](const Peer& peer) {
    return peer.endpoint != nullptr && peer.rank != rank_ && !peer.is_broken;
  };
  for (const Peer& peer : peers_) {
    if (is_there(peer)) SendControl(peer, UcxControl::kGoodbye, in_flight_.size());
  }
  const auto has_not_left = [&](const Peer& peer) { return is_there(peer) && !peer.has_left; };
  const auto all_said = [&] {
    return free_controls_.size() == controls_.size() && std::none_of(peers_.begin(), peers_.end(), has_not_left);
  };
  return ProgressUntil(all_said, kEndTime / 4);
}

// Waits until sent messages have left this process.
void UcxTransport::Flush() {
  std::vector<ucs_status_ptr_t> flushes;
  for (const Peer& peer : peers_) {
    if (peer.endpoint == nullptr) continue;
    const ucp_request_param_t param = {};
    const ucs_status_ptr_t request = ucp_ep_flush_nbx(peer.endpoint, &param);
    if (UCS_PTR_IS_PTR(request)) flushes.push_back(request);
  }
  AwaitAndFree(flushes, kEndTime / 4);
}

void UcxTransport::CloseEndpoints() {
  for (Peer& peer : peers_) {
    for (const auto& [number, key] : peer.keys) ucp_rkey_destroy(key);
    if (peer.endpoint == nullptr) continue;
    ucp_request_param_t param = {};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    param.flags = peer.rank == rank_ ? 0 : UCP_EP_CLOSE_FLAG_FORCE;
    const ucs_status_ptr_t request = ucp_ep_close_nbx(peer.endpoint, &param);
    if (UCS_PTR_IS_PTR(request)) closing_.push_back(request);
  }
  AwaitAndFree(closing_, kEndTime / 4);
  for (int i = 0; i < kLastLooks && ucp_worker_progress(worker_) > 0; ++i) {
  }
}

// Drops messages that nobody received, since UCX keeps their memory and warns of each. Returns their number.
size_t UcxTransport::DropUnexpected() {
  size_t count = 0;
  std::vector<ucs_status_ptr_t> dropped;
  const ucp_request_param_t param = {};
  ucp_tag_recv_info_t info;
  while (ucp_tag_message_h message = ucp_tag_probe_nb(worker_, 0, 0, /*remove=*/1, &info)) {
    ++count;
    const ucs_status_ptr_t request = ucp_tag_msg_recv_nbx(worker_, nullptr, 0, message, &param);
    if (UCS_PTR_IS_PTR(request)) dropped.push_back(request);
  }
  AwaitAndFree(dropped, kEndTime / 4);
  return count;
}

// Returns whether the worker can be destroyed safely. UCX 1.13 may end the process while it destroys a worker whose TCP
// connections are not all made, or that has what an abort left, here or at a peer. UCX 1.22 does not if all ended in
// order.
bool UcxTransport::MayDestroyWorker() const {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  ucp_get_version(&major, &minor, &release);
  return is_in_order_ && major * 100 + minor >= kDestroysWorkers;
}

UcxTransport::~UcxTransport() {
  Completions none;  // no call is pending except Sends that an abort has ended
  completed_ = &none;
  if (in_flight_.empty()) Flush();
  is_in_order_ &= SayGoodbye() && in_flight_.empty();
  is_in_order_ &= DropUnexpected() == 0;
  if (is_in_order_) CloseEndpoints();
  if (MayDestroyWorker()) {
    ucp_worker_destroy(worker_);
    return;
  }
  // The worker stays until the process ends; no thread drives it any more. Its context must stay too.
  // NOLINTBEGIN(bugprone-unhandled-exception-at-new): without memory for these the program ends
  static Mutex& mu = *new Mutex();
  static std::deque<std::shared_ptr<UcxContext>>& kept = *new std::deque<std::shared_ptr<UcxContext>>();
  // NOLINTEND(bugprone-unhandled-exception-at-new)
  MutexLock lock(mu);
  kept.push_back(context_);
}

}  // namespace dfrun::comm
