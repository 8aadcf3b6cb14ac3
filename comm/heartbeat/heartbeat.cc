#include "comm/heartbeat/heartbeat.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <thread>
#include <utility>

#include "comm/heartbeat/acceptor.h"
#include "comm/heartbeat/host_network.h"
#include "comm/heartbeat/watch_link.h"
#include "src/base/descriptors.h"
#include "src/base/log.h"
#include "src/base/mutex.h"
#include "src/base/text.h"
#include "src/base/units.h"

namespace dfrun::comm {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using Duration = SteadyClock::duration;

constexpr milliseconds kLongestWait(250);
constexpr milliseconds kLate(20);  // smaller delays are ordinary scheduling
constexpr milliseconds kLeaving(100);
constexpr size_t kMaxRead = 2 * (kMaxPayload + sizeof(FrameHead));
// Number of a host's ranks that look at a silent rank. It exceeds one, because some of them may be late themselves.
constexpr int kMaxLookers = 3;

// The result of the handshake at start, which all ranks share.
struct HandshakeResult {
  Token token{};
  uint64_t epoch = 0;
  std::vector<std::string> addresses;  // by rank; empty: no rank is watched
  std::vector<uint16_t> ports;
  Descriptor listener;
};

// Returns the random bytes that rank 0 gives to all ranks, different from those of any other job.
std::string NewSecret() {
  std::string bytes(sizeof(Token) + sizeof(uint64_t), '\0');
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) bytes.clear();
  return bytes;
}

Status ListenAsAgreed(Bootstrap& bootstrap, HandshakeResult& handshake) {
  const auto rank = static_cast<size_t>(bootstrap.rank());
  uint16_t port = 0;
  Status status;
  Result<Descriptor> listener = ListenOn(handshake.addresses[rank], &port);
  if (listener.ok()) {
    handshake.listener = *std::move(listener);
  } else {
    port = 0;
    status = listener.status();
  }
  DF_ASSIGN(const std::vector<std::string> ports, bootstrap.AllGather(Pack(port)));
  for (const std::string& text : ports) {
    std::string_view bytes = text;
    handshake.ports.push_back(Unpack<uint16_t>(&bytes));
    if (handshake.ports.back() == 0) handshake.addresses.clear();
  }
  if (!status.ok()) DF_LOG(kWarning) << status.message() << "; no rank is watched";
  return Status();
}

void WarnOfNoNetwork(const std::vector<HostNetwork>& hosts) {
  const auto text = [](const HostAddress& address) { return StrCat(address.ip, "/", address.prefix); };
  const auto other =
      std::find_if(hosts.begin(), hosts.end(), [&](const HostNetwork& h) { return h.id != hosts[0].id; });
  DF_LOG(kWarning) << "the hosts of the ranks have no network in common: no rank is watched (rank 0 has "
                   << Join(hosts[0].addresses, " ", text) << ", rank " << other - hosts.begin() << " has "
                   << Join(other->addresses, " ", text) << ")";
}

Result<HandshakeResult> Handshake(Bootstrap& bootstrap) {
  HandshakeResult handshake;
  const std::string secret = NewSecret();
  DF_ASSIGN(const std::vector<std::string> all,
            bootstrap.AllGather(Pack(secret.empty() ? 0 : 1, secret + ThisHost().Serialize())));
  std::vector<HostNetwork> hosts;
  for (size_t rank = 0; rank < all.size(); ++rank) {
    std::string_view text = all[rank];
    if (Unpack<int>(&text) == 0) return IoError("rank ", rank, ": the system gives no random bytes");
    const auto token = Unpack<Token>(&text);
    const auto epoch = Unpack<uint64_t>(&text);
    if (rank == 0) {
      handshake.token = token;
      handshake.epoch = (epoch | (Epoch::kLosses + 1)) & ~Epoch::kLosses;
    }
    hosts.push_back(HostNetwork::Parse(text));
  }
  if (all.size() == 1) return handshake;
  auto addresses = ChooseAddresses(hosts);
  if (!addresses) {
    if (bootstrap.rank() == 0) WarnOfNoNetwork(hosts);
    return handshake;
  }
  handshake.addresses = *std::move(addresses);
  DF_TRY(ListenAsAgreed(bootstrap, handshake));
  return handshake;
}

