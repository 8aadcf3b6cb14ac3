// Tests of a transport that take longer than the suite's cases, or that end a rank. Every rank of an mpirun runs it:
//
//   conformance_faults TRANSPORT aborts MESSAGES    random messages; time and again a rank aborts in their midst
//   conformance_faults TRANSPORT large BYTES        one message of so many bytes, to and fro
//   conformance_faults TRANSPORT killed RANK        that rank kills itself while the others wait for it
//
// The status is 0 if all was as comm/CONTRACT.md says.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "comm/bootstrap/bootstrap.h"
#include "comm/bootstrap/transport_registry.h"
#include "src/base/text.h"
#include "tests/conformance/transport/transport_suite.h"

namespace dfrun::comm {
namespace {

using Clock = std::chrono::steady_clock;

Status PollUntil(Transport& t, std::chrono::seconds longest, const std::function<bool()>& done) {
  const Clock::time_point deadline = Clock::now() + longest;
  while (!done()) {
    if (t.Poll()) continue;
    if (Clock::now() > deadline) return Internal("rank ", t.rank(), " waited for ", longest.count(), " s");
    std::this_thread::yield();
  }
  return Status();
}

// A barrier over `control` that also drives `t`, since other ranks may still need that for their messages.
Status MeetDriving(Transport& t, Transport& control) {
  std::deque<Pending> calls;
  const auto all_ended = [&] {
    t.Poll();
    return std::all_of(calls.begin(), calls.end(), [](const Pending& call) { return call.runs.load() > 0; });
  };
  for (const bool gathers : {true, false}) {
    for (int peer = 0; peer < t.size(); ++peer) {
      const bool is_pair = peer != t.rank() && (peer == 0 || t.rank() == 0);
      if (!is_pair) continue;
      calls.emplace_back();
      const bool sends = (t.rank() == 0) != gathers;
      if (sends) control.Send(peer, 1, nullptr, 0, calls.back().callback());
      if (!sends) control.Recv(peer, 1, nullptr, 0, calls.back().callback());
    }
    DF_TRY(PollUntil(control, std::chrono::seconds(40), all_ended));
  }
  return Status();
}

Result<std::unique_ptr<Transport>> ConnectOne(const TransportDef& def, Bootstrap& bootstrap) {
  DF_ASSIGN(std::vector<std::unique_ptr<Transport>> transports, def.connect(bootstrap, 1));
  return std::move(transports.front());
}

// --- aborts ---

struct Message {
  int from;
  int to;
  MessageTag tag;
  size_t bytes;
};

// Makes the messages, the same ones on all ranks.
std::vector<Message> RandomMessages(std::mt19937& random, int ranks, int count) {
  std::vector<Message> all;
  for (int i = 0; i < count; ++i) {
    const int from = static_cast<int>(random() % ranks);
    const int to = static_cast<int>((from + 1 + random() % (ranks - 1)) % ranks);
    const size_t bytes = random() % 20 == 0 ? random() % 200000 : random() % 300;
    all.push_back({from, to, static_cast<int32_t>(random() % 8), bytes});
  }
  return all;
}

// The messages of one transport, which is destroyed after them. `abort_at` is the number of messages after which this
// rank aborts; below 0: never.
class Round {
 public:
  Round(Transport& t, const std::vector<Message>& all) : t_(t), all_(all) {}

  Status Run(int abort_at, Transport& control) {
    const Status reason = InvalidArgument("the round is over");
    for (size_t i = 0; i < all_.size(); ++i) {
      if (static_cast<int>(i) == abort_at) t_.Abort(reason);
      Post(static_cast<int>(i));
      if (i % 16 == 0) t_.Poll();
    }
    // After an abort, messages of other ranks may never come: a rank that waits in vain aborts too.
    const auto all_ended = [&] {
      return std::all_of(calls_.begin(), calls_.end(), [](const Pending& call) { return call.runs.load() > 0; });
    };
    if (abort_at < 0 && !PollUntil(t_, std::chrono::seconds(1), all_ended).ok()) t_.Abort(reason);
    DF_TRY(PollUntil(t_, std::chrono::seconds(20), all_ended));
    DF_TRY(MeetDriving(t_, control));
    return Check(reason);
  }

