// The part of the program that speaks MPI, and the choice among such parts.
//
// The program itself links no MPI. What calls MPI (comm/mpi/part) is compiled once for each binary interface (ABI)
// whose mpi.h the build found, into lib/dfrun/libdfrun_mpi_<abi>.so, and one of these is opened where a launcher
// started the process. The library that it calls is opened first, by the names that it may have: so one part serves
// Debian's MPICH (libmpich.so.12) and everyone else's (libmpi.so.12).
#ifndef DFRUN_COMM_MPI_MPI_PART_H_
#define DFRUN_COMM_MPI_MPI_PART_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/bootstrap/bare_network.h"
#include "comm/bootstrap/bootstrap.h"
#include "comm/transport.h"

namespace dfrun::comm {

// What a part has: filled in and exported by comm/mpi/part/mpi_part_entry.cc as dfrun_mpi_part().
struct MpiPart {
  // Initialises MPI, once a process.
  Result<std::unique_ptr<Bootstrap>> (*start)(int threads);
  // `count` transports, each with a communicator of its own. Collective, after start().
  Result<std::vector<std::unique_ptr<Transport>>> (*connect)(int count);
  // The library's blocking calls, after start().
  std::unique_ptr<BareNetwork> (*bare)();
};
using MpiPartEntry = const MpiPart* (*)();

// A binary interface of MPI.
struct MpiAbi {
  std::string_view name;                            // as in the part's file name and --mpi-abi
  std::string_view what;                            // for messages
  std::span<const std::string_view> library_names;  // of the library, the first that is found is taken
};

// What of an ABI is on this host.
struct MpiFinding {
  const MpiAbi* abi;
  bool is_built;        // its part is there
  std::string library;  // its first words about itself, and its file: "Open MPI v4.1.4, /usr/lib/libmpi.so.40"
  std::string missing;  // where library is empty: why
};
// Looks at all of them. Opens each library by itself, but none of the parts.
std::vector<MpiFinding> FindMpis();

// Opens the part for this process's launcher: that of ABI `wanted`, or if that is empty the first whose part and
// library are there, in the order in which the launcher suggests them. Once a process; a second call gives the part
// that was opened. Usage: no such ABI. FailedPrecondition: the part or its library is absent, with what was looked for.
Result<const MpiPart*> OpenMpiPart(std::string_view wanted, Launcher launcher);
// Null where none was opened.
const MpiPart* OpenedMpiPart();

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_MPI_MPI_PART_H_
