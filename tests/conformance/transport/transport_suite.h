// What comm/CONTRACT.md promises, as tests that every transport inherits.
//
// Each test body runs once on every rank, at the same time: as threads of one process, or as processes of an mpirun.
// A transport's test file has a fixture with `void OnEveryRank(void (*body)(Transport&))`, which makes new transports
// and returns when the body has returned on all ranks, and says DF_TRANSPORT_SUITE(fixture).
#ifndef DFRUN_TESTS_CONFORMANCE_TRANSPORT_TRANSPORT_SUITE_H_
#define DFRUN_TESTS_CONFORMANCE_TRANSPORT_TRANSPORT_SUITE_H_

#include <gtest/gtest.h>

#include <atomic>
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

// Polls until the call's callback has run. Fails the test after a minute.
void Wait(Transport& transport, const Pending& call);

void SizesArriveWhole(Transport& transport);
void AReceiveMayComeFirst(Transport& transport);
void AReceiveMayBeginLater(Transport& transport);
void MessagesOfATagKeepTheirOrder(Transport& transport);
void TagsAreApart(Transport& transport);
void AnotherSizeIsAnError(Transport& transport);
void ManyMessagesAtRandom(Transport& transport);
void ManyThreadsMaySend(Transport& transport);
void CallbacksMayCall(Transport& transport);
void AbortEndsEveryCall(Transport& transport);
void SaysWhatItIs(Transport& transport);

#define DF_TRANSPORT_SUITE(Fixture)               \
  TEST_F(Fixture, SaysWhatItIs) {                 \
    OnEveryRank(SaysWhatItIs);                    \
  }                                               \
  TEST_F(Fixture, SizesArriveWhole) {             \
    OnEveryRank(SizesArriveWhole);                \
  }                                               \
  TEST_F(Fixture, AReceiveMayComeFirst) {         \
    OnEveryRank(AReceiveMayComeFirst);            \
  }                                               \
  TEST_F(Fixture, AReceiveMayBeginLater) {        \
    OnEveryRank(AReceiveMayBeginLater);           \
  }                                               \
  TEST_F(Fixture, MessagesOfATagKeepTheirOrder) { \
    OnEveryRank(MessagesOfATagKeepTheirOrder);    \
  }                                               \
  TEST_F(Fixture, TagsAreApart) {                 \
    OnEveryRank(TagsAreApart);                    \
  }                                               \
  TEST_F(Fixture, AnotherSizeIsAnError) {         \
    OnEveryRank(AnotherSizeIsAnError);            \
  }                                               \
  TEST_F(Fixture, ManyMessagesAtRandom) {         \
    OnEveryRank(ManyMessagesAtRandom);            \
  }                                               \
  TEST_F(Fixture, ManyThreadsMaySend) {           \
    OnEveryRank(ManyThreadsMaySend);              \
  }                                               \
  TEST_F(Fixture, CallbacksMayCall) {             \
    OnEveryRank(CallbacksMayCall);                \
  }                                               \
  TEST_F(Fixture, AbortEndsEveryCall) {           \
    OnEveryRank(AbortEndsEveryCall);              \
  }

}  // namespace dfrun::comm

#endif  // DFRUN_TESTS_CONFORMANCE_TRANSPORT_TRANSPORT_SUITE_H_
