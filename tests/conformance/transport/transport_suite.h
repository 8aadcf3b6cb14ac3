// The tests of the promises of comm/CONTRACT.md, which every transport inherits.
//
// Each test body runs once on every rank, at the same time: ranks are threads of one process, or processes of an
// mpirun. A body makes no transport: it is given new ones.
#ifndef DFRUN_TESTS_CONFORMANCE_TRANSPORT_TRANSPORT_SUITE_H_
#define DFRUN_TESTS_CONFORMANCE_TRANSPORT_TRANSPORT_SUITE_H_

#include <gtest/gtest.h>

#include <atomic>
#include <span>
#include <utility>

#include "comm/transport.h"

namespace dfrun::comm {

// A call whose callback counts its runs. Must live until the callback has run.
struct Pending {
  std::atomic<int> runs{0};
  Status status;
  Callback callback() {
    return {[](void* arg, Status status) {
              auto* self = static_cast<Pending*>(arg);
              self->status = std::move(status);
              self->runs.fetch_add(1);
            },
            this};
  }
};

// The ranks form a ring: each sends to the next and receives from the previous one.
inline int Next(const Transport& t) {
  return (t.rank() + 1) % t.size();
}
inline int Previous(const Transport& t) {
  return (t.rank() + t.size() - 1) % t.size();
}

// Polls until the call's callback has run. Fails the test after a minute.
void Wait(Transport& transport, const Pending& call);

struct TransportCase {
  const char* name;
  void (*body)(Transport& transport);
};

// Returns all cases.
std::span<const TransportCase> TransportCases();
// Returns the cases of registered memory and remote reads, which are among them.
std::span<const TransportCase> RegionCases();

}  // namespace dfrun::comm

#endif  // DFRUN_TESTS_CONFORMANCE_TRANSPORT_TRANSPORT_SUITE_H_
