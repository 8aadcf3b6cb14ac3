// Queues over MPI ranks: 16 producers and 16 consumers, closing and failing at random, again and again: no value is
// lost, none comes twice, nothing hangs. Run under mpirun: queue_stress ROUNDS [FIRST_ROUND]
//
// A round has connections of its own, since a failure closes a session of several ranks; what its queues hold in the
// end is then read by each rank alone.
#include <mpi.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "comm/bootstrap/process_group.h"
#include "src/executor/build_plan.h"
#include "src/executor/executor.h"
#include "src/session/session.h"
#include "src/session/worker.h"
#include "tests/mpi/queues/account.h"

namespace dfrun::testing {
namespace {

constexpr unsigned kLongestRoundSeconds = 60;

// The values of a step's fetches, by call.
Moved DeliveredTo(const Round& round, int step, const std::vector<Tensor>& fetched) {
  Moved delivered;
  size_t next = 0;
  for (const Call& call : round.steps[static_cast<size_t>(step)].calls) {
    if (call.puts()) continue;
    const Tensor& values = fetched[next++];
    delivered[call.name] = {values.data<int64_t>(), values.data<int64_t>() + values.num_elements()};
  }
  return delivered;
}

// The steps, on rank 0.
Result<Outcome> RunSteps(Runtime& runtime, const Round& round) {
  Graph graph;
  DF_TRY(round.AddTo(graph));
  DF_ASSIGN(const auto session, Session::Create(runtime, std::move(graph)));
  Outcome outcome;
  const int last = static_cast<int>(round.steps.size()) - 1;
  for (int step = 0; step <= last; ++step) {
    const auto fetched = session->Run({}, round.Fetches(step), round.Targets(step));
    if (step == last) outcome.last = fetched.status();
    if (step < last && !fetched.ok()) return fetched.status().Annotate(StrCat("step ", step));
    if (fetched.ok()) outcome.delivered.push_back(DeliveredTo(round, step, *fetched));
  }
  return outcome;
}

// A value of a graph of this rank alone.
Result<Tensor> RunHere(Runtime& runtime, const Graph& graph, Output value) {
  RunSignature signature;
  signature.fetches = {value};
  DF_ASSIGN(const Graph pruned, PruneForRun(graph, signature));
  DF_ASSIGN(const auto plan, BuildPlan(pruned, runtime.cpu(), KernelRegistry::Builtin()));
  Tensor fetched;
  ResourceContainers containers;
  RunArgs args;
  args.fetches = {&fetched, 1};
  args.step.step_containers = &containers;
  DF_TRY(RunPlan(*plan, runtime.pool(), args));
  return fetched;
}

// Closes a queue of this rank, so that it keeps nothing back, and takes what it holds.
Result<std::vector<int64_t>> Empty(Runtime& runtime, const Round& round, int number) {
  Graph graph;
  DF_ASSIGN(const Output queue, AddQueue(graph, round, number));
  DF_ASSIGN(const Output close, AddNode(graph, "close", "QueueCloseV2", {queue}, {{"cancel_pending_enqueues", true}}));
  DF_ASSIGN(const Output size, AddNode(graph, "size", "QueueSizeV2", {queue}, {}, {"", {close.node}}));
  DF_ASSIGN(Tensor there, RunHere(runtime, graph, size));
  DF_ASSIGN(const Output n, AddNode(graph, "n", "Const", {}, {{"dtype", DType::kInt32}, {"value", std::move(there)}}));
  const std::vector<DType> types = ComponentTypes(round);
  DF_ASSIGN(Output taken, AddNode(graph, "left", "QueueDequeueManyV2", {queue, n}, {{"component_types", types}}));
  taken.port = static_cast<int32_t>(types.size()) - 1;
  DF_ASSIGN(const Tensor left, RunHere(runtime, graph, taken));
  const std::span<const int64_t> values = left.values<int64_t>();
  return std::vector<int64_t>(values.begin(), values.end());
}

// "name value value ...\n" for each: what ranks tell rank 0.
std::string ToText(const Moved& moved) {
  std::string text;
  for (const auto& [name, values] : moved) {
    text += name;
    for (int64_t value : values) text += StrCat(' ', value);
    text += '\n';
  }
  return text;
}

void AddText(const std::string& text, Moved& moved) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    std::vector<int64_t>& values = moved[name];
    for (int64_t value = 0; words >> value;) values.push_back(value);
  }
}

