#include "tests/unit/testing/steps_in_flight.h"

#include <cstdio>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "src/session/session.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun::testing {
namespace {

constexpr int32_t kRows = 3000;
constexpr const char* kBroken = "is not in [0, 3000)";  // error of Gather for an index that is no row

std::string TaskDevice(int task) {
  return StrCat("/job:worker/task:", task);
}

// A graph over all ranks:
//   picked = x through every rank, and to it the row of `index` of a table, on the last rank. Index kRows has no row.
//   sum    = 2 * x + what a queue on the last rank gives; put: puts `value` into the queue
//   both   = picked + what the queue gives
//   reduced = the sum over all ranks of x, on the last rank of what the queue gives; all = reduced + picked
//   end    = the loop's variable, from `start` up by a row of the table an iteration, while it is below `limit`
class Maker {
 public:
  explicit Maker(int ranks) : last_(ranks - 1), ranks_(ranks) {}

  Graph Make() {
    const Output x = On(0, "x", "Placeholder", {}, {{"dtype", DType::kFloat}, {"shape", Shape({})}});
    AddQueue(x);
    AddPicked(x);
    AddReduced(x);
    AddLoop();
    return std::move(m_.graph);
  }

 private:
  Output On(int rank, const std::string& name, const std::string& op, const std::vector<Output>& inputs,
            const AttrMap& attrs = {}) {
    const Output added = m_.Add(name, op, inputs, attrs);
    m_.node(added).device = TaskDevice(rank);
    return added;
  }
  Output Ones(int rank, const std::string& name, DType dtype) {
    Tensor ones(dtype, Shape({kRows}));
    for (int i = 0; i < kRows; ++i) {
      dtype == DType::kFloat ? ones.data<float>()[i] = 1 : ones.data<int32_t>()[i] = 1;
    }
    return On(rank, name, "Const", {}, {{"dtype", dtype}, {"value", ones}});
  }

  void AddQueue(Output x) {
    const std::vector<DType> components{DType::kFloat};
    const Output queue = On(last_, "queue", "FIFOQueueV2", {},
                            {{"component_types", components},
                             {"shapes", std::vector<PartialShape>{PartialShape::Scalar()}},
                             {"capacity", 100}});
    const Output value = On(0, "value", "Placeholder", {}, {{"dtype", DType::kFloat}, {"shape", Shape({})}});
    On(last_, "put", "QueueEnqueueV2", {queue, value});
    got_ = On(last_, "got", "QueueDequeueV2", {queue}, {{"component_types", components}});
    const Output twice = On(ranks_ / 2, "twice", "Add", {x, x});
    On(0, "sum", "Add", {twice, got_});
  }

  void AddPicked(Output x) {
    const Output index = On(0, "index", "Placeholder", {}, {{"dtype", DType::kInt32}, {"shape", PartialShape()}});
    Output value = x;
    for (int rank = 0; rank < ranks_; ++rank) value = On(rank, StrCat("hop_", rank), "Identity", {value});
    const Output row = On(last_, "row", "Gather", {Ones(last_, "table", DType::kFloat), index});
    const Output sum = On(last_, "row_sum", "Add", {value, row});
    for (int rank = last_; rank >= 0; --rank)
      value = On(rank, StrCat("back_", rank), "Identity", {rank == last_ ? sum : value});
    On(0, "picked", "Identity", {value});
    On(0, "both", "Add", {value, got_});
  }

  // Adds a collective in which all ranks wait for the last, and the last waits for the queue.
  void AddReduced(Output x) {
    std::vector<Output> parts;
    for (int rank = 0; rank < ranks_; ++rank) {
      const Output ones = Ones(rank, StrCat("ones_", rank), DType::kFloat);
      parts.push_back(On(rank, StrCat("part_", rank), "Mul", {rank == last_ ? got_ : x, ones}));
    }
    const Output all = m_.Add("all_reduced", "AllReduce", parts);
    const Output zero = m_.Const("zero", Tensor::Scalar<int32_t>(0));
    Output read;
    for (int32_t rank = last_; rank >= 0; --rank) {
      read = On(rank, StrCat("read_", rank), "Gather", {Output{all.node, rank}, zero});
    }
    On(0, "reduced", "Identity", {read});
    On(0, "all", "Add", {read, {m_.graph.Find("picked"), 0}});
  }

