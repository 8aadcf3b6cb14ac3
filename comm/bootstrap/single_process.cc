// The bootstrap of a process that no launcher started: it is the only rank, and nothing is initialised.
#include <cstdlib>

#include "comm/bootstrap/bootstrap.h"

namespace dfrun::comm {
namespace {

class SingleProcess final : public Bootstrap {
 public:
  std::string_view name() const override { return "single"; }
  int rank() const override { return 0; }
  int size() const override { return 1; }
  Result<std::vector<std::string>> AllGather(std::string_view bytes) override {
    return std::vector<std::string>{std::string(bytes)};
  }
  Status Barrier() override { return Status(); }
  [[noreturn]] void Abort(int exit_code) override { std::_Exit(exit_code); }
};

BOOTSTRAP(
    "single", [](Launcher launcher) { return launcher == Launcher::kNone; },
    [](const BootstrapOptions&) -> Result<std::unique_ptr<Bootstrap>> {
      return std::unique_ptr<Bootstrap>(std::make_unique<SingleProcess>());
    });

}  // namespace
}  // namespace dfrun::comm
