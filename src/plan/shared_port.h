// A port of a rank, whose bandwidth the messages that pass it at a time share equally.
//
// This is processor sharing (Kleinrock, 1967): while n messages pass, each gets 1/n of the port. The service that each
// message present has had so far grows alike for all, so that they leave in the order of the service at which they end.
#ifndef DFRUN_SRC_PLAN_SHARED_PORT_H_
#define DFRUN_SRC_PLAN_SHARED_PORT_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace dfrun {

// Times are in seconds, and never go back from one call to the next.
// Thread safety: one thread.
class SharedPort {
 public:
  // A message begins to pass, which would take `alone_s` if it were the only one.
  void Add(int message, double alone_s, double now_s);
  bool IsEmpty() const { return passing_.empty(); }
  // The time at which the next message has passed if none is added. There is one.
  double NextEnd() const;
  // Removes that message, and returns it. The time is NextEnd().
  int TakeNext();

  // The number of the event that waits for the next message.
  int64_t event = 0;

 private:
  double since_s_ = 0;                           // when `served_s_` was brought up to date
  double served_s_ = 0;                          // service that each message has had since the port was empty first
  std::vector<std::pair<double, int>> passing_;  // a heap: the service at which a message has passed, and the message
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_SHARED_PORT_H_