  Output Enter(int rank, const std::string& name, Output value, bool is_constant) {
    return On(rank, name, "Enter", {value},
              {{"frame_name", "loop"}, {"is_constant", is_constant}, {"parallel_iterations", 4}});
  }
  void AddLoop() {
    const AttrMap number{{"dtype", DType::kInt32}, {"shape", Shape({})}};
    const Output limit = Enter(0, "in_limit", On(0, "limit", "Placeholder", {}, number), true);
    const Output first = Enter(0, "in_start", On(0, "start", "Placeholder", {}, number), false);
    const Output table = Enter(last_, "in_table", Ones(last_, "steps", DType::kInt32), true);
    const Output i = On(0, "i", "Merge", {first, Output{}}, {{"T", DType::kInt32}, {"N", 2}});
    const Output goes_on = On(0, "goes_on", "LoopCond", {On(0, "below", "Less", {i, limit})});
    const Output branch = On(0, "branch", "Switch", {i, goes_on});
    const Output step = On(last_, "step", "Gather", {table, Output{branch.node, 1}});
    const Output seen = On(ranks_ / 2, "seen", "Identity", {step});
    const Output sum = On(0, "next", "AddV2", {Output{branch.node, 1}, seen});
    EXPECT_TRUE(m_.graph.SetInput(i.node, 1, On(0, "again", "NextIteration", {sum})).ok());
    On(0, "end", "Exit", {branch});
  }

  const int last_;
  const int ranks_;
  GraphMaker m_;
  Output got_;
};

// Prints the error at once: if a case ends with a step that waits for another, it waits for ever.
template <class... Texts>
Status NotSo(const Texts&... texts) {
  Status status = Internal(texts...);
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status;
}

// A session over Maker's graph, and a step of each of its parts.
class Steps {
 public:
  static Result<std::unique_ptr<Steps>> Open(Runtime& runtime, ErrorScope scope = ErrorScope::kStep) {
    SessionOptions options;
    options.optimize = false;
    options.error_scope = scope;
    DF_ASSIGN(auto session, Session::Create(runtime, Maker(runtime.size()).Make(), options));
    return std::unique_ptr<Steps>(new Steps(runtime.size(), std::move(session)));
  }
  Session& session() { return *session_; }
  bool has_peers() const { return ranks_ > 1; }

  using Pending = Result<std::unique_ptr<PendingStep>>;
  Pending StartSum(float x) { return Start({"x"}, "sum", {Tensor::Scalar(x)}); }
  Pending StartPicked(float x, int32_t index) {
    return Start({"x", "index"}, "picked", {Tensor::Scalar(x), Tensor::Scalar(index)});
  }
  Pending StartBoth(float x, int32_t index) {
    return Start({"x", "index"}, "both", {Tensor::Scalar(x), Tensor::Scalar(index)});
  }
  Pending StartReduced(float x) { return Start({"x"}, "reduced", {Tensor::Scalar(x)}); }
  Pending StartAll(float x, int32_t index) {
    return Start({"x", "index"}, "all", {Tensor::Scalar(x), Tensor::Scalar(index)});
  }
  // Returns the value that StartReduced() gives.
  float Reduced(float x, float put) const { return static_cast<float>(ranks_ - 1) * x + put; }
  Pending StartLoop(int32_t start, int32_t limit) {
    return Start({"start", "limit"}, "end", {Tensor::Scalar(start), Tensor::Scalar(limit)});
  }
  Status Put(float value) { return session_->Run({{"value", Tensor::Scalar(value)}}, {}, {"put"}).status(); }
  Result<float> RunPicked(float x, int32_t index) {
    DF_ASSIGN(const auto out, session_->Run({{"x", Tensor::Scalar(x)}, {"index", Tensor::Scalar(index)}}, {"picked"}));
    return out[0].scalar<float>();
  }
  // Checks that the step gives this value.
  template <class T>
  static Status Expect(Pending& step, T wanted) {
    DF_TRY(step.status());
    Tensor fetch;
    if (const Status status = (*step)->Wait({&fetch, 1}); !status.ok()) {
      return NotSo("a step ended with ", status.ToString(), " in place of ", wanted);
    }
    if (fetch.scalar<T>() == wanted) return Status();
    return NotSo("a step gave ", fetch.scalar<T>(), " in place of ", wanted);
  }
  static Status StatusOf(Pending& step) {
    DF_TRY(step.status());
    Tensor fetch;
    return (*step)->Wait({&fetch, 1});
  }
  // Checks that the step ends with the error of a missing row, which names the last rank.
  Status ExpectBroken(Pending& step) const { return ExpectBroken(StatusOf(step)); }
  Status ExpectBroken(const Status& status) const {
    const std::string rank = has_peers() ? StrCat("rank ", ranks_ - 1, " (host ") : "";
    if (status.code() == Code::kInvalidArgument && status.message().find(kBroken) != std::string::npos &&
        status.message().find(rank) != std::string::npos) {
      return Status();
    }
    return NotSo("a step that has no row ended with ", status.ToString());
  }