milliseconds SilenceOf(const WatchTimes& times) {
  return std::max(milliseconds(500), duration_cast<milliseconds>(times.dead_after));
}

class HeartbeatThread final : public Heartbeat {
 public:
  HeartbeatThread(int rank, std::vector<std::string> hosts, HeartbeatOptions options, HandshakeResult handshake);
  ~HeartbeatThread() override;

  uint64_t epoch() const override { return epoch_.load(std::memory_order_relaxed); }
  bool AwaitFirst(Duration most) override;
  int coordinator() const override { return coordinator_.load(std::memory_order_relaxed); }
  void Attach(Events events) override;
  void Detach() override;
  void Ask(int64_t question) override { Post(FrameType::kAsk, Pack(question)); }
  void Request() override { Post(FrameType::kRequest, ""); }
  void Leave(int exit_code) override;

 private:
  // The newest sequence number seen from an origin, and the peer that brought it first.
  struct Heard {
    uint64_t sequence = 0;
    int from = -1;
  };
  enum class Life { kWatches, kLeaves, kHasLeft };

  void Main();
  void NoteFirst() EXCLUDES(mu_);
  void SayBye();
  void Wait(SteadyClock::time_point* now);
  void Wake() const;
  // Queues a frame to all ranks, which the heartbeat thread sends.
  void Post(FrameType type, std::string payload);
  void HandOutPosted();
  Frame MakeFrame(FrameType type, std::string payload, int origin) const;
  Frame MakeBeat(SteadyClock::time_point now) const;
  void Begin(FrameType type, std::string payload);  // sends a frame to all ranks, from this one
  void SendToAll(const Frame& frame, int but);
  void Answer(const Frame& asked, FrameType type, std::string payload);

  void ConnectWhereDue(SteadyClock::time_point now);
  void LetIn(SteadyClock::time_point now, Socket socket, const Frame& hello);
  void ReadAll(SteadyClock::time_point now);
  void Read(WatchLink& link, SteadyClock::time_point now);
  void End(WatchLink& link, SteadyClock::time_point now);
  // Handles a frame. Returns false if the connection must be closed.
  bool Take(WatchLink& link, const Frame& frame, SteadyClock::time_point now);
  void Act(const Frame& frame);
  void ActOnAnswer(const Frame& frame, SteadyClock::time_point now);
  void AnswerQuestion(const Frame& asked);

  void Beat(SteadyClock::time_point now);
  void LookAtPeers(SteadyClock::time_point now);
  void LookAtDescriptors(SteadyClock::time_point now);
  void NoteSeen(WatchLink& link, char state, SteadyClock::time_point now);
  bool SpeaksOf(int rank) const;
  bool LooksAt(int rank) const;
  void AnswerSuspicion(const Frame& asked);
  void Declare(int rank, int by, std::string_view seen);
  void TellOfItsDeath(WatchLink& link);
  void TellLost(const Status& loss, int rank);
  template <class Call>
  void Tell(Call call);

  WatchLink* LinkTo(int rank);
  std::string Name(int rank) const { return StrCat("rank ", rank, " (host ", hosts_[static_cast<size_t>(rank)], ")"); }
  bool is_dead(int rank) const { return !deaths_[static_cast<size_t>(rank)].empty(); }

  const int rank_;
  const std::vector<std::string> hosts_;
  const HeartbeatOptions options_;
  const Token token_;
  const std::vector<std::string> addresses_;
  const std::vector<uint16_t> ports_;
  std::atomic<uint64_t> epoch_;
  std::atomic<int> coordinator_{0};
  const Descriptor wake_;

  // Only the heartbeat thread uses these.
  Acceptor acceptor_;
  std::vector<WatchLink> links_;
  std::vector<Heard> seen_;          // by origin
  std::vector<std::string> deaths_;  // evidence of each rank's death, by rank; empty: it lives
  std::vector<pollfd> polled_;
  uint64_t next_sequence_ = 1;
  LocalHealth local_health_;
  SteadyClock::time_point next_beat_{};
  DescriptorWatch descriptors_;
  HostThread own_thread_;

  Mutex mu_;
  CondVar changed_;
  std::vector<Frame> posted_ GUARDED_BY(mu_);
  Life life_ GUARDED_BY(mu_) = Life::kWatches;
  int exit_code_ GUARDED_BY(mu_) = 0;
  bool is_heard_ GUARDED_BY(mu_) = false;  // all watched peers have been heard

