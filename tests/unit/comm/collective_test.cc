// Every implementation of collectives, on ranks that are threads of the test: values, bits and aborts.
#include "src/framework/communication/collective.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "comm/in_process/in_process_transport.h"
#include "comm/rendezvous/rank_rendezvous.h"
#include "kernels/comm/reduce.h"
#include "src/framework/communication/collective_registry.h"
#include "tests/unit/testing/plain_device.h"

namespace dfrun::comm {
namespace {

struct Call {
  std::atomic<bool> done{false};
  Status status;
  Callback callback() {
    return {[](void* arg, Status status) {
              auto* self = static_cast<Call*>(arg);
              self->status = std::move(status);
              self->done.store(true);
            },
            this};
  }
};

// A participant on a thread of its own.
struct Rank {
  Rank(const std::shared_ptr<InProcessHub>& hub, int rank, std::vector<ChannelEndpoint> of_plan)
      : transport(hub, rank), ends(std::move(of_plan)), rendezvous(transport, 0, ends) {
    step.rendezvous = &rendezvous;
  }
  void Wait(const Call& call) {
    while (!call.done.load()) {
      if (!transport.Poll()) std::this_thread::yield();
    }
  }
  InProcessTransport transport;
  const std::vector<ChannelEndpoint> ends;
  RankRendezvous rendezvous;
  StepContext step;
};

CollectivePlan PlanOf(CollectiveKind kind, DType dtype, int64_t elements, int size) {
  CollectivePlan plan;
  plan.kind = kind;
  plan.dtype = dtype;
  plan.elements = elements;
  plan.channel = 7;
  for (int i = 0; i < size; ++i) plan.ranks.push_back(i);
  return plan;
}

using Body = std::function<void(const CollectivePlan& plan, Rank& rank, Collective& collective)>;

// Runs `body` for each participant, two steps one after the other.
void OnRanks(const CollectiveDef& implementation, const CollectivePlan& of_all, const Body& body,
             ErrorScope scope = ErrorScope::kSession) {
  const auto hub = std::make_shared<InProcessHub>(of_all.size());
  std::vector<std::thread> threads;
  for (int i = 0; i < of_all.size(); ++i) {
    threads.emplace_back([&, i] {
      CollectivePlan plan = of_all;
      plan.index = i;
      testing::PlainDevice device;
      Rank rank(hub, i, implementation.ends(plan));
      Result<std::unique_ptr<Collective>> made = implementation.make(plan, device);
      ASSERT_TRUE(made.ok()) << made.status().ToString();
      for (int step = 0; step < 2; ++step) {
        rank.rendezvous.StartStep(scope);
        body(plan, rank, **made);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Returns values whose sums depend on the order.
template <class T>
T ValueOf(int participant, int64_t i) {
  const auto mixed = static_cast<uint32_t>(i * 2654435761 + participant * 40503 + 12345);
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(mixed % 23) - 11;
  } else {
    const float magnitude = participant % 3 == 1 ? 1e4f : 1.0f;
    return static_cast<T>(magnitude * (static_cast<float>(mixed % 2003) - 1001.0f) / 997.0f);
  }
}

template <class T>
Tensor ValuesOf(int participant, int64_t n) {
  Tensor values(DTypeOf<T>, Shape({n}));
  for (int64_t i = 0; i < n; ++i) values.data<T>()[i] = ValueOf<T>(participant, i);
  return values;
}

template <class T>
T Step(Reduction reduction, T x, T y) {
  switch (reduction) {
    case Reduction::kMul:
      return static_cast<T>(x * y);
    case Reduction::kMin:
      return y < x ? y : x;
    case Reduction::kMax:
      return y > x ? y : x;
    case Reduction::kAdd:
    case Reduction::kMean:
      break;
  }
  return static_cast<T>(x + y);
}

// Reduces by the definition: from the first participant to the last, each step rounded.
template <class T>
T Folded(Reduction reduction, int size, int64_t i) {
  T folded = ValueOf<T>(0, i);
  for (int p = 1; p < size; ++p) folded = Step<T>(reduction, folded, ValueOf<T>(p, i));
  return reduction == Reduction::kMean ? static_cast<T>(folded / static_cast<T>(static_cast<float>(size))) : folded;
}

template <class T>
void ExpectElements(const Tensor& output, int64_t first, const std::function<T(int64_t)>& expected) {
  int64_t wrong = 0;
  for (int64_t i = 0; i < output.num_elements(); ++i) {
    const T want = expected(first + i);
    wrong += std::memcmp(&output.data<T>()[i], &want, sizeof(T)) == 0 ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0) << "of " << output.num_elements() << " elements from " << first << " on";
}

constexpr Reduction kAll[] = {Reduction::kAdd, Reduction::kMul, Reduction::kMin, Reduction::kMax, Reduction::kMean};

template <class T>
void Reduces(const CollectiveDef& implementation, int size, int64_t elements, Reduction reduction) {
  const Reducer reducer = ReducerOf<T>(reduction);
  const auto expected = [=](int64_t i) { return Folded<T>(reduction, size, i); };
  OnRanks(implementation, PlanOf(CollectiveKind::kAllReduce, DTypeOf<T>, elements, size),
          [&](const CollectivePlan& plan, Rank& rank, Collective& collective) {
            const Tensor input = ValuesOf<T>(plan.index, elements);
            Tensor output(DTypeOf<T>, input.shape());
            Call call;
            collective.AllReduce(rank.step, reducer, input, output, call.callback());
            rank.Wait(call);
            EXPECT_TRUE(call.status.ok()) << call.status.ToString();
            ExpectElements<T>(output, 0, expected);
          });
  const int64_t part = elements / size;
  OnRanks(implementation, PlanOf(CollectiveKind::kReduceScatter, DTypeOf<T>, part * size, size),
          [&](const CollectivePlan& plan, Rank& rank, Collective& collective) {
            const Tensor input = ValuesOf<T>(plan.index, part * size);
            Tensor output(DTypeOf<T>, Shape({part}));
            Call call;
            collective.ReduceScatter(rank.step, reducer, input, output, call.callback());
            rank.Wait(call);
            EXPECT_TRUE(call.status.ok()) << call.status.ToString();
            ExpectElements<T>(output, part * plan.index, expected);
          });
}

void Gathers(const CollectiveDef& implementation, int size, int64_t elements) {
  OnRanks(implementation, PlanOf(CollectiveKind::kAllGather, DType::kFloat, elements, size),
          [&](const CollectivePlan& plan, Rank& rank, Collective& collective) {
            const Tensor input = ValuesOf<float>(plan.index, elements);
            Tensor output(DType::kFloat, Shape({size * elements}));
            Call call;
            collective.AllGather(rank.step, input, output, call.callback());
            rank.Wait(call);
            EXPECT_TRUE(call.status.ok()) << call.status.ToString();
            ExpectElements<float>(
                output, 0, [=](int64_t i) { return ValueOf<float>(static_cast<int>(i / elements), i % elements); });
          });
}

void Broadcasts(const CollectiveDef& implementation, int size, int64_t elements, int root) {
  CollectivePlan of_all = PlanOf(CollectiveKind::kBroadcast, DType::kFloat, elements, size);
  of_all.root = root;
  OnRanks(implementation, of_all, [&](const CollectivePlan& plan, Rank& rank, Collective& collective) {
    Tensor value = plan.index == root ? ValuesOf<float>(root, elements) : Tensor(DType::kFloat, Shape({elements}));
    Call call;
    collective.Broadcast(rank.step, value, call.callback());
    rank.Wait(call);
    EXPECT_TRUE(call.status.ok()) << call.status.ToString();
    ExpectElements<float>(value, 0, [=](int64_t i) { return ValueOf<float>(root, i); });
  });
}

// The parameters are the implementation and the number of participants.
class CollectiveSuite : public ::testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  const CollectiveDef& implementation() const { return *Collectives().Find(std::get<0>(GetParam())); }
  int size() const { return std::get<1>(GetParam()); }
};

// The sizes are around 64 KiB, where values begin to be cut into parts, and around 256 KiB per part, where parts are
// cut into segments.
TEST_P(CollectiveSuite, SumsInTheOrderOfParticipants) {
  for (const int64_t elements : {0, 1, 3, 8, 1000, 16383, 16384, 70001, 1 << 20}) {
    SCOPED_TRACE(StrCat(elements, " elements"));
    Reduces<float>(implementation(), size(), elements, Reduction::kAdd);
  }
}

TEST_P(CollectiveSuite, EveryReductionOfEveryType) {
  for (const Reduction reduction : kAll) {
    for (const int64_t elements : {5, 20011}) {
      SCOPED_TRACE(StrCat("reduction ", static_cast<int>(reduction), ", ", elements, " elements"));
      Reduces<float>(implementation(), size(), elements, reduction);
      Reduces<double>(implementation(), size(), elements, reduction);
      Reduces<int32_t>(implementation(), size(), elements, reduction);
      Reduces<bfloat16>(implementation(), size(), elements, reduction);
    }
  }
}

TEST_P(CollectiveSuite, GathersAndBroadcasts) {
  for (const int64_t elements : {0, 1, 1000, 300001}) {
    SCOPED_TRACE(StrCat(elements, " elements"));
    Gathers(implementation(), size(), elements);
    for (const int root : {0, size() - 1}) Broadcasts(implementation(), size(), elements, root);
  }
}

// The last participant does not come; its rank ends the step instead, and the others hear of it.
TEST_P(CollectiveSuite, AnErrorOfTheStepEndsIt) {
  const int n = size();
  if (n == 1) return;
  const Status boom = FailedPrecondition("participant ", n - 1, " is gone");
  for (const int64_t elements : {10, 400000}) {
    std::atomic<int> waiting{0};
    OnRanks(implementation(), PlanOf(CollectiveKind::kAllReduce, DType::kFloat, elements, n),
            [&](const CollectivePlan& plan, Rank& rank, Collective& collective) {
              const Tensor input = ValuesOf<float>(plan.index, elements);
              Tensor output(DType::kFloat, input.shape());
              Call call;
              if (plan.index < n - 1) {
                collective.AllReduce(rank.step, ReducerOf<float>(Reduction::kAdd), input, output, call.callback());
              }
              ++waiting;
              while (waiting < n) rank.transport.Poll();
              rank.rendezvous.Abort(boom);
              if (plan.index == n - 1) return;
              rank.Wait(call);
              EXPECT_EQ(call.status.message(), boom.message());
            });
  }
}

// The step alone ends, with nothing on its way: the next step over the same channels goes well.
TEST_P(CollectiveSuite, AStepThatFailsAloneLeavesTheNextOneWhole) {
  const int n = size();
  if (n == 1) return;
  const Status boom = FailedPrecondition("this step fails");
  std::atomic<int> step_of[8] = {};
  OnRanks(
      implementation(), PlanOf(CollectiveKind::kAllReduce, DType::kFloat, 400000, n),
      [&](const CollectivePlan& plan, Rank& rank, Collective& collective) {
        const bool fails = step_of[plan.index]++ == 0;
        const Tensor input = ValuesOf<float>(plan.index, plan.elements);
        Tensor output(DType::kFloat, input.shape());
        Call call;
        const bool comes = !fails || plan.index < n - 1;
        if (comes) {
          collective.AllReduce(rank.step, ReducerOf<float>(Reduction::kAdd), input, output, call.callback());
        }
        if (!fails) {
          rank.Wait(call);
          EXPECT_TRUE(call.status.ok()) << call.status.ToString();
          return ExpectElements<float>(output, 0, [n](int64_t i) { return Folded<float>(Reduction::kAdd, n, i); });
        }
        Call quiet;
        rank.rendezvous.EndStep(boom, quiet.callback());
        rank.Wait(quiet);
        if (!comes) return;
        rank.Wait(call);
        EXPECT_EQ(call.status.message(), boom.message());
      },
      ErrorScope::kStep);
}

std::vector<std::string> Implementations() {
  std::vector<std::string> names;
  for (const auto& [name, def] : Collectives().all()) names.push_back(name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Implementations, CollectiveSuite,
                         ::testing::Combine(::testing::ValuesIn(Implementations()), ::testing::Values(1, 2, 3, 4, 8)),
                         [](const auto& info) {
                           return StrCat(std::get<0>(info.param), "_", std::get<1>(info.param));
                         });

}  // namespace
}  // namespace dfrun::comm
