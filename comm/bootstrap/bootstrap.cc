#include "comm/bootstrap/bootstrap.h"

namespace dfrun::comm {

Registry<BootstrapDef>& Bootstraps() {
  static Registry<BootstrapDef>& bootstraps = *new Registry<BootstrapDef>();
  return bootstraps;
}

Result<std::unique_ptr<Bootstrap>> StartBootstrap(int threads) {
  const Launcher launcher = FindLauncher();
  for (const auto& [name, def] : Bootstraps().all()) {
    if (def.serves(launcher)) return def.start(threads);
  }
  return FailedPrecondition("this build of dfrun cannot join the ranks that ", LauncherName(launcher), " started");
}

}  // namespace dfrun::comm
