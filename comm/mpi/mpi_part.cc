#include "comm/mpi/mpi_part.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <utility>

#include "comm/mpi/mpi_settings.h"
#include "src/base/program_part.h"
#include "src/base/text.h"

namespace dfrun::comm {
namespace {

constexpr std::string_view kOmpiNames[] = {"libmpi.so.40"};
constexpr std::string_view kMpichNames[] = {"libmpi.so.12", "libmpich.so.12"};  // Debian's MPICH has the second name
constexpr std::string_view kStandardNames[] = {"libmpi_abi.so.1", "libmpi_abi.so.0"};
constexpr std::string_view kSmpiNames[] = {"libsimgrid.so.3.32", "libsimgrid.so"};  // every version has its own name

constexpr MpiAbi kAbis[] = {{"ompi", "Open MPI 4 and 5", kOmpiNames},
                            {"mpich", "MPICH 3.1 and newer, Intel MPI, MVAPICH, Cray MPICH", kMpichNames},
                            {"abi", "the ABI of MPI 5", kStandardNames},
                            {"smpi", "SimGrid's simulated MPI", kSmpiNames}};

std::string PartName(const MpiAbi& abi) {
  return StrCat("mpi_", abi.name);
}

std::string AbisBuilt() {
  std::string names;
  for (const MpiAbi& abi : kAbis) {
    if (HasProgramPart(PartName(abi))) names += StrCat(names.empty() ? "" : ", ", abi.name);
  }
  return names.empty() ? "none" : names;
}

Result<void*> OpenLibrary(const MpiAbi& abi, int mode) {
  std::string reasons;
  for (const std::string_view name : abi.library_names) {
    if (void* const library = dlopen(std::string(name).c_str(), mode); library != nullptr) return library;
    reasons += StrCat(reasons.empty() ? "" : "; ", dlerror());
  }
  return FailedPrecondition("the library of MPI's ABI '", abi.name, "' (", abi.what, ") cannot be opened: ", reasons,
                            "; LD_LIBRARY_PATH says where to look");
}

// Returns the file of a library as the loader reports it.
std::string FileOf(void* library) {
  const link_map* map = nullptr;
  return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : "";
}

// Returns the library's whole version text. May be called before MPI is initialised.
std::string AboutItself(void* library) {
  using GetVersion = int (*)(char*, int*);
  // Look up the PMPI_ name: the MPI_ function of this library may call the PMPI_ function of an MPI that was loaded
  // before.
  const auto get = reinterpret_cast<GetVersion>(dlsym(library, "PMPI_Get_library_version"));
  if (get == nullptr) return "a library without PMPI_Get_library_version";
  std::array<char, 16384> text{};  // the largest MPI_MAX_LIBRARY_VERSION_STRING is 8192
  int length = 0;
  get(text.data(), &length);
  return {text.data(), static_cast<size_t>(length)};
}

// Returns the first words of the version text: "Open MPI v4.1.4".
std::string VersionOf(void* library) {
  std::string version = AboutItself(library);
  version = version.substr(0, version.find_first_of(",\n"));
  std::replace(version.begin(), version.end(), '\t', ' ');  // MPICH has a tab before its number
  return version;
}

// Returns the order in which ABIs are tried. A PMIx launcher may be Open MPI's or Slurm's; a PMI launcher is mostly
// MPICH's. Ranks under SMPI call no other MPI.
std::vector<std::string_view> OrderFor(Launcher launcher) {
  if (launcher == Launcher::kSmpi) return {"smpi"};
  if (launcher == Launcher::kPmi) return {"mpich", "abi", "ompi"};
  return {"ompi", "mpich", "abi"};
}

const MpiAbi* FindAbi(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kAbis), std::end(kAbis), [&](const MpiAbi& a) { return a.name == name; });
  return found == std::end(kAbis) ? nullptr : found;
}

// The library's names are to be seen by the part, and by what the library itself opens.
Result<OpenedMpi> Open(const MpiAbi& abi) {
  if (!HasProgramPart(PartName(abi))) {
    return FailedPrecondition("this build of dfrun has no part for MPI's ABI '", abi.name, "' (", abi.what,
                              "): ", ProgramPartFile(PartName(abi)), " is not there; built are: ", AbisBuilt());
  }
  DF_ASSIGN(void* const library, OpenLibrary(abi, RTLD_NOW | RTLD_GLOBAL));
  DF_ASSIGN(void* const entry, OpenProgramPart(PartName(abi), "dfrun_mpi_part"));
  return OpenedMpi{reinterpret_cast<MpiPartEntry>(entry)(), AboutItself(library), FileOf(library)};
}

const OpenedMpi* g_opened = nullptr;  // never given back

const OpenedMpi* Keep(OpenedMpi opened) {
  return g_opened = new OpenedMpi(std::move(opened));
}

}  // namespace

std::vector<MpiFinding> FindMpis() {
  std::vector<MpiFinding> findings;
  for (const MpiAbi& abi : kAbis) {
    MpiFinding finding{&abi, HasProgramPart(PartName(abi)), "", ""};
    const Result<void*> library = OpenLibrary(abi, RTLD_LAZY | RTLD_LOCAL);
    if (library.ok()) {
      finding.library = StrCat(VersionOf(*library), ", ", FileOf(*library));
    } else {
      finding.missing = library.status().message();
    }
    findings.push_back(std::move(finding));
  }
  return findings;
}

Result<const OpenedMpi*> OpenMpiPart(std::string_view wanted, Launcher launcher) {
  if (g_opened != nullptr) return g_opened;
  if (!wanted.empty()) {
    const MpiAbi* const abi = FindAbi(wanted);
    if (abi == nullptr) {
      return Error(Code::kUsage, "there is no MPI ABI '", wanted, "'; there are ",
                   Join(kAbis, ", ", [](const MpiAbi& a) { return a.name; }));
    }
    DF_ASSIGN(OpenedMpi opened, Open(*abi));
    return Keep(std::move(opened));
  }
  Status first;
  for (const std::string_view name : OrderFor(launcher)) {
    Result<OpenedMpi> opened = Open(*FindAbi(name));
    if (opened.ok()) return Keep(*std::move(opened));
    if (first.ok()) first = opened.status();
  }
  return FailedPrecondition("no MPI can be used, though ", LauncherName(launcher),
                            " started this process: ", first.message());
}

const OpenedMpi* OpenedMpiPart() {
  return g_opened;
}

std::string DescribeMpiNetwork() {
  return g_opened == nullptr ? "" : ChooseMpiSettings(g_opened->version, g_opened->library).text;
}

}  // namespace dfrun::comm