 private:
  void Post(int i) {
    const Message& m = all_[static_cast<size_t>(i)];
    if (m.from == t_.rank()) {
      buffers_.emplace_back(m.bytes, ByteOf(i));
      calls_.emplace_back();
      t_.Send(m.to, m.tag, buffers_.back().data(), m.bytes, calls_.back().callback());
    } else if (m.to == t_.rank()) {
      buffers_.emplace_back(m.bytes);
      calls_.emplace_back();
      received_.push_back({i, &buffers_.back(), &calls_.back()});
      t_.Recv(m.from, m.tag, buffers_.back().data(), m.bytes, calls_.back().callback());
    }
  }

  static char ByteOf(int i) { return static_cast<char>(i * 7 + 1); }

  Status Check(const Status& reason) const {
    for (const Pending& call : calls_) {
      if (call.runs.load() != 1) return Internal("a callback ran ", call.runs.load(), " times");
      if (!call.status.ok() && !(call.status == reason)) return call.status.Annotate("in a round with an abort");
    }
    for (const Receive& receive : received_) {
      if (!receive.call->status.ok()) continue;
      const char expected = ByteOf(receive.message);
      if (std::any_of(receive.bytes->begin(), receive.bytes->end(), [&](char byte) { return byte != expected; })) {
        return Internal("message ", receive.message, " has wrong bytes");
      }
    }
    return Status();
  }

  struct Receive {
    int message;
    const std::vector<char>* bytes;
    const Pending* call;
  };
  Transport& t_;
  const std::vector<Message>& all_;
  std::deque<std::vector<char>> buffers_;
  std::deque<Pending> calls_;
  std::vector<Receive> received_;
};

Status RandomAborts(const TransportDef& def, Bootstrap& bootstrap, int messages) {
  constexpr int kOfRound = 1000;
  std::mt19937 random(7);
  for (int done = 0; done < messages; done += kOfRound) {
    DF_ASSIGN(std::vector<std::unique_ptr<Transport>> transports, def.connect(bootstrap, 2));
    Transport& t = *transports[0];
    const std::vector<Message> all = RandomMessages(random, t.size(), kOfRound);
    const int aborting = static_cast<int>(random() % static_cast<unsigned>(t.size()));
    const int at = static_cast<int>(random() % kOfRound);
    const bool aborts = random() % 2 == 0;
    Round round(t, all);  // with the memory of Sends, which stays until the transport is gone
    DF_TRY(round.Run(aborts && aborting == t.rank() ? at : -1, *transports[1]));
    DF_TRY(bootstrap.Barrier());
    transports.clear();
  }
  return Status();
}

// --- large ---

uint64_t WordOf(int rank, size_t i) {
  return (i + 1) * 0x9E3779B97F4A7C15ULL + static_cast<uint64_t>(rank);
}

Status Large(const TransportDef& def, Bootstrap& bootstrap, size_t bytes) {
  DF_ASSIGN(const std::unique_ptr<Transport> t, ConnectOne(def, bootstrap));
  std::vector<uint64_t> words(bytes / sizeof(uint64_t));
  for (const int sender : {0, 1}) {
    Pending call;
    if (t->rank() == sender) {
      for (size_t i = 0; i < words.size(); ++i) words[i] = WordOf(sender, i);
      t->Send(1 - sender, 3, words.data(), bytes, call.callback());
    } else {
      t->Recv(sender, 3, words.data(), bytes, call.callback());
    }
    DF_TRY(PollUntil(*t, std::chrono::seconds(100), [&] { return call.runs.load() > 0; }));
    DF_TRY(call.status);
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i] != WordOf(sender, i)) return Internal("word ", i, " of ", bytes, " bytes is wrong");
    }
  }
  return bootstrap.Barrier();
}

// --- killed ---

