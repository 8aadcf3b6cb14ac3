#include "comm/control/control_link.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace dfrun::comm {
namespace {

constexpr MessageTag kFrameTag = 0;
constexpr MessageTag kTailTag = 1;

using Frame = std::array<char, ControlLink::kFrameBytes>;
constexpr size_t kInline = ControlLink::kFrameBytes - sizeof(uint64_t);

}  // namespace

// Owns: itself, until its frame and its tail have been sent.
struct ControlLink::Outgoing {
  ControlLink* link;
  std::string message;
  Frame frame{};
  std::atomic<int> parts{1};
};

struct ControlLink::Incoming {
  ControlLink* link;
  int from;
  Frame frame;
  std::string message;
};

ControlLink::ControlLink(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {}

ControlLink::~ControlLink() {
  closing_ = true;
  transport_->Abort(Error(Code::kCancelled, "the link is closed"));
  while (sending_ > 0 || receiving_ > 0) transport_->Poll();
}

void ControlLink::Send(int to, std::string message) {
  auto* out = new Outgoing{this, std::move(message)};
  const uint64_t length = out->message.size();
  const size_t head = std::min<size_t>(length, kInline);
  std::memcpy(out->frame.data(), &length, sizeof length);
  std::memcpy(out->frame.data() + sizeof length, out->message.data(), head);
  if (length > head) out->parts = 2;
  sending_.fetch_add(1, std::memory_order_relaxed);
  const Callback sent{[](void* arg, Status status) {
                        auto* o = static_cast<Outgoing*>(arg);
                        o->link->OnSent(o, std::move(status));
                      },
                      out};
  const char* tail = out->message.data() + head;  // read now, since `out` may be deleted once its last part is sent
  transport_->Send(to, kFrameTag, out->frame.data(), out->frame.size(), sent);
  if (length > head) transport_->Send(to, kTailTag, tail, length - head, sent);
}

void ControlLink::OnSent(Outgoing* out, Status status) {
  if (!status.ok()) Fail(std::move(status));
  if (out->parts.fetch_sub(1) > 1) return;
  delete out;
  sending_.fetch_sub(1, std::memory_order_release);
}

void ControlLink::Listen(const std::vector<int>& peers, Handler handler) {
  DF_CHECK(incoming_.empty());
  handler_ = std::move(handler);
  for (int peer : peers) incoming_.emplace_back(new Incoming{this, peer, {}, {}});
  receiving_ = static_cast<int>(peers.size());
  for (const auto& in : incoming_) PostFrame(in.get());
}

void ControlLink::PostFrame(Incoming* in) {
  transport_->Recv(in->from, kFrameTag, in->frame.data(), in->frame.size(),
                   {[](void* arg, Status status) {
                      auto* i = static_cast<Incoming*>(arg);
                      i->link->OnFrame(i, std::move(status));
                    },
                    in});
}

void ControlLink::OnFrame(Incoming* in, Status status) {
  uint64_t length = 0;
  std::memcpy(&length, in->frame.data(), sizeof length);
  if (status.ok() && length > kMaxMessageBytes) {
    status = Internal("a control message of rank ", in->from, " claims ", length, " bytes");
  }
  if (!status.ok() || closing_) return FailReceive(std::move(status));
  const size_t head = std::min<size_t>(length, kInline);
  in->message.assign(in->frame.data() + sizeof length, head);
  if (length == head) return Finish(in);
  in->message.resize(length);
  transport_->Recv(in->from, kTailTag, in->message.data() + head, length - head,
                   {[](void* arg, Status s) {
                      auto* i = static_cast<Incoming*>(arg);
                      i->link->OnTail(i, std::move(s));
                    },
                    in});
}

void ControlLink::OnTail(Incoming* in, Status status) {
  if (!status.ok() || closing_) return FailReceive(std::move(status));
  Finish(in);
}

// Posts the next frame after the handler has returned, so that the handler gets the messages of a sender one at a time.
void ControlLink::Finish(Incoming* in) {
  handler_(in->from, std::move(in->message));
  PostFrame(in);
}

void ControlLink::FailReceive(Status status) {
  Fail(std::move(status));
  receiving_.fetch_sub(1);
}

void ControlLink::Fail(Status status) {
  if (closing_) return;
  MutexLock lock(mu_);
  if (status_.ok()) status_ = std::move(status);
}

Status ControlLink::status() const {
  MutexLock lock(mu_);
  return status_;
}

}  // namespace dfrun::comm
