#include "comm/mpi/part/mpi_bootstrap.h"

#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "comm/mpi/part/mpi_error.h"

namespace dfrun::comm {
namespace {

class MpiBootstrap final : public Bootstrap {
 public:
  MpiBootstrap() = default;
  MpiBootstrap(const MpiBootstrap&) = delete;
  MpiBootstrap& operator=(const MpiBootstrap&) = delete;
  ~MpiBootstrap() override { MPI_Finalize(); }

  Status FindRanks() {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    DF_TRY(MpiStatus(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "tell this rank"));
    return MpiStatus(MPI_Comm_size(MPI_COMM_WORLD, &size_), "tell the number of ranks");
  }

  std::string_view name() const override { return "mpi"; }
  int rank() const override { return rank_; }
  int size() const override { return size_; }

  Result<std::vector<std::string>> AllGather(std::string_view bytes) override {
    const int own = static_cast<int>(bytes.size());
    std::vector<int> sizes(static_cast<size_t>(size_));
    DF_TRY(MpiStatus(MPI_Allgather(&own, 1, MPI_INT, sizes.data(), 1, MPI_INT, MPI_COMM_WORLD), "exchange sizes"));
    std::vector<int> offsets(sizes.size());
    std::exclusive_scan(sizes.begin(), sizes.end(), offsets.begin(), 0);
    std::string all(static_cast<size_t>(offsets.back() + sizes.back()), '\0');
    DF_TRY(MpiStatus(
        MPI_Allgatherv(bytes.data(), own, MPI_BYTE, all.data(), sizes.data(), offsets.data(), MPI_BYTE, MPI_COMM_WORLD),
        "exchange what the ranks run on"));
    std::vector<std::string> by_rank;
    for (size_t r = 0; r < sizes.size(); ++r) {
      by_rank.push_back(all.substr(static_cast<size_t>(offsets[r]), static_cast<size_t>(sizes[r])));
    }
    return by_rank;
  }

  Status Barrier() override { return MpiStatus(MPI_Barrier(MPI_COMM_WORLD), "wait for all ranks"); }

  [[noreturn]] void Abort(int exit_code) override {
    MPI_Abort(MPI_COMM_WORLD, exit_code);
    std::_Exit(exit_code);
  }

 private:
  int rank_ = 0;
  int size_ = 1;
};

#ifdef DFRUN_SMPI
// SMPI grants no more than MPI_THREAD_SINGLE, by which it means that one thread per rank may call it. Its ranks are
// threads themselves, so it allows other threads in the process.
constexpr int kOneCalls = MPI_THREAD_SINGLE;
#else
constexpr int kOneCalls = MPI_THREAD_FUNNELED;
#endif

// An MPI that cannot start ends the process by exit(), with a code of its own that stands in no table.
std::atomic<const char*> g_starting_with{nullptr};  // the remedy, while MPI starts

void EndByTheTable() {
  const char* const remedy = g_starting_with;
  if (remedy == nullptr) return;
  std::fprintf(stderr, "dfrun: MPI could not start, and has ended this process: see what it says above%s%s\n",
               *remedy == '\0' ? "" : "; ", remedy);
  std::_Exit(ExitCode(Code::kInternal));
}

}  // namespace

Result<std::unique_ptr<Bootstrap>> StartMpi(int threads, const std::string& remedy) {
  const int wanted = threads > 1 ? MPI_THREAD_SERIALIZED : kOneCalls;
  int provided = 0;
  std::atexit(&EndByTheTable);
  g_starting_with = remedy.c_str();
  const int started = MPI_Init_thread(nullptr, nullptr, wanted, &provided);
  g_starting_with = nullptr;
  const Status status = MpiStatus(started, "start");
  if (!status.ok() && !remedy.empty()) return Error(status.code(), status.message(), "; ", remedy);
  DF_TRY(status);
  auto bootstrap = std::make_unique<MpiBootstrap>();
  if (provided < wanted) {
    return FailedPrecondition("this MPI does not allow ", threads, " threads a rank; run with --threads 1");
  }
  DF_TRY(bootstrap->FindRanks());
  return std::unique_ptr<Bootstrap>(std::move(bootstrap));
}

}  // namespace dfrun::comm
