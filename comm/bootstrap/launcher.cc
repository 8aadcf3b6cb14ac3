#include "comm/bootstrap/launcher.h"

#include <cstdlib>
#include <optional>

#include "src/base/text.h"

namespace dfrun::comm {
namespace {

struct Sign {
  const char* variable;
  Launcher launcher;
  std::string_view name;
};

// The first variable that is set decides: Open MPI's mpirun sets the variables of PMIx too.
constexpr Sign kSigns[] = {{"SMPI_GLOBAL_SIZE", Launcher::kSmpi, "smpirun (SimGrid)"},
                           {"OMPI_COMM_WORLD_SIZE", Launcher::kOpenMpi, "mpirun (Open MPI)"},
                           {"PMIX_RANK", Launcher::kPmix, "a PMIx launcher"},
                           {"PMI_RANK", Launcher::kPmi, "a PMI launcher"}};

// Returns the variable with the number of ranks; null if the launcher does not tell it.
const char* SizeVariable(Launcher launcher) {
  switch (launcher) {
    case Launcher::kSmpi:
      return "SMPI_GLOBAL_SIZE";
    case Launcher::kOpenMpi:
      return "OMPI_COMM_WORLD_SIZE";
    case Launcher::kPmi:
      return "PMI_SIZE";
    case Launcher::kPmix:
    case Launcher::kNone:
      break;
  }
  return nullptr;
}

// A program that starts tasks without being an MPI launcher. Its variables are in the environment of the tasks alone,
// not in that of the batch script or shell that has the allocation.
struct Starter {
  const char* rank;
  const char* size;  // null for PALS, which sets none; a rank above 0 tells that there are more tasks
  std::string_view name;
  std::string_view advice;
};
constexpr Starter kStarters[] = {
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "Slurm", "srun --mpi=pmix (srun --mpi=list says what there is)"},
    {"FLUX_TASK_RANK", "FLUX_JOB_SIZE", "Flux", "flux run -o pmi=pmix, or an MPI that speaks Flux's PMI"},
    {"JSM_NAMESPACE_RANK", "JSM_NAMESPACE_SIZE", "JSM", "jsrun and an MPI that speaks its PMIx"},
    {"PALS_RANKID", "PALS_SIZE", "PALS", "mpiexec --pmi=pmix, or --pmi=cray with Cray MPICH"},
    {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MVAPICH", "mpiexec of the MPI that dfrun finds"},
    {"MVP_COMM_WORLD_RANK", "MVP_COMM_WORLD_SIZE", "MVAPICH", "mpiexec of the MPI that dfrun finds"},
    {"MPIRUN_RANK", "MPIRUN_NPROCS", "MVAPICH", "mpiexec of the MPI that dfrun finds"}};

std::optional<int> NumberIn(const char* variable) {
  const char* const text = variable == nullptr ? nullptr : std::getenv(variable);
  return text == nullptr ? std::nullopt : ParseAs<int>(text);
}

}  // namespace

Launcher FindLauncher() {
  for (const Sign& sign : kSigns) {
    if (std::getenv(sign.variable) != nullptr) return sign.launcher;
  }
  return Launcher::kNone;
}

std::string_view LauncherName(Launcher launcher) {
  for (const Sign& sign : kSigns) {
    if (sign.launcher == launcher) return sign.name;
  }
  return "none";
}

StartedTasks RanksStarted() {
  if (const char* const variable = SizeVariable(FindLauncher()); variable != nullptr) {
    return {NumberIn(variable).value_or(1), true, "", variable, ""};
  }
  for (const Starter& starter : kStarters) {
    const std::optional<int> size = NumberIn(starter.size);
    const int count = size.value_or(NumberIn(starter.rank).value_or(0) + 1);
    if (count > 1) return {count, size.has_value(), starter.name, size ? starter.size : starter.rank, starter.advice};
  }
  return {};
}

const char* RankVariable() {
  static constexpr const char* kInOrderOfPrecedence[] = {
      "OMPI_COMM_WORLD_RANK", "PMIX_RANK",          "PMI_RANK",    "SLURM_PROCID",
      "FLUX_TASK_RANK",       "JSM_NAMESPACE_RANK", "PALS_RANKID", "MV2_COMM_WORLD_RANK",
      "MVP_COMM_WORLD_RANK",  "MPIRUN_RANK"};
  for (const char* const name : kInOrderOfPrecedence) {
    if (std::getenv(name) != nullptr) return name;
  }
  return nullptr;
}

const char* RankText() {
  const char* const variable = RankVariable();
  return variable == nullptr ? nullptr : std::getenv(variable);
}

bool RanksAreThreads() {
  return FindLauncher() == Launcher::kSmpi;
}

}  // namespace dfrun::comm
