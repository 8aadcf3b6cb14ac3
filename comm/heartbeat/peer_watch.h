// Decides when a silent peer is suspected, and when it is dead: the clockwork of heartbeats, without threads or
// sockets.
//
// Suspicion is scaled by how late the watching thread itself runs (Lifeguard, Dadgar et al. 2017, arXiv 1707.00788): a
// thread that was woken late by x gives its peers x more, for it may have been they who were not heard, or it that did
// not listen; and a peer that says that it runs late itself gets that much more too. A suspicion is confirmed before
// it is declared: the peer is asked by all other ways, and an answer refutes it.
#ifndef DFRUN_COMM_HEARTBEAT_PEER_WATCH_H_
#define DFRUN_COMM_HEARTBEAT_PEER_WATCH_H_

#include <chrono>
#include <optional>
#include <string>

namespace dfrun::comm {

using SteadyClock = std::chrono::steady_clock;
using SystemClock = std::chrono::system_clock;

struct WatchTimes {
  SteadyClock::duration every{};       // between two heartbeats
  SteadyClock::duration dead_after{};  // of silence
  bool minds_silence = true;           // false: only a connection that ends without a word tells of a death

  // How long the answer to a suspicion is waited for, which is part of dead_after.
  SteadyClock::duration confirming() const { return dead_after / 5; }
  // The same of a peer whose connection has ended.
  SteadyClock::duration confirming_end() const;
};

// Of one peer. Thread safety: one thread.
class PeerWatch {
 public:
  enum class Verdict { kNone, kSuspect, kDead };

  explicit PeerWatch(const WatchTimes& times) : times_(times) {}

  // A frame has come. Watching begins with the first.
  void Heard(SteadyClock::time_point now);
  // How late the peer runs.
  void RunsLate(SteadyClock::duration late) { peer_late_ = late; }
  // The watching thread was woken late.
  void WokenLate(SteadyClock::duration late);
  // Its connection has ended without a Bye.
  void Ended(SteadyClock::time_point now);
  // It has answered by another way.
  void Refuted(SteadyClock::time_point now);
  // It has said Bye, or was declared dead by another.
  void Forget() { heard_.reset(); }

  // What is due now: each verdict once. `own_late`: how late this thread runs lately.
  Verdict Look(SteadyClock::time_point now, SteadyClock::duration own_late);
  bool is_watched() const { return heard_.has_value(); }
  bool has_ended() const { return has_ended_; }
  // "no heartbeat for 5.2 s, last heard at 14:03:07.123": what was seen of one that is dead.
  std::string Describe(SteadyClock::time_point now) const;

 private:
  SteadyClock::time_point SuspectedFrom(SteadyClock::duration own_late) const;

  const WatchTimes times_;
  std::optional<SteadyClock::time_point> heard_;      // moved on by what this thread was woken late
  SteadyClock::time_point really_heard_{};            // not moved
  SystemClock::time_point heard_at_{};                // by the clock on the wall
  std::optional<SteadyClock::time_point> suspected_;  // when
  SteadyClock::duration peer_late_{};
  bool has_ended_ = false;
};

// How late a thread runs lately: the most, which is forgotten by halves. Thread safety: one thread.
class Lateness {
 public:
  // A wait that was to end `late` ago has ended.
  void Note(SteadyClock::time_point now, SteadyClock::duration late);
  SteadyClock::duration Lately(SteadyClock::time_point now) const;

 private:
  SteadyClock::duration most_{};
  SteadyClock::time_point noted_{};
};

// "14:03:07.123", local time.
std::string ClockText(SystemClock::time_point time);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_HEARTBEAT_PEER_WATCH_H_