  Mutex events_mu_;  // held during a callback of events_
  std::optional<Events> events_ GUARDED_BY(events_mu_);
  Status loss_ GUARDED_BY(events_mu_);

  std::thread thread_;
};

HeartbeatThread::HeartbeatThread(int rank, std::vector<std::string> hosts, HeartbeatOptions options,
                                 HandshakeResult handshake)
    : rank_(rank),
      hosts_(std::move(hosts)),
      options_(std::move(options)),
      token_(handshake.token),
      addresses_(std::move(handshake.addresses)),
      ports_(std::move(handshake.ports)),
      epoch_(handshake.epoch),
      wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      acceptor_(std::move(handshake.listener), token_, SilenceOf(options_.times)),
      seen_(hosts_.size()),
      deaths_(hosts_.size()) {
  if (!addresses_.empty()) links_ = LinksOf(rank_, static_cast<int>(hosts_.size()), options_.times);
  is_heard_ = links_.empty();
  thread_ = std::thread([this] { Main(); });
}

HeartbeatThread::~HeartbeatThread() {
  Leave(0);
  thread_.join();
}

void HeartbeatThread::Wake() const {
  const uint64_t one = 1;
  // The write fails only if a wake-up is pending already.
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
}

void HeartbeatThread::Leave(int exit_code) {
  MutexLock lock(mu_);
  if (life_ == Life::kWatches) {
    life_ = Life::kLeaves;
    exit_code_ = exit_code;
  }
  Wake();
  const SteadyClock::time_point until = SteadyClock::now() + kLeaving;
  while (life_ != Life::kHasLeft && SteadyClock::now() < until) changed_.WaitFor(mu_, until - SteadyClock::now());
}

void HeartbeatThread::Main() {
  SteadyClock::time_point now = SteadyClock::now();
  next_beat_ = now;
  own_thread_ = HostThread::OfCaller();
  for (;;) {
    {
      MutexLock lock(mu_);
      if (life_ != Life::kWatches) break;
    }
    HandOutPosted();
    ConnectWhereDue(now);
    Beat(now);
    Wait(&now);
    acceptor_.Look(now, [&](Socket socket, const Frame& hello) { LetIn(now, std::move(socket), hello); });
    ReadAll(now);
    NoteFirst();
    LookAtPeers(now);
    LookAtDescriptors(now);
    Tell([](const Events& events) { events.on_tick(); });
  }
  SayBye();
  MutexLock lock(mu_);
  life_ = Life::kHasLeft;
  changed_.NotifyAll();
}

// Without descriptors a rank can open no file, and its networks take no peer: it ends itself.
void HeartbeatThread::LookAtDescriptors(SteadyClock::time_point now) {
  const std::optional<std::string> used_up = descriptors_.Look(now);
  if (used_up && options_.on_lost) options_.on_lost(Error(Code::kUnavailable, *used_up), rank_);
}

// A rank that was heard once is missed from then on.
void HeartbeatThread::NoteFirst() {
  MutexLock lock(mu_);
  if (is_heard_) return;
  is_heard_ = std::all_of(links_.begin(), links_.end(), [&](const WatchLink& link) {
    return link.watch.is_watched() || link.has_left || is_dead(link.peer);
  });
  if (is_heard_) changed_.NotifyAll();
}

bool HeartbeatThread::AwaitFirst(Duration most) {
  MutexLock lock(mu_);
  const SteadyClock::time_point until = SteadyClock::now() + most;
  while (!is_heard_ && SteadyClock::now() < until) changed_.WaitFor(mu_, until - SteadyClock::now());
  return is_heard_;
}

void HeartbeatThread::SayBye() {
  int exit_code = 0;
  {
    MutexLock lock(mu_);
    exit_code = exit_code_;
  }
  if (exit_code != 0) Begin(FrameType::kEnd, Pack<int32_t>(exit_code));
  for (WatchLink& link : links_) {
    if (link.is_open()) link.Send(MakeFrame(FrameType::kBye, "", rank_));
    link.socket.Read(kMaxRead);  // unread bytes in a socket that is closed would make the peer lose the Bye
  }
}

