#include "comm/bootstrap/launcher.h"

#include <cstdlib>

namespace dfrun::comm {
namespace {

struct Sign {
  const char* variable;
  Launcher launcher;
  std::string_view name;
};

// The first variable that is set decides: Open MPI's mpirun sets those of PMIx too.
constexpr Sign kSigns[] = {{"OMPI_COMM_WORLD_SIZE", Launcher::kOpenMpi, "mpirun (Open MPI)"},
                           {"PMIX_RANK", Launcher::kPmix, "a PMIx launcher"},
                           {"PMI_RANK", Launcher::kPmi, "a PMI launcher"}};

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

}  // namespace dfrun::comm