// Returns on rank 0 the values of all ranks; collective.
Moved Gather(const Moved& own) {
  const std::string text = ToText(own);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<int> lengths(static_cast<size_t>(size));
  const int length = static_cast<int>(text.size());
  MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::vector<int> offsets(lengths.size());
  for (size_t i = 1; i < offsets.size(); ++i) offsets[i] = offsets[i - 1] + lengths[i - 1];
  std::string all(static_cast<size_t>(offsets.back() + lengths.back()), ' ');
  MPI_Gatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(), MPI_CHAR, 0, MPI_COMM_WORLD);
  Moved moved;
  AddText(all, moved);
  return moved;
}

Moved OwnCalls() {
  Moved moved;
  for (Note& note : TakeNotes()) moved[note.node] = std::move(note.values);
  return moved;
}

Result<Moved> OwnQueues(Runtime& runtime, const Round& round) {
  Moved left;
  for (size_t q = 0; q < round.queues.size(); ++q) {
    const QueuePlan& plan = round.queues[q];
    if (plan.rank != runtime.rank()) continue;
    DF_ASSIGN(left[plan.name], Empty(runtime, round, static_cast<int>(q)));
  }
  return left;
}

// One rank's part of a round.
Status RunRound(comm::ProcessGroup& group, const KernelRegistry& kernels, const Round& round, int threads) {
  DF_ASSIGN(auto communicator, group.Connect());
  DF_ASSIGN(const auto runtime, Runtime::Create({threads, &kernels}, std::move(communicator)));
  Result<Outcome> outcome = Outcome();
  if (runtime->rank() == 0) {
    outcome = RunSteps(*runtime, round);
    DF_TRY(Shutdown(*runtime, Status()));
  } else {
    DF_TRY(Worker(*runtime).Serve());
  }
  DF_TRY(outcome.status());
  Account account;
  account.moved = Gather(OwnCalls());
  DF_ASSIGN(const Moved left, OwnQueues(*runtime, round));
  account.left = Gather(left);
  return runtime->rank() == 0 ? CheckAccount(round, account, *outcome) : Status();
}

// Ends all ranks: they may be waiting for this one.
[[noreturn]] void GiveUp(comm::ProcessGroup& group, const Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  group.Abort(1);
}

void SayThatItHangs(int) {
  constexpr char kText[] = "the round has not ended in its time\n";
  std::_Exit(write(STDERR_FILENO, kText, sizeof kText - 1) < 0 ? 2 : 1);
}

void RunRounds(comm::ProcessGroup& group, int first, int rounds) {
  const std::unique_ptr<KernelRegistry> kernels = NotedQueueKernels();
  std::signal(SIGALRM, &SayThatItHangs);
  for (int number = first; number < first + rounds; ++number) {
    std::mt19937 random(static_cast<uint32_t>(number));
    const Round round = Round::Draw(random, group.size());
    const int threads = 1 + static_cast<int>(random() % 2);
    alarm(kLongestRoundSeconds);
    const Status status = RunRound(group, *kernels, round, threads);
    if (!status.ok()) GiveUp(group, status.Annotate(StrCat("round ", number, " (", round.ToString(), ")")));
  }
  if (group.rank() == 0) std::printf("%d rounds on %d ranks: nothing lost, nothing twice\n", rounds, group.size());
}

}  // namespace
}  // namespace dfrun::testing

int main(int argc, char** argv) {
  if (argc < 2) return 64;
  const auto group = dfrun::comm::ProcessGroup::Join({.threads = 2});
  if (!group.ok()) {
    std::fprintf(stderr, "%s\n", group.status().ToString().c_str());
    return 1;
  }
  dfrun::testing::RunRounds(**group, argc > 2 ? std::atoi(argv[2]) : 0, std::atoi(argv[1]));
  return 0;
}