 private:
  Steps(int ranks, std::unique_ptr<Session> session) : ranks_(ranks), session_(std::move(session)) {}

  Pending Start(const std::vector<std::string>& feeds, const std::string& fetch, const std::vector<Tensor>& values) {
    DF_ASSIGN(const Session::Handle handle, session_->Prepare(feeds, {fetch}));
    return session_->StartStep(handle, values);
  }

  const int ranks_;
  const std::unique_ptr<Session> session_;
};

// A step of one waits for what a step of the other brings.
Status TwoExecutables(Runtime& runtime) {
  DF_ASSIGN(const auto steps, Steps::Open(runtime));
  for (int round = 0; round < 20; ++round) {
    const auto x = static_cast<float>(round);
    auto waiting = steps->StartSum(x);
    auto beside = steps->StartPicked(x, round);
    DF_TRY(Steps::Expect(beside, x + 1));
    if (waiting.ok() && (*waiting)->ended()) return NotSo("a step ended before what it waits for was put");
    DF_TRY(steps->Put(x * 100));
    DF_TRY(Steps::Expect(waiting, x * 102));
  }
  return steps->session().Close();
}

// Parts with a queue take turns in the order of the steps; the others do not wait for each other.
Status StepsOfOne(Runtime& runtime) {
  DF_ASSIGN(const auto steps, Steps::Open(runtime));
  constexpr int kSteps = 4;
  for (int round = 0; round < 10; ++round) {
    std::vector<Steps::Pending> waiting;
    for (int i = 0; i < kSteps; ++i) waiting.push_back(steps->StartSum(static_cast<float>(i)));
    for (const auto& step : waiting) {
      if (step.ok() && (*step)->ended()) return NotSo("a step ended before what it waits for was put");
    }
    for (int i = 0; i < kSteps; ++i) DF_TRY(steps->Put(static_cast<float>(10 * i + round)));
    for (int i = kSteps; i-- > 0;) DF_TRY(Steps::Expect(waiting[i], static_cast<float>(12 * i + round)));
  }
  return steps->session().Close();
}

Status LoopsInterleave(Runtime& runtime) {
  DF_ASSIGN(const auto steps, Steps::Open(runtime));
  for (int round = 0; round < 3; ++round) {
    auto slow = steps->StartLoop(0, kRows);
    auto quick = steps->StartLoop(round, round + 3);
    DF_TRY(Steps::Expect(quick, round + 3));
    DF_TRY(Steps::Expect(slow, kRows));
  }
  return steps->session().Close();
}

// The case has more rounds than there are slots: a failed step must leave its slot clean.
Status ErrorsAreOfOneStep(Runtime& runtime) {
  DF_ASSIGN(const auto steps, Steps::Open(runtime));
  for (int round = 0; round < 100; ++round) {
    const auto x = static_cast<float>(round);
    auto waiting = steps->StartSum(x);
    auto first = steps->StartPicked(x, round);
    auto broken = steps->StartPicked(x, kRows);
    auto last = steps->StartPicked(x + 5, 0);
    DF_TRY(steps->ExpectBroken(broken));
    DF_TRY(Steps::Expect(last, x + 6));
    DF_TRY(Steps::Expect(first, x + 1));
    DF_TRY(steps->Put(7));
    DF_TRY(Steps::Expect(waiting, 2 * x + 7));
  }
  return steps->session().Close();
}

// A step that fails takes nothing from the queue that it waits at.
Status AStepThatFailsLeavesItsQueue(Runtime& runtime) {
  DF_ASSIGN(const auto steps, Steps::Open(runtime));
  for (int round = 0; round < 20; ++round) {
    const auto x = static_cast<float>(round);
    auto broken = steps->StartBoth(x, kRows);
    DF_TRY(steps->ExpectBroken(broken));
    auto whole = steps->StartBoth(x, 1);
    DF_TRY(steps->Put(30));
    DF_TRY(Steps::Expect(whole, x + 31));
  }
  return steps->session().Close();
}

Status ErrorsInLoops(Runtime& runtime) {
  DF_ASSIGN(const auto steps, Steps::Open(runtime));
  for (int round = 0; round < 50; ++round) {
    auto first = steps->StartLoop(0, 20);
    auto broken = steps->StartLoop(kRows - round % 5, kRows + 10);
    auto last = steps->StartLoop(kRows - 20, kRows);
    DF_TRY(Steps::Expect(last, kRows));
    DF_TRY(steps->ExpectBroken(broken));
    DF_TRY(Steps::Expect(first, 20));
  }
  return steps->session().Close();
}

Status ManyFailTogether(Runtime& runtime) {
  DF_ASSIGN(const auto steps, Steps::Open(runtime));
  for (int round = 0; round < 10; ++round) {
    std::vector<Steps::Pending> started;
    for (int i = 0; i < 30; ++i) started.push_back(steps->StartPicked(static_cast<float>(i), i % 3 == 0 ? kRows : i));
    for (int i = 0; i < 30; ++i) {
      DF_TRY(i % 3 == 0 ? steps->ExpectBroken(started[i]) : Steps::Expect(started[i], static_cast<float>(i + 1)));
    }
  }
  return steps->session().Close();
}

// Ranks wait in a collective of a step that fails, and in one of a step beside it, which goes on.
Status ErrorsWhileRanksAreInCollectives(Runtime& runtime) {
  DF_ASSIGN(const auto steps, Steps::Open(runtime));
  for (int round = 0; round < 20; ++round) {
    const auto x = static_cast<float>(round);
    auto waiting = steps->StartReduced(x);
    auto broken = steps->StartAll(x, kRows);
    DF_TRY(steps->ExpectBroken(broken));
    if (waiting.ok() && (*waiting)->ended()) return NotSo("a step ended before what it waits for was put");
    DF_TRY(steps->Put(30));
    DF_TRY(Steps::Expect(waiting, steps->Reduced(x, 30)));
    auto whole = steps->StartAll(x, 1);
    DF_TRY(steps->Put(40));
    DF_TRY(Steps::Expect(whole, steps->Reduced(x, 40) + x + 1));
  }
  return steps->session().Close();
}

// Errors have the scope of the session: the first error ends every step in flight, wherever its ranks wait (in a Recv,
// a Dequeue, a collective, or for their turn), and every later one.
Status AnErrorEndsTheSession(Runtime& runtime) {
  if (runtime.size() == 1) return Status();
  DF_ASSIGN(const auto steps, Steps::Open(runtime, ErrorScope::kSession));
  std::vector<Steps::Pending> started;
  for (int i = 0; i < 3; ++i) started.push_back(steps->StartSum(1));
  for (int i = 0; i < 2; ++i) started.push_back(steps->StartReduced(1));
  started.push_back(steps->StartBoth(1, 1));
  for (int i = 0; i < 2; ++i) started.push_back(steps->StartPicked(1, kRows + i));
  std::vector<Status> seen;
  for (Steps::Pending& step : started) seen.push_back(Steps::StatusOf(step));
  seen.push_back(steps->RunPicked(1, 1).status());
  for (const Status& status : seen) {
    DF_TRY(steps->ExpectBroken(status));
    if (!(status == seen[0])) return NotSo("two steps ended with ", status.ToString(), " and ", seen[0].ToString());
  }
  return Status();
}

Status ThreadsRunTogether(Runtime& runtime) {
  DF_ASSIGN(const auto steps, Steps::Open(runtime));
  constexpr int kThreads = 4;
  std::vector<Status> seen(kThreads);
  std::vector<std::thread> threads;
  const auto run = [&](int thread) -> Status {
    for (int i = 0; i < 40; ++i) {
      const auto x = static_cast<float>(100 * thread + i);
      const bool breaks = (thread + i) % 4 == 0;
      const Result<float> got = steps->RunPicked(x, breaks ? kRows : i);
      if (breaks) {
        DF_TRY(steps->ExpectBroken(got.status()));
      } else {
        DF_TRY(got.status());
        if (*got != x + 1) return NotSo("a step gave ", *got, " in place of ", x + 1);
      }
    }
    return Status();
  };
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&, i] { seen[i] = run(i); });
  for (std::thread& thread : threads) thread.join();
  for (const Status& status : seen) DF_TRY(status);
  return steps->session().Close();
}

constexpr InFlightCase kCases[] = {
    {"TwoExecutables", &TwoExecutables, false},
    {"StepsOfOne", &StepsOfOne, false},
    {"LoopsInterleave", &LoopsInterleave, false},
    {"ErrorsAreOfOneStep", &ErrorsAreOfOneStep, false},
    {"AStepThatFailsLeavesItsQueue", &AStepThatFailsLeavesItsQueue, false},
    {"ErrorsInLoops", &ErrorsInLoops, false},
    {"ManyFailTogether", &ManyFailTogether, false},
    {"ErrorsWhileRanksAreInCollectives", &ErrorsWhileRanksAreInCollectives, false},
    {"ThreadsRunTogether", &ThreadsRunTogether, true},
    {"AnErrorEndsTheSession", &AnErrorEndsTheSession, false},  // the last on a runtime
};

}  // namespace

std::span<const InFlightCase> InFlightCases() {
  return kCases;
}

}  // namespace dfrun::testing
