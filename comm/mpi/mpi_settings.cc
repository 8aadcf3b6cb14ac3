#include "comm/mpi/mpi_settings.h"

#include <sys/statvfs.h>

#include <cstdint>
#include <cstdlib>
#include <optional>

#include "comm/bootstrap/launcher.h"
#include "comm/bootstrap/one_host.h"
#include "comm/bootstrap/user_settings.h"
#include "src/base/status.h"
#include "src/base/text.h"

namespace dfrun::comm {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

// How a library is asked for shared memory alone.
struct Way {
  Variables variables;
  std::string set_by_user;  // where the user has decided that; empty: nowhere
  std::string remedy;       // the variable that restores TCP
  uint64_t bytes = 0;       // space in /dev/shm that a rank takes
};

// The number behind "Open MPI v", in whose place a build may put its package's name first.
std::optional<int> OpenMpiMajor(std::string_view version) {
  constexpr std::string_view kMark = "Open MPI v";
  const size_t at = version.find(kMark);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view number = version.substr(at + kMark.size());
  return ParseAs<int>(number.substr(0, number.find('.')));
}

Way OpenMpiWay(int major, const std::string& library) {
  const std::string shared = major < 5 ? "vader" : "sm";
  return {{{"OMPI_MCA_pml", "ob1"}, {"OMPI_MCA_btl", "self," + shared}},
          WhereMcaIsSet(library, {"btl", "pml", "mtl"}),
          StrCat("OMPI_MCA_btl=self,", shared, ",tcp (mpirun --mca btl self,", shared, ",tcp)"),
          uint64_t{major < 5 ? 5U : 17U} << 20};
}

std::string WhereIsSet(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? "" : StrCat(variable, "=", value);
}

// The way of MPICH's kin goes by the device that they are built with.
std::optional<Way> MpichWay(std::string_view version) {
  if (version.starts_with("Intel(R) MPI")) {
    return Way{{{"I_MPI_FABRICS", "shm"}}, WhereIsSet("I_MPI_FABRICS"), "I_MPI_FABRICS=shm:ofi", 0};
  }
  if (version.find("ch4:ucx") != std::string_view::npos) {
    return Way{{{"UCX_TLS", "sm,self"}}, WhereUcxIsSet(), "UCX_TLS=all", 0};
  }
  if (version.find("ch4:ofi") == std::string_view::npos) return std::nullopt;
  std::string set;
  for (const char* const variable : {"FI_PROVIDER", "FI_TCP_IFACE", "MPIR_CVAR_OFI_USE_PROVIDER"}) {
    if (set.empty()) set = WhereIsSet(variable);
  }
  return Way{{{"FI_TCP_IFACE", "lo"}, {"FI_SOCKETS_IFACE", "lo"}}, set, "FI_TCP_IFACE=NAME, of an interface,", 0};
}

std::string Text(const Variables& variables) {
  return Join(variables, ", ", [](const auto& variable) { return StrCat(variable.first, "=", variable.second); });
}

// Returns the size of /dev/shm. Its free space is no measure: other ranks of this start take some of it meanwhile.
uint64_t SharedBytes() {
  struct statvfs found = {};
  if (::statvfs("/dev/shm", &found) != 0 || found.f_blocks == 0) return UINT64_MAX;  // the library has another place
  return uint64_t{found.f_blocks} * found.f_frsize;
}

MpiSettings OnOneHost(const Way& way, const std::string& proof) {
  if (!way.set_by_user.empty()) return {{}, StrCat("as the user has set it (", way.set_by_user, ")"), "", ""};
  const auto ranks = static_cast<uint64_t>(RanksStarted().count);
  if (const uint64_t bytes = SharedBytes(); bytes < ranks * way.bytes) {
    std::string notice = StrCat("MPI may use TCP, and listens on the network: /dev/shm has ", bytes >> 20, " MiB, and ",
                                ranks, " ranks want ", ranks * way.bytes >> 20);
    return {{}, notice, "", notice};
  }
  return {way.variables,
          StrCat("shared memory and loopback alone (", Text(way.variables), "), since all ranks are on this host (",
                 proof, ")"),
          StrCat("MPI was asked for shared memory alone, since all ranks are on this host (", proof,
                 "); where they are in containers apart, ", way.remedy, " in the environment restores TCP"),
          ""};
}

// Open MPI 4 looks at each of its connections anew in every call, by poll(2). With epoll a thousand idle connections of
// a stranger cost it nothing that was measured.
MpiSettings OnSeveralHosts(std::optional<int> open_mpi, const std::string& library) {
  if (open_mpi != 4 || !WhereMcaIsSet(library, {"opal_event_include"}).empty()) return {{}, "MPI's own choice", "", ""};
  const Variables variables = {{"OMPI_MCA_opal_event_include", "epoll"}};
  return {variables, StrCat("MPI's own choice (", Text(variables), ")"), "", ""};
}

}  // namespace

MpiSettings ChooseMpiSettings(std::string_view version, const std::string& library) {
  const std::optional<int> open_mpi = OpenMpiMajor(version);
  const std::string proof = OneHostProof();
  if (proof.empty()) return OnSeveralHosts(open_mpi, library);
  if (open_mpi) return OnOneHost(OpenMpiWay(*open_mpi, library), proof);
  const std::optional<Way> way = MpichWay(version);
  return way ? OnOneHost(*way, proof) : MpiSettings{{}, "MPI's own choice", "", ""};
}

VariablesSet::VariablesSet(const std::vector<std::pair<std::string, std::string>>& variables) {
  for (const auto& [name, value] : variables) {
    if (std::getenv(name.c_str()) != nullptr) continue;
    ::setenv(name.c_str(), value.c_str(), 0);
    names_.push_back(name);
  }
}

VariablesSet::~VariablesSet() {
  for (const std::string& name : names_) ::unsetenv(name.c_str());
}

}  // namespace dfrun::comm
