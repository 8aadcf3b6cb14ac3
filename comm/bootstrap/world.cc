#include "comm/bootstrap/world.h"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "comm/bootstrap/build_id.h"
#include "comm/bootstrap/cpu_isa.h"
#include "comm/bootstrap/in_process.h"
#include "comm/bootstrap/rank_communicator.h"
#include "comm/mpi/mpi_error.h"
#include "comm/mpi/mpi_transport.h"

namespace dfrun::comm {
namespace {

// RankInfo as it is exchanged.
struct InfoRecord {
  char host[256];
  char build[128];
  int32_t cpu_isa_level;
};

InfoRecord ThisRank() {
  InfoRecord record = {};
  gethostname(record.host, sizeof record.host - 1);
  BuildId().copy(record.build, sizeof record.build - 1);
  record.cpu_isa_level = CpuIsaLevel();
  return record;
}

Status CheckBuilds(const std::vector<RankInfo>& ranks) {
  for (size_t r = 1; r < ranks.size(); ++r) {
    if (ranks[r].build == ranks[0].build) continue;
    return FailedPrecondition("rank ", r, " on ", ranks[r].host, " runs another build of dfrun (", ranks[r].build,
                              ") than rank 0 on ", ranks[0].host, " (", ranks[0].build,
                              "); start the same program everywhere");
  }
  return Status();
}

}  // namespace

bool World::Launched() {
  // Open MPI; PMIx launchers (Open MPI 5, srun --mpi=pmix); PMI launchers (MPICH, srun --mpi=pmi2).
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"}) {
    if (std::getenv(name) != nullptr) return true;
  }
  return false;
}

Result<std::unique_ptr<World>> World::Join(int threads) {
  std::unique_ptr<World> world(new World());
  if (Launched()) DF_TRY(world->JoinMpi(threads));
  DF_TRY(world->Exchange());
  return world;
}

Status World::JoinMpi(int threads) {
  const int wanted = threads > 1 ? MPI_THREAD_SERIALIZED : MPI_THREAD_FUNNELED;
  int provided = 0;
  DF_TRY(MpiStatus(MPI_Init_thread(nullptr, nullptr, wanted, &provided), "start"));
  has_mpi_ = true;
  if (provided < wanted) {
    return FailedPrecondition("this MPI does not allow ", threads, " threads a rank; run with --threads 1");
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  return MpiStatus(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "tell this rank");
}

Status World::Exchange() {
  const InfoRecord own = ThisRank();
  std::vector<InfoRecord> records{own};
  if (has_mpi_) {
    int size = 0;
    DF_TRY(MpiStatus(MPI_Comm_size(MPI_COMM_WORLD, &size), "tell the number of ranks"));
    records.resize(size);
    DF_TRY(MpiStatus(MPI_Allgather(&own, sizeof own, MPI_BYTE, records.data(), sizeof own, MPI_BYTE, MPI_COMM_WORLD),
                     "exchange what the ranks run on"));
  }
  for (const InfoRecord& record : records) ranks_.push_back({record.host, record.build, record.cpu_isa_level});
  DF_TRY(CheckBuilds(ranks_));
  const auto lowest = std::min_element(ranks_.begin(), ranks_.end(), [](const RankInfo& a, const RankInfo& b) {
    return a.cpu_isa_level < b.cpu_isa_level;
  });
  if (lowest->cpu_isa_level < own.cpu_isa_level) HoldOneDnnTo(lowest->cpu_isa_level);
  return Status();
}

int World::ranks_on_host() const {
  return static_cast<int>(std::count_if(ranks_.begin(), ranks_.end(),
                                        [&](const RankInfo& info) { return info.host == ranks_[rank_].host; }));
}

Result<std::unique_ptr<Communicator>> World::Connect() {
  if (size() == 1) return std::move(ConnectInProcess(1)[0]);
  DF_ASSIGN(std::unique_ptr<MpiTransport> tensors, MpiTransport::Create(MPI_COMM_WORLD));
  DF_ASSIGN(std::unique_ptr<MpiTransport> control, MpiTransport::Create(MPI_COMM_WORLD));
  return std::unique_ptr<Communicator>(std::make_unique<RankCommunicator>(std::move(tensors), std::move(control)));
}

World::~World() {
  if (has_mpi_) MPI_Finalize();
}

void World::Abort(int exit_code) {
  int initialized = 0;
  int finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized != 0 && finalized == 0) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace dfrun::comm
