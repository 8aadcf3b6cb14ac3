// The failure detector of heartbeats, without threads or sockets: it decides when a silent peer is suspected and when
// it is dead.
//
// Suspicion is scaled by how late the watching thread itself runs (Lifeguard, Dadgar et al. 2017, arXiv 1707.00788): a
// thread that was woken late by x gives its peers x more, for it may have been they who were not heard, or it that did
// not listen; and a peer that says that it runs late itself gets that much more too. A suspicion is confirmed before
// it is declared: the peer is asked by all other ways, and an answer refutes it.
//
// What /proc shows of the peer's thread counts too, where somebody on its host can look. A thread that runs, or waits
// for a CPU or a disk, is late because others go before it: it is waited for, for some time. Of one that is stopped
// nobody's lateness is the reason. One that sleeps, or that cannot be seen, is judged by its silence alone.
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
  // How long a suspected peer is waited for that /proc shows to be at work.
  SteadyClock::duration wait_most = std::chrono::seconds(60);

  // Returns how long the answer to a suspicion is awaited, which is part of dead_after.
  SteadyClock::duration confirming() const { return dead_after / 5; }
  // Returns how long that answer is awaited if the peer's connection has ended.
  SteadyClock::duration confirming_end() const;
};

// Watches one peer.
// Thread safety: one thread.
class PeerWatch {
 public:
  enum class Verdict { kNone, kSuspect, kDead };

  explicit PeerWatch(const WatchTimes& times) : times_(times) {}

  // Records that a frame has arrived. Watching begins with the first.
  void Heard(SteadyClock::time_point now);
  // Records how late the peer says that it runs.
  void RunsLate(SteadyClock::duration late) { peer_late_ = late; }
  // Records that the watching thread was woken late.
  void WokenLate(SteadyClock::duration late);
  // Records that the connection has ended without a Bye.
  void Ended(SteadyClock::time_point now);
  // Records that the peer has answered over another path.
  void Refuted(SteadyClock::time_point now);
  // What /proc shows of its thread, as HostThread::StateOf() tells it. Of no interest where it is not suspected.
  void Seen(char state, SteadyClock::time_point now);
  // It has said Bye, or was declared dead by another.
  void Forget() { heard_.reset(); }

  // What is due now. `own_late`: how late this thread runs lately.
  Verdict Look(SteadyClock::time_point now, SteadyClock::duration own_late);
  bool is_watched() const { return heard_.has_value(); }
  // It was suspected, and is at work.
  bool is_waited_for() const { return waited_since_.has_value() && !suspected_; }
  // "no heartbeat for 5.2 s, last heard at 14:03:07.123; the thread of its heartbeats is stopped (state T)": what was
  // seen of one that is silent or dead.
  std::string Describe(SteadyClock::time_point now) const;

 private:
  SteadyClock::time_point SuspectedFrom() const;
  SteadyClock::duration Confirming(SteadyClock::duration own_late) const;
  void IsAlive();

  const WatchTimes times_;
  std::optional<SteadyClock::time_point> heard_;      // moved on by what this thread was woken late
  SteadyClock::time_point really_heard_{};            // not moved
  SystemClock::time_point heard_at_{};                // by the clock on the wall
  std::optional<SteadyClock::time_point> suspected_;  // when
  std::optional<SteadyClock::time_point> waited_since_;
  char seen_ = 0;  // while it is silent; 0: nobody has looked
  SteadyClock::duration peer_late_{};
  bool has_ended_ = false;
};

// The local health of Lifeguard: how late this thread has run lately. It keeps the maximum, which decays by halves.
// Thread safety: one thread.
class LocalHealth {
 public:
  // Records that a wait has ended `late` after it should have.
  void Note(SteadyClock::time_point now, SteadyClock::duration late);
  SteadyClock::duration Lately(SteadyClock::time_point now) const;

 private:
  SteadyClock::duration most_{};
  SteadyClock::time_point noted_{};
};

// Formats a local time: "14:03:07.123".
std::string ClockText(SystemClock::time_point time);

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_HEARTBEAT_PEER_WATCH_H_