// Waits for frames. What has arrived while this thread was late is read before any peer is judged.
void HeartbeatThread::Wait(SteadyClock::time_point* now) {
  polled_.clear();
  polled_.push_back({wake_.get(), POLLIN, 0});
  acceptor_.AddTo(polled_);
  for (const WatchLink& link : links_) {
    if (!link.socket.is_open()) continue;
    polled_.push_back(
        {link.socket.fd(), static_cast<short>(link.socket.wants_to_write() ? POLLIN | POLLOUT : POLLIN), 0});
  }
  const SteadyClock::time_point begin = *now;
  const Duration until_beat = std::max<Duration>(next_beat_ - SteadyClock::now(), milliseconds(1));
  const auto wait =
      duration_cast<milliseconds>(std::min<Duration>({until_beat, kLongestWait, options_.times.every / 2}));
  ::poll(polled_.data(), polled_.size(), static_cast<int>(std::max<int64_t>(wait.count(), 1)));
  uint64_t wakes = 0;
  [[maybe_unused]] const ssize_t got = ::read(wake_.get(), &wakes, sizeof wakes);
  *now = SteadyClock::now();
  const Duration late = *now - begin - wait;
  if (late < kLate) return;
  local_health_.Note(*now, late);
  for (WatchLink& link : links_) link.watch.WokenLate(late);
}

Frame HeartbeatThread::MakeFrame(FrameType type, std::string payload, int origin) const {
  Frame frame;
  frame.head.type = static_cast<uint8_t>(type);
  frame.head.rank = rank_;
  frame.head.origin = origin;
  frame.head.epoch = epoch();
  frame.payload = std::move(payload);
  return frame;
}

void HeartbeatThread::Post(FrameType type, std::string payload) {
  {
    MutexLock lock(mu_);
    posted_.push_back(MakeFrame(type, std::move(payload), rank_));
  }
  Wake();
}

void HeartbeatThread::HandOutPosted() {
  std::vector<Frame> posted;
  {
    MutexLock lock(mu_);
    posted.swap(posted_);
  }
  for (Frame& frame : posted) Begin(frame.type(), std::move(frame.payload));
}

void HeartbeatThread::Begin(FrameType type, std::string payload) {
  Frame frame = MakeFrame(type, std::move(payload), rank_);
  frame.head.sequence = next_sequence_++;
  SendToAll(frame, -1);
  Act(frame);
}

void HeartbeatThread::SendToAll(const Frame& frame, int but) {
  for (WatchLink& link : links_) {
    if (link.is_open() && link.peer != but && !is_dead(link.peer)) link.Send(frame);
  }
}

// Sends the answer over the path on which the question came.
void HeartbeatThread::Answer(const Frame& asked, FrameType type, std::string payload) {
  const Frame answer = MakeFrame(type, std::move(payload), asked.head.origin);
  if (asked.head.origin == rank_) return ActOnAnswer(answer, SteadyClock::now());
  WatchLink* const link = LinkTo(seen_[static_cast<size_t>(asked.head.origin)].from);
  if (link != nullptr && link->is_open()) link->Send(answer);
}

void HeartbeatThread::ConnectWhereDue(SteadyClock::time_point now) {
  for (WatchLink& link : links_) {
    if (!link.connects || link.socket.is_open() || link.has_left || is_dead(link.peer) || now < link.next_try) continue;
    const auto peer = static_cast<size_t>(link.peer);
    link.socket = Socket::Connect(addresses_[peer], ports_[peer], SilenceOf(options_.times));
    link.next_try = now + options_.times.every;
    link.is_in = false;
    Frame hello = MakeFrame(FrameType::kHello, std::string(token_.data(), token_.size()), rank_);
    link.Send(hello);
  }
}

void HeartbeatThread::LetIn(SteadyClock::time_point now, Socket socket, const Frame& hello) {
  WatchLink* const link = LinkTo(hello.head.rank);
  if (link == nullptr || link->connects || !Epoch::OfSameRanks(hello.head.epoch, epoch())) return;
  link->socket = std::move(socket);
  link->Send(MakeFrame(FrameType::kHello, std::string(token_.data(), token_.size()), rank_));
  link->is_in = true;
  if (is_dead(link->peer)) return TellOfItsDeath(*link);
  link->Send(MakeBeat(now));
  link->watch.Heard(now);
}