// Checks what a rank that waits for a killed one sees.
Status SeesDeath(Transport& t, int killed) {
  std::vector<char> got(1 << 20);
  Pending receives[2];
  Pending met[2];
  const char hello = 1;
  t.Send(killed, 1, &hello, sizeof hello, met[0].callback());
  t.Recv(killed, 2, got.data(), sizeof hello, met[1].callback());
  DF_TRY(PollUntil(t, std::chrono::seconds(20), [&] { return met[0].runs.load() + met[1].runs.load() == 2; }));
  t.Recv(killed, 3, got.data(), 8, receives[0].callback());
  t.Recv(killed, 4, got.data() + 8, got.size() - 8, receives[1].callback());
  const Clock::time_point begin = Clock::now();
  DF_TRY(
      PollUntil(t, std::chrono::seconds(10), [&] { return receives[0].runs.load() + receives[1].runs.load() == 2; }));
  const std::chrono::duration<double> waited = Clock::now() - begin;
  for (const Pending& receive : receives) {
    const std::string text = receive.status.ToString();
    const bool names_both = text.find(StrCat("from rank ", killed, " to rank ", t.rank())) != std::string::npos;
    if (receive.status.code() != Code::kUnavailable || !names_both || text.find("tag") == std::string::npos) {
      return Internal("the receive ended with ", text);
    }
  }
  Pending late;
  t.Send(killed, 5, got.data(), got.size(), late.callback());
  DF_TRY(PollUntil(t, std::chrono::seconds(10), [&] { return late.runs.load() == 1; }));
  if (late.status.code() != Code::kUnavailable) return Internal("a later send ended with ", late.status.ToString());
  std::printf("rank %d: %s after %.1f s\n", t.rank(), receives[0].status.ToString().c_str(), waited.count());
  std::fflush(stdout);
  return Status();
}

// MPI's start cannot be left in order when a rank is gone.
[[noreturn]] void EndAtOnce(const Status& status) {
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::fflush(nullptr);
  std::_Exit(status.ok() ? 0 : 1);
}

Status Killed(const TransportDef& def, Bootstrap& bootstrap, int killed) {
  DF_ASSIGN(const std::unique_ptr<Transport> t, ConnectOne(def, bootstrap));
  if (t->rank() != killed) EndAtOnce(SeesDeath(*t, killed));
  const char hello = 2;
  std::vector<char> got(static_cast<size_t>(t->size()));
  std::deque<Pending> calls;
  for (int peer = 0; peer < t->size(); ++peer) {
    if (peer == killed) continue;
    calls.emplace_back();
    t->Recv(peer, 1, &got[static_cast<size_t>(peer)], 1, calls.back().callback());
    calls.emplace_back();
    t->Send(peer, 2, &hello, 1, calls.back().callback());
  }
  DF_TRY(PollUntil(*t, std::chrono::seconds(20), [&] {
    return std::all_of(calls.begin(), calls.end(), [](const Pending& call) { return call.runs.load() > 0; });
  }));
  const Clock::time_point death = Clock::now() + std::chrono::milliseconds(300);
  while (Clock::now() < death) t->Poll();
  kill(getpid(), SIGKILL);
  return Internal("a killed rank goes on");
}

Status RunMode(const TransportDef& def, Bootstrap& bootstrap, const std::string& mode, size_t number) {
  if (mode == "aborts") return RandomAborts(def, bootstrap, static_cast<int>(number));
  if (mode == "large") return Large(def, bootstrap, number);
  if (mode == "killed") return Killed(def, bootstrap, static_cast<int>(number));
  return Error(Code::kUsage, "there is no mode '", mode, "'");
}

Status Run(int argc, char** argv) {
  if (argc != 4) return Error(Code::kUsage, "conformance_faults TRANSPORT aborts|large|killed NUMBER");
  DF_ASSIGN(const std::unique_ptr<Bootstrap> bootstrap, StartBootstrap({.threads = 2}));
  const TransportDef* const def = Transports().Find(argv[1]);
  if (def == nullptr) return Error(Code::kUsage, "there is no transport '", argv[1], "'");
  DF_TRY(def->can_connect(*bootstrap));
  const Status status = RunMode(*def, *bootstrap, argv[2], ParseAs<size_t>(argv[3]).value_or(0));
  if (status.ok()) return status;
  std::fprintf(stderr, "rank %d: %s\n", bootstrap->rank(), status.ToString().c_str());
  bootstrap->Abort(1);  // others wait for this rank
  std::_Exit(1);        // not reached
}

}  // namespace
}  // namespace dfrun::comm

int main(int argc, char** argv) {
  const dfrun::Status status = dfrun::comm::Run(argc, argv);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
