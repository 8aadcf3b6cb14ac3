#include <algorithm>
#include <iterator>

#include "tests/mpi/queues/round.h"

namespace dfrun::testing {
namespace {

constexpr int kProducers = 16;
constexpr int kConsumers = 16;
constexpr int kMaxCalls = 3;
constexpr const char* kKinds[] = {"FIFOQueueV2", "RandomShuffleQueueV2", "PaddingFIFOQueueV2", "PriorityQueueV2"};
constexpr const char* kEndings[] = {"the end of its work", "a close", "a close that cancels", "a failure"};

class Drawing {
 public:
  Drawing(std::mt19937& random, int ranks) : random_(random), ranks_(ranks) {}
  Round Draw();

 private:
  // Returns a number in [0, n).
  int64_t Below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  int AnyRank() { return static_cast<int>(Below(ranks_)); }
  int num_queues() const { return static_cast<int>(round_.queues.size()); }
  QueuePlan AQueue(int number, int rank);
  void AddStep(Ending ending);
  std::vector<int64_t> Puts(StepPlan& step);
  void Takes(StepPlan& step, int queue, int64_t total);
  int64_t Wanted(Ending ending, int queue, int64_t there);
  Call ACall(const char* what, int queue, int worker, int rank);

  std::mt19937& random_;
  const int ranks_;
  Round round_;
  std::vector<int64_t> left_;  // values left in the queues after the steps so far
  int64_t next_value_ = 0;
  int next_call_ = 0;
};

QueuePlan Drawing::AQueue(int number, int rank) {
  QueuePlan queue{StrCat("queue_", number), rank, 1 + Below(24), 0};
  if (round_.kind == "RandomShuffleQueueV2") queue.min_after_dequeue = Below(queue.capacity);
  return queue;
}

Call Drawing::ACall(const char* what, int queue, int worker, int rank) {
  Call call;
  call.name = StrCat(what, "_", next_call_++);
  call.queue = queue;
  call.worker = worker;
  call.rank = rank;
  return call;
}

// Adds the puts of a step; returns the numbers of values put, by queue.
std::vector<int64_t> Drawing::Puts(StepPlan& step) {
  std::vector<int64_t> put(round_.queues.size());
  for (int producer = 0; producer < kProducers; ++producer) {
    const int rank = AnyRank();
    const int queue = static_cast<int>(Below(num_queues()));
    for (int64_t calls = Below(kMaxCalls + 1); calls > 0; --calls) {
      Call call = ACall("put", queue, producer, rank);
      call.form = Below(3) == 0 ? Call::Form::kPutOne : Call::Form::kPutMany;
      const int64_t count = call.form == Call::Form::kPutOne ? 1 : Below(9);
      for (int64_t i = 0; i < count; ++i) call.values.push_back(next_value_++);
      put[static_cast<size_t>(queue)] += count;
      step.calls.push_back(std::move(call));
    }
  }
  return put;
}

// Adds calls of a queue's consumers that take `total` values together.
void Drawing::Takes(StepPlan& step, int queue, int64_t total) {
  const int consumers = kConsumers / num_queues();
  std::vector<int> ranks;
  for (int i = 0; i < consumers; ++i) ranks.push_back(AnyRank());
  std::vector<int64_t> cuts = {0, total};
  for (int64_t i = Below(consumers * kMaxCalls); i > 0; --i) cuts.push_back(Below(total + 1));
  std::sort(cuts.begin(), cuts.end());
  for (size_t i = 1; i < cuts.size(); ++i) {
    const int consumer = static_cast<int>(Below(consumers));
    Call call = ACall("take", queue, kProducers + queue * consumers + consumer, ranks[static_cast<size_t>(consumer)]);
    call.wanted = cuts[i] - cuts[i - 1];
    call.form = Below(2) == 0 ? Call::Form::kTakeMany : Call::Form::kTakeUpTo;
    if (call.wanted == 1 && Below(2) == 0) call.form = Call::Form::kTakeOne;
    step.calls.push_back(std::move(call));
  }
}

// Returns how many of the values that will have been there are asked for. A step that nothing ends asks for a number
// that lets all calls end: the values that stay fit, and the queue may keep them back. So does a step with a Close that
// serves pending puts first.
int64_t Drawing::Wanted(Ending ending, int queue, int64_t there) {
  const QueuePlan& plan = round_.queues[static_cast<size_t>(queue)];
  if (ending == Ending::kCancel || ending == Ending::kFailure) return Below(there + 20);
  const int64_t least = std::max<int64_t>(there - plan.capacity, 0);
  if (ending == Ending::kClose) return least + Below(plan.capacity + 20);
  return there <= plan.min_after_dequeue ? 0 : least + Below(there - plan.min_after_dequeue - least + 1);
}

void Drawing::AddStep(Ending ending) {
  StepPlan step;
  step.ending = ending;
  const std::vector<int64_t> put = Puts(step);
  for (int queue = 0; queue < num_queues(); ++queue) {
    int64_t& left = left_[static_cast<size_t>(queue)];
    left += put[static_cast<size_t>(queue)];
    const int64_t wanted = Wanted(ending, queue, left);
    Takes(step, queue, wanted);
    left -= wanted;
    step.nap_us.push_back(Below(2) == 0 ? 0 : Below(3000));
    step.nap_rank.push_back(AnyRank());
  }
  round_.steps.push_back(std::move(step));
}

Round Drawing::Draw() {
  round_.kind = kKinds[Below(static_cast<int64_t>(std::size(kKinds)))];
  if (Below(2) == 0) {
    round_.queues.push_back(AQueue(0, AnyRank()));
  } else {
    for (int rank = 0; rank < ranks_; ++rank) round_.queues.push_back(AQueue(rank, rank));
  }
  left_.resize(round_.queues.size());
  for (int64_t steps = Below(3); steps > 0; --steps) AddStep(Ending::kNone);
  AddStep(static_cast<Ending>(Below(static_cast<int64_t>(std::size(kEndings)))));
  return std::move(round_);
}

}  // namespace

Round Round::Draw(std::mt19937& random, int ranks) {
  return Drawing(random, ranks).Draw();
}

std::string Round::ToString() const {
  size_t calls = 0;
  for (const StepPlan& step : steps) calls += step.calls.size();
  return StrCat(kind, ", ", queues.size(), " queues, ", steps.size(), " steps with ", calls, " calls, ends with ",
                kEndings[static_cast<int>(steps.back().ending)]);
}

}  // namespace dfrun::testing
