#include "src/session/control/control_plane.h"

#include <algorithm>
#include <utility>

#include "src/framework/communication/rank_tree.h"
#include "src/session/control/control.pb.h"
#include "src/session/control/control_error.h"

namespace dfrun {
namespace {

// The bound of the rounds that are remembered as aborted; the oldest are forgotten first.
constexpr size_t kAbortsKept = 1000;

// The earlier error of the two.
void TakeFirst(RankStatus& first, const RankStatus& other) {
  if (other.status.ok()) return;
  if (first.status.ok() || other.time_ns < first.time_ns) first = other;
}

}  // namespace

ControlPlane::ControlPlane(Communicator& communicator, const RankWatch* watch, std::function<void()> on_change)
    : communicator_(communicator),
      watch_(watch),
      on_change_(std::move(on_change)),
      parent_(TreeParent(communicator.rank())),
      children_(TreeChildren(communicator.rank(), communicator.size())) {
  std::vector<int> peers = children_;
  if (parent_ >= 0) peers.push_back(parent_);
  if (parent_ > 0) peers.push_back(0);
  communicator_.Listen(peers, [this](int from, const std::string& bytes) { Handle(from, bytes); });
}

ControlPlane::~ControlPlane() = default;

// Appends this rank's epoch. In a message that is passed on the field stands twice, and the second counts: the epoch of
// the rank that passes it on.
std::string ControlPlane::Serialize(const control::Message& message) const {
  std::string bytes = message.SerializeAsString();
  control::Message stamp;
  stamp.set_epoch(epoch());
  stamp.AppendToString(&bytes);
  return bytes;
}

bool ControlPlane::IsCurrent(int from, const control::Message& message) {
  const uint64_t own = epoch();
  if (message.epoch() == own) return true;
  if (Epoch::OfSameRanks(message.epoch(), own)) return message.epoch() > own;
  Abort(0,
        StatusNow(Internal("rank ", communicator_.rank(), " got a control message of rank ", from, " of other ranks")));
  return false;
}

void ControlPlane::SetLost(const Status& loss) {
  MutexLock lock(mu_);
  if (loss_.ok()) loss_ = loss;
  is_lost_.store(true, std::memory_order_release);
}

Status ControlPlane::network_status() const {
  if (!is_lost_.load(std::memory_order_acquire)) return communicator_.network_status();
  MutexLock lock(mu_);
  return loss_;
}

void ControlPlane::Broadcast(const control::Message& message) {
  control::Message forwarded = message;
  forwarded.set_forward(true);
  forwarded.set_epoch(epoch());
  const std::string bytes = forwarded.SerializeAsString();
  for (int child : children_) communicator_.SendControl(child, bytes);
}

void ControlPlane::SendTo(int rank, const control::Message& message) {
  communicator_.SendControl(rank, Serialize(message));
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
    Abort(0, StatusNow(Internal("rank ", communicator_.rank(), " cannot read a control message of rank ", from)));
    return;
  }
  if (!IsCurrent(from, message)) return;
  if (message.has_done()) {
    Done(message.round(), FromProto(message.done().error()));
  } else if (message.has_abort()) {
    HandleAbort(from, message);
  } else if (message.has_stop()) {
    HandleStop(message);
  } else if (message.has_devices()) {
    HandleDevices(message);
  } else if (message.has_layouts()) {
    HandleLayouts(std::move(message));
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

int64_t ControlPlane::NewRound(Callback end) {
  const int64_t round = ++last_round_;
  MutexLock lock(mu_);
  rounds_.emplace(round, Round{.waiting = static_cast<int>(children_.size()) + 1, .end = end});
  return round;
}

bool ControlPlane::has_open_round() const {
  MutexLock lock(mu_);
  return !rounds_.empty();
}

bool ControlPlane::ForgetRound(int64_t round) {
  MutexLock lock(mu_);
  return rounds_.erase(round) > 0;
}

void ControlPlane::Done(int64_t round, const RankStatus& status) {
  Round ended{};
  {
    MutexLock lock(mu_);
    auto it = rounds_.find(round);
    if (it == rounds_.end()) {
      if (parent_ < 0) return;  // forgotten
      it = rounds_.emplace(round, Round{.waiting = static_cast<int>(children_.size()) + 1}).first;
    }
    TakeFirst(it->second.first, status);
    if (--it->second.waiting > 0) return;
    ended = std::move(it->second);
    rounds_.erase(it);
  }
  if (parent_ < 0) {
    ended.end(std::move(ended.first.status));
    return on_change_();
  }
  control::Message answer;
  answer.set_round(round);
  answer.set_epoch(epoch());
  ToProto(ended.first, answer.mutable_done()->mutable_error());
  communicator_.SendControl(parent_, answer.SerializeAsString());
}

// Notes the round as aborted; false if it was already. A rank that has forgotten a round passes the same news on once
// more, which does no harm.
bool ControlPlane::TakeAbort(int64_t round) {
  MutexLock lock(mu_);
  const bool is_new = aborted_.insert(round).second;
  if (aborted_.size() > kAbortsKept) aborted_.erase(aborted_.upper_bound(0));  // never that of the session
  return is_new;
}

void ControlPlane::SendToNeighbours(const control::Message& message, int but) {
  const std::string bytes = Serialize(message);
  if (parent_ >= 0 && parent_ != but) communicator_.SendControl(parent_, bytes);
  for (int child : children_) {
    if (child != but) communicator_.SendControl(child, bytes);
  }
}

void ControlPlane::Abort(int64_t round, const RankStatus& error) {
  if (!TakeAbort(round)) return;
  control::Message message;
  message.set_round(round);
  ToProto(error, message.mutable_abort()->mutable_error());
  SendToNeighbours(message, -1);
}

void ControlPlane::HandleAbort(int from, const control::Message& message) {
  if (!TakeAbort(message.round())) return;
  // The message is passed on before the step ends here: a rank that waits for this one's Done, or for its Sends, has
  // the news before that.
  SendToNeighbours(message, from);
  on_abort_(message.round(), FromProto(message.abort().error()).status);
  on_change_();
}

void ControlPlane::OnAbort(std::function<void(int64_t, const Status&)> handler) {
  on_abort_ = std::move(handler);
}

void ControlPlane::Stop(int signal) {
  control::Message message;
  message.mutable_stop()->set_signal(signal);
  if (parent_ < 0) return Broadcast(message);
  communicator_.SendControl(parent_, Serialize(message));
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

void ControlPlane::Report(const control::Devices& devices) {
  control::Message message;
  *message.mutable_devices() = devices;
  communicator_.SendControl(parent_, Serialize(message));
}

void ControlPlane::HandleDevices(const control::Message& message) {
  if (parent_ >= 0) return Report(message.devices());
  on_report_(message.devices());
}

void ControlPlane::Report(const control::Layouts& layouts) {
  control::Message message;
  *message.mutable_layouts() = layouts;
  communicator_.SendControl(parent_, Serialize(message));
}

void ControlPlane::HandleLayouts(control::Message message) {
  if (parent_ >= 0) return Report(message.layouts());
  MutexLock lock(mu_);
  layouts_.push_back(std::make_unique<control::Message>(std::move(message)));
}

std::vector<control::Layouts> ControlPlane::TakeLayouts() {
  std::vector<std::unique_ptr<control::Message>> taken;
  {
    MutexLock lock(mu_);
    std::swap(taken, layouts_);
  }
  std::vector<control::Layouts> layouts;
  for (const auto& message : taken) layouts.push_back(std::move(*message->mutable_layouts()));
  return layouts;
}

void ControlPlane::OnReport(std::function<void(const control::Devices&)> handler) {
  on_report_ = std::move(handler);
}

}  // namespace dfrun