void HeartbeatThread::ReadAll(SteadyClock::time_point now) {
  for (WatchLink& link : links_) {
    if (!link.socket.is_open()) continue;
    if (link.socket.wants_to_write()) link.socket.WriteMore();
    Read(link, now);
  }
}

void HeartbeatThread::Read(WatchLink& link, SteadyClock::time_point now) {
  const Socket::State state = link.socket.Read(kMaxRead);
  bool is_sound = true;
  while (std::optional<Frame> frame = TakeFrame(link.socket.in(), &is_sound)) {
    if (Take(link, *frame, now)) continue;
    return link.socket.Close();
  }
  if (!is_sound || state == Socket::State::kFailed) return link.socket.Close();
  if (state == Socket::State::kEnded) End(link, now);
}

void HeartbeatThread::End(WatchLink& link, SteadyClock::time_point now) {
  link.socket.Close();
  if (link.is_in && !link.has_left && !is_dead(link.peer)) link.watch.Ended(now);
  link.is_in = false;
}

bool HeartbeatThread::Take(WatchLink& link, const Frame& frame, SteadyClock::time_point now) {
  if (!Epoch::OfSameRanks(frame.head.epoch, epoch()) || frame.head.rank != link.peer) return false;
  const auto origin = static_cast<size_t>(frame.head.origin);
  if (origin >= seen_.size()) return false;
  if (!link.is_in) {
    link.is_in = IsHello(frame, token_);
    if (!link.is_in) return false;
    link.Send(MakeBeat(now));
  }
  if (frame.type() == FrameType::kBye) {
    link.has_left = true;
    link.watch.Forget();
    return true;
  }
  if (is_dead(link.peer)) {
    TellOfItsDeath(link);
    return true;
  }
  link.watch.Heard(now);
  if (frame.type() == FrameType::kBeat) {
    std::string_view payload = frame.payload;
    link.watch.RunsLate(milliseconds(Unpack<uint32_t>(&payload)));
    link.thread = Unpack<HostThread>(&payload);
  } else if (frame.is_answer()) {
    if (frame.head.origin == rank_) {
      ActOnAnswer(frame, now);
    } else if (WatchLink* const back = LinkTo(seen_[origin].from); back != nullptr && back->is_open()) {
      Frame handed_on = frame;
      handed_on.head.rank = rank_;
      back->Send(handed_on);
    }
  } else if (frame.is_to_all() && frame.head.sequence > seen_[origin].sequence && frame.head.origin != rank_) {
    seen_[origin] = {frame.head.sequence, link.peer};
    Frame handed_on = frame;
    handed_on.head.rank = rank_;
    SendToAll(handed_on, link.peer);
    Act(frame);
  }
  return true;
}

void HeartbeatThread::Act(const Frame& frame) {
  std::string_view payload = frame.payload;
  switch (frame.type()) {
    case FrameType::kSuspect:
      AnswerSuspicion(frame);
      break;
    case FrameType::kDead: {
      const auto rank = Unpack<int32_t>(&payload);
      if (rank >= 0 && static_cast<size_t>(rank) < deaths_.size()) Declare(rank, frame.head.origin, payload);
      break;
    }
    case FrameType::kAsk:
      AnswerQuestion(frame);
      break;
    case FrameType::kRequest:
      if (rank_ == 0) Tell([](const Events& events) { events.on_request(); });
      break;
    case FrameType::kEnd:
      if (options_.on_end && frame.head.origin != rank_) options_.on_end(frame.head.origin, Unpack<int32_t>(&payload));
      break;
    default:
      break;
  }
}

void HeartbeatThread::AnswerQuestion(const Frame& asked) {
  std::string_view payload = asked.payload;
  const auto question = Unpack<int64_t>(&payload);
  std::string answer;
  Tell([&](const Events& events) { answer = events.on_question(); });
  answer.resize(std::min(answer.size(), kMaxPayload - sizeof(int64_t) - sizeof(int32_t)));
  Answer(asked, FrameType::kAnswer, Pack(question, Pack<int32_t>(rank_, answer)));
}

