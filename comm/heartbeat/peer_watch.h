// The failure detector of heartbeats, without threads or sockets: it decides when a silent peer is suspected and when
// it is dead.
//
// A suspicion is confirmed before a death is declared: the peer is asked over all other paths, and an answer refutes
// the suspicion. Confirming takes longer when the watching thread itself runs late (Lifeguard, Dadgar et al. 2017,
// arXiv 1707.00788): a thread that was woken late by x gives its peers x more, since it may not have listened. A peer
// that reports that it runs late gets that much more too.
//
// The state of the peer's thread in /proc counts too, if a rank on its host can look. A thread that runs, or waits for
// a CPU or a disk, is late because other work goes before it; such a peer is waited for, up to a limit. A stopped
// thread gets no more time for lateness, unless the watching thread was late for so long that all may have been
// stopped. A thread that sleeps, or that cannot be seen, is judged by its silence alone.
#ifndef DFRUN_COMM_HEARTBEAT_PEER_WATCH_H_
#define DFRUN_COMM_HEARTBEAT_PEER_WATCH_H_

#include <chrono>
#include <optional>
#include <string>

namespace dfrun::comm {

using SteadyClock = std::chrono::steady_clock;
using SystemClock = std::chrono::system_clock;

struct WatchTimes {
  SteadyClock::duration every{};       // time between two heartbeats
  SteadyClock::duration dead_after{};  // silence after which a peer is dead
  bool minds_silence = true;           // false: only a connection that ends without a Bye tells of a death
  // Limit of the wait for a suspected peer that /proc shows to be at work.
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
  // Records the state of the peer's thread in /proc, as HostThread::StateOf() returns it. Has no effect unless the peer
  // is suspected.
  void Seen(char state, SteadyClock::time_point now);
  // Ends watching: the peer has sent Bye, or another rank has declared it dead.
  void Forget() { heard_.reset(); }

  // Returns the verdict that is due now. `own_late` is how late this thread has run lately.
  Verdict Look(SteadyClock::time_point now, SteadyClock::duration own_late);
  bool is_watched() const { return heard_.has_value(); }
  // Returns whether the peer was suspected and is waited for, because its thread is at work.
  bool is_waited_for() const { return waited_since_.has_value() && !suspected_; }
  // Describes what was observed of a silent or dead peer: "no heartbeat for 5.2 s, last heard at 14:03:07.123; the
  // thread of its heartbeats is stopped (state T)".
  std::string Describe(SteadyClock::time_point now) const;

 private:
  SteadyClock::time_point SuspectedFrom() const;
  SteadyClock::time_point DeadFrom(SteadyClock::duration own_late) const;
  void IsAlive();

  const WatchTimes times_;
  // Time of the last frame, moved on by this thread's own lateness and by waits
  std::optional<SteadyClock::time_point> heard_;
  SteadyClock::time_point silent_from_{};             // time of the last frame, moved on where this thread was stopped
  SteadyClock::time_point really_heard_{};            // time of the last frame, not moved
  SystemClock::time_point heard_at_{};                // system clock's time of the last frame
  std::optional<SteadyClock::time_point> suspected_;  // time of the suspicion
  std::optional<SteadyClock::time_point> waited_since_;
  char seen_ = 0;  // state of its thread since it is silent; 0: no rank has seen it
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
