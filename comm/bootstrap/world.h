// The ranks that mpirun or srun started, and this process among them.
//
//   DF_ASSIGN(std::unique_ptr<comm::World> world, comm::World::Join(threads));
//   DF_ASSIGN(std::unique_ptr<Communicator> communicator, world->Connect());
//
// Started without a launcher, a process is one rank, and MPI is not initialised: that costs tenths of a second.
#ifndef DFRUN_COMM_BOOTSTRAP_WORLD_H_
#define DFRUN_COMM_BOOTSTRAP_WORLD_H_

#include <memory>
#include <string>
#include <vector>

#include "src/framework/communicator.h"

namespace dfrun::comm {

// What ranks tell each other at start.
struct RankInfo {
  std::string host;
  std::string build;      // identifies the binary
  int cpu_isa_level = 0;  // see cpu_isa.h
};

// Thread safety: the thread that calls Join() calls everything else, but Abort(), which any thread may call.
class World {
 public:
  // True where the environment says that a launcher started this process.
  static bool Launched();

  // `threads`: how many threads of this process will communicate or compute; more than one asks MPI for
  // MPI_THREAD_SERIALIZED. Once a process. FailedPrecondition where ranks run different builds, naming two.
  // Collective. Holds oneDNN to the lowest instruction set of all ranks: before its first primitive.
  static Result<std::unique_ptr<World>> Join(int threads);
  // Leaves MPI, where it was joined: collective, after every rank's communicator is gone.
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  int rank() const { return rank_; }
  int size() const { return static_cast<int>(ranks_.size()); }
  // By rank.
  const std::vector<RankInfo>& ranks() const { return ranks_; }
  // Ranks on this rank's host.
  int ranks_on_host() const;

  // The communicator of this rank. Collective. The world outlives it.
  Result<std::unique_ptr<Communicator>> Connect();

  // Ends every rank's process with `exit_code`.
  [[noreturn]] static void Abort(int exit_code);

 private:
  World() = default;
  Status JoinMpi(int threads);
  Status Exchange();

  bool has_mpi_ = false;
  int rank_ = 0;
  std::vector<RankInfo> ranks_;
};

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_BOOTSTRAP_WORLD_H_