void HeartbeatThread::AnswerSuspicion(const Frame& asked) {
  std::string_view payload = asked.payload;
  const auto rank = Unpack<int32_t>(&payload);
  if (rank == rank_) return Answer(asked, FrameType::kAlive, Pack<int32_t>(rank_));
  if (asked.head.origin == rank_ || !LooksAt(rank)) return;
  const char state = own_thread_.StateOf(Unpack<HostThread>(&payload));
  if (state != 0) Answer(asked, FrameType::kSeen, Pack<int32_t>(rank, Pack(state)));
}

// Returns whether this rank looks at `rank` in /proc: the next kMaxLookers ranks of its host in the ring do.
bool HeartbeatThread::LooksAt(int rank) const {
  const auto size = static_cast<int>(hosts_.size());
  if (rank < 0 || rank >= size) return false;
  int before = 0;
  for (int other = (rank + 1) % size; other != rank && before < kMaxLookers; other = (other + 1) % size) {
    if (other == rank_) return true;
    if (hosts_[static_cast<size_t>(other)] == hosts_[static_cast<size_t>(rank)] && !is_dead(other)) ++before;
  }
  return false;
}

void HeartbeatThread::ActOnAnswer(const Frame& frame, SteadyClock::time_point now) {
  std::string_view payload = frame.payload;
  if (frame.type() != FrameType::kAnswer) {
    WatchLink* const link = LinkTo(Unpack<int32_t>(&payload));
    if (link == nullptr) return;
    if (frame.type() == FrameType::kAlive) return link->watch.Refuted(now);
    return NoteSeen(*link, Unpack<char>(&payload), now);
  }
  const auto question = Unpack<int64_t>(&payload);
  const auto rank = Unpack<int32_t>(&payload);
  Tell([&](const Events& events) { events.on_answer(question, rank, std::string(payload)); });
}

Frame HeartbeatThread::MakeBeat(SteadyClock::time_point now) const {
  const auto late_ms = static_cast<uint32_t>(duration_cast<milliseconds>(local_health_.Lately(now)).count());
  return MakeFrame(FrameType::kBeat, Pack(late_ms, Pack(own_thread_)), rank_);
}

// Sends a heartbeat where one is due. The first goes with the Hello: from then on the peer can look at this thread.
void HeartbeatThread::Beat(SteadyClock::time_point now) {
  if (now < next_beat_) return;
  next_beat_ = now + options_.times.every;
  const Frame beat = MakeBeat(now);
  for (WatchLink& link : links_) {
    if (link.is_open()) link.Send(beat);
  }
}

void HeartbeatThread::LookAtPeers(SteadyClock::time_point now) {
  const Duration own_late = local_health_.Lately(now);
  for (WatchLink& link : links_) {
    if (is_dead(link.peer)) continue;
    const PeerWatch::Verdict verdict = link.watch.Look(now, own_late);
    if (verdict == PeerWatch::Verdict::kNone) continue;
    if (const char state = own_thread_.StateOf(link.thread); state != 0) NoteSeen(link, state, now);
    if (link.watch.is_waited_for()) continue;
    if (verdict == PeerWatch::Verdict::kSuspect) {
      Begin(FrameType::kSuspect, Pack<int32_t>(link.peer, Pack(link.thread)));
    } else if (link.watch.Look(now, own_late) == PeerWatch::Verdict::kDead) {  // by what is seen now
      Begin(FrameType::kDead, Pack<int32_t>(link.peer, link.watch.Describe(now)));
    }
  }
}

void HeartbeatThread::NoteSeen(WatchLink& link, char state, SteadyClock::time_point now) {
  link.watch.Seen(state, now);
  if (!link.watch.is_waited_for() || now < link.next_word || !options_.on_wait || !SpeaksOf(link.peer)) return;
  link.next_word = now + link.between_words;
  link.between_words *= 2;
  const auto most_s = duration_cast<std::chrono::seconds>(options_.times.wait_most).count();
  options_.on_wait(StrCat(Name(link.peer), " is silent, and is waited for, at most ", most_s,
                          " s: ", link.watch.Describe(now), ": other work of its host may go before it"));
}

// Returns whether this rank reports about `rank`: it is the lowest living rank that watches it.
bool HeartbeatThread::SpeaksOf(int rank) const {
  for (const WatchLink& link : LinksOf(rank, static_cast<int>(hosts_.size()), options_.times)) {
    if (!is_dead(link.peer)) return link.peer == rank_;
  }
  return false;
}

