#include "comm/bootstrap/launcher.h"

#include <cstdlib>

#include "src/base/text.h"

namespace dfrun::comm {
namespace {

struct Sign {
  const char* variable;
  Launcher launcher;
  std::string_view name;
};

// The first variable that is set decides: Open MPI's mpirun sets those of PMIx too.
constexpr Sign kSigns[] = {{"SMPI_GLOBAL_SIZE", Launcher::kSmpi, "smpirun (SimGrid)"},
                           {"OMPI_COMM_WORLD_SIZE", Launcher::kOpenMpi, "mpirun (Open MPI)"},
                           {"PMIX_RANK", Launcher::kPmix, "a PMIx launcher"},
                           {"PMI_RANK", Launcher::kPmi, "a PMI launcher"}};

// Slurm's stands in the environment of srun's tasks alone, not in that of a batch script.
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
  return "SLURM_STEP_NUM_TASKS";
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

int RanksStarted() {
  const char* const number = std::getenv(SizeVariable(FindLauncher()));
  return number == nullptr ? 1 : ParseAs<int>(number).value_or(1);
}

bool RanksAreThreads() {
  return FindLauncher() == Launcher::kSmpi;
}

}  // namespace dfrun::comm
