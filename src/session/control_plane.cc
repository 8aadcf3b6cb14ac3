#include "src/session/control_plane.h"

#include <algorithm>
#include <utility>

#include "src/session/control.pb.h"
#include "src/session/control_error.h"
#include "src/session/control_tree.h"

namespace dfrun {
namespace {

// The earlier error of the two.
void TakeFirst(RankStatus& first, const RankStatus& other) {
  if (other.status.ok()) return;
  if (first.status.ok() || other.time_ns < first.time_ns) first = other;
}

}  // namespace

ControlPlane::ControlPlane(Communicator& communicator, std::function<void()> on_change)
    : communicator_(communicator),
      on_change_(std::move(on_change)),
      parent_(TreeParent(communicator.rank())),
      children_(TreeChildren(communicator.rank(), communicator.size())) {
  std::vector<int> peers = children_;
  if (parent_ >= 0) peers.push_back(parent_);
  if (parent_ > 0) peers.push_back(0);
  communicator_.Listen(peers, [this](int from, const std::string& bytes) { Handle(from, bytes); });
}

ControlPlane::~ControlPlane() = default;

void ControlPlane::Broadcast(const control::Message& message) {
  control::Message forwarded = message;
  forwarded.set_forward(true);
  const std::string bytes = forwarded.SerializeAsString();
  for (int child : children_) communicator_.SendControl(child, bytes);
}

void ControlPlane::SendTo(int rank, const control::Message& message) {
  communicator_.SendControl(rank, message.SerializeAsString());
}

bool ControlPlane::NextRequest(control::Message* message) {
  MutexLock lock(mu_);
  if (requests_.empty()) return false;
  *message = std::move(*requests_.front());
  requests_.pop_front();
  return true;
}

void ControlPlane::Handle(int from, const std::string& bytes) {
  control::Message message;
  if (!message.ParseFromString(bytes)) {
    Abort(StatusNow(Internal("rank ", communicator_.rank(), " cannot read a control message of rank ", from)));
    return;
  }
  if (message.has_done()) {
    Done(message.round(), FromProto(message.done().error()));
  } else if (message.has_abort()) {
    HandleAbort(from, message);
  } else if (message.has_stop()) {
    HandleStop(message);
  } else {
    HandleRequest(std::move(message));
  }
}

void ControlPlane::HandleRequest(control::Message message) {
  if (message.forward()) Broadcast(message);
  {
    MutexLock lock(mu_);
    requests_.push_back(std::make_unique<control::Message>(std::move(message)));
  }
  on_change_();
}

void ControlPlane::Done(int64_t round, const RankStatus& status) {
  control::Message answer;
  {
    MutexLock lock(mu_);
    auto it = rounds_.try_emplace(round, Round{static_cast<int>(children_.size()) + 1, {}}).first;
    TakeFirst(it->second.first, status);
    if (--it->second.waiting > 0) return;
    answer.set_round(round);
    ToProto(it->second.first, answer.mutable_done()->mutable_error());
    round_status_ = it->second.first.status;
    rounds_.erase(it);
  }
  if (parent_ >= 0) return communicator_.SendControl(parent_, answer.SerializeAsString());
  finished_round_.store(round, std::memory_order_release);
  on_change_();
}

Status ControlPlane::RoundStatus() const {
  MutexLock lock(mu_);
  return round_status_;
}

bool ControlPlane::TakeAbort() {
  MutexLock lock(mu_);
  return !std::exchange(aborted_, true);
}

void ControlPlane::SendToNeighbours(const control::Message& message, int but) {
  const std::string bytes = message.SerializeAsString();
  if (parent_ >= 0 && parent_ != but) communicator_.SendControl(parent_, bytes);
  for (int child : children_) {
    if (child != but) communicator_.SendControl(child, bytes);
  }
}

void ControlPlane::Abort(const RankStatus& error) {
  if (!TakeAbort()) return;
  control::Message message;
  ToProto(error, message.mutable_abort()->mutable_error());
  SendToNeighbours(message, -1);
}

void ControlPlane::HandleAbort(int from, const control::Message& message) {
  if (!TakeAbort()) return;
  SendToNeighbours(message, from);
  on_abort_(FromProto(message.abort().error()).status);
  on_change_();
}

void ControlPlane::OnAbort(std::function<void(const Status&)> handler) {
  on_abort_ = std::move(handler);
}

void ControlPlane::Stop(int signal) {
  control::Message message;
  message.mutable_stop()->set_signal(signal);
  if (parent_ < 0) return Broadcast(message);
  communicator_.SendControl(parent_, message.SerializeAsString());
}

void ControlPlane::HandleStop(const control::Message& message) {
  if (message.forward()) {
    Broadcast(message);
  } else if (parent_ >= 0) {
    return Stop(message.stop().signal());
  }
  on_stop_(message.stop().signal());
}

void ControlPlane::OnStop(std::function<void(int)> handler) {
  on_stop_ = std::move(handler);
}

}  // namespace dfrun