void HeartbeatThread::Declare(int rank, int by, std::string_view seen) {
  if (is_dead(rank)) return;
  deaths_[static_cast<size_t>(rank)] = seen;
  if ((epoch() & Epoch::kLosses) < Epoch::kLosses) epoch_.fetch_add(1, std::memory_order_relaxed);
  int coordinator = 0;
  while (static_cast<size_t>(coordinator) + 1 < deaths_.size() && is_dead(coordinator)) ++coordinator;
  coordinator_.store(coordinator, std::memory_order_relaxed);
  if (WatchLink* const link = LinkTo(rank); link != nullptr) {
    link->watch.Forget();
    TellOfItsDeath(*link);
  }
  const std::string says = StrCat(seen, "; so says ", Name(by));
  const Status loss = rank == rank_ ? Error(Code::kUnavailable, Name(rank), " was declared dead: ", says)
                                    : Error(Code::kUnavailable, Name(rank), " was lost: ", says);
  TellLost(loss, rank);
}

// Tells a dead rank of its death, in case it wakes and reads it.
void HeartbeatThread::TellOfItsDeath(WatchLink& link) {
  Frame frame = MakeFrame(FrameType::kDead, "", rank_);
  frame.payload = Pack<int32_t>(link.peer, deaths_[static_cast<size_t>(link.peer)]);
  frame.head.sequence = next_sequence_++;
  link.Send(frame);
}

void HeartbeatThread::TellLost(const Status& loss, int rank) {
  {
    MutexLock lock(events_mu_);
    if (!loss_.ok()) return;
    loss_ = loss;
  }
  if (options_.on_lost) options_.on_lost(loss, rank);
  Tell([&](const Events& events) { events.on_lost(loss); });
}

template <class Call>
void HeartbeatThread::Tell(Call call) {
  MutexLock lock(events_mu_);
  if (events_) call(*events_);
}

void HeartbeatThread::Attach(Events events) {
  MutexLock lock(events_mu_);
  events_ = std::move(events);
  if (!loss_.ok()) events_->on_lost(loss_);
}

void HeartbeatThread::Detach() {
  MutexLock lock(events_mu_);
  events_.reset();
}

WatchLink* HeartbeatThread::LinkTo(int rank) {
  const auto found =
      std::find_if(links_.begin(), links_.end(), [&](const WatchLink& link) { return link.peer == rank; });
  return found == links_.end() ? nullptr : &*found;
}

// Returns a time of --heartbeat, which has bounds.
std::optional<double> TimeOf(std::string_view text) {
  const Result<double> seconds = ParseSeconds(text);
  return seconds.ok() && *seconds >= 0.01 && *seconds <= 86'400 ? std::optional(*seconds) : std::nullopt;
}

}  // namespace

Result<WatchTimes> ParseHeartbeat(const std::string& text) {
  constexpr double kSilentBeats = 5;
  if (text == "off") return WatchTimes{std::chrono::seconds(1), std::chrono::seconds(5), false};
  const size_t comma = text.find(',');
  const std::optional<double> every = TimeOf(std::string_view(text).substr(0, comma));
  std::optional<double> dead_after = every ? std::optional(*every * kSilentBeats) : std::nullopt;
  if (comma != std::string::npos) dead_after = TimeOf(std::string_view(text).substr(comma + 1));
  if (!every || !dead_after || *dead_after < 2 * *every) {
    return Error(Code::kUsage, "--heartbeat ", text,
                 ": it is the time between two heartbeats and, after a comma, that of silence until a rank is dead, "
                 "at least twice as long (1,5 or 1s,5s), or off; each is ",
                 kSecondsForms, ", from 0.01 to 1d");
  }
  const auto as_duration = [](double seconds) {
    return duration_cast<Duration>(std::chrono::duration<double>(seconds));
  };
  return WatchTimes{as_duration(*every), as_duration(*dead_after), true};
}

Result<std::unique_ptr<Heartbeat>> Heartbeat::Start(Bootstrap& bootstrap, const std::vector<std::string>& hosts,
                                                    HeartbeatOptions options) {
  DF_ASSIGN(HandshakeResult handshake, Handshake(bootstrap));
  return std::unique_ptr<Heartbeat>(
      std::make_unique<HeartbeatThread>(bootstrap.rank(), hosts, std::move(options), std::move(handshake)));
}

}  // namespace dfrun::comm
