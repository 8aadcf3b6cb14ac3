// What comm/CONTRACT.md promises, as tests that every transport inherits.
//
// Each test body runs once on every rank, at the same time: as threads of one process, or as processes of an mpirun. A
// body makes no transport: it is given new ones.
#ifndef DFRUN_TESTS_CONFORMANCE_TRANSPORT_TRANSPORT_SUITE_H_
#define DFRUN_TESTS_CONFORMANCE_TRANSPORT_TRANSPORT_SUITE_H_

#include <gtest/gtest.h>

#include <atomic>
#include <span>
#include <utility>

#include "comm/transport.h"

namespace dfrun::comm {

// A call whose callback counts. Lives until it has run.
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

// Ranks in a ring: everybody sends to the next and receives from the one before.
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

// All of them.
std::span<const TransportCase> TransportCases();
// Those of registered memory and remote reads, which are among them.
std::span<const TransportCase> RegionCases();

}  // namespace dfrun::comm

#endif  // DFRUN_TESTS_CONFORMANCE_TRANSPORT_TRANSPORT_SUITE_H_
