// The shared library of the program that calls MPI, and the choice among several such libraries.
//
// The program itself links no MPI. The code that calls MPI (comm/mpi/part) is compiled once for each binary interface
// (ABI) whose mpi.h the build found, into lib/dfrun/libdfrun_mpi_<abi>.so. One of these parts is opened in a process
// that a launcher started. The MPI library that the part calls is opened first, by the names that it may have. Thus one
// part serves both Debian's MPICH (libmpich.so.12) and everyone else's (libmpi.so.12).
#ifndef DFRUN_COMM_MPI_MPI_PART_H_
#define DFRUN_COMM_MPI_MPI_PART_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/bootstrap/bootstrap.h"
#include "comm/bootstrap/raw_network.h"
#include "comm/transport.h"

namespace dfrun::comm {

// The functions of a part. comm/mpi/part/mpi_part_entry.cc fills them in and exports them as dfrun_mpi_part().
struct MpiPart {
  // Initialises MPI, once a process. `remedy`: what the error of a failure says too.
  Result<std::unique_ptr<Bootstrap>> (*start)(int threads, const std::string& remedy);
  // `count` transports, each with a communicator of its own. Collective, after start().
  Result<std::vector<std::unique_ptr<Transport>>> (*connect)(int count);
  // Returns the library's blocking calls. Called after start().
  std::unique_ptr<RawNetwork> (*bare)();
};
using MpiPartEntry = const MpiPart* (*)();

// A binary interface of MPI.
struct MpiAbi {
  std::string_view name;                            // name in the part's file name and in --mpi-abi
  std::string_view what;                            // description for messages
  std::span<const std::string_view> library_names;  // the library's file names; the first that is found is opened
};

// The parts and libraries of an ABI that this host has.
struct MpiFinding {
  const MpiAbi* abi;
  bool is_built;        // the ABI's part is installed
  std::string library;  // version and file: "Open MPI v4.1.4, /usr/lib/libmpi.so.40"; empty if there is none
  std::string missing;  // reason why `library` is empty
};
// Looks for every ABI on this host. Opens each MPI library by itself, but none of the parts.
std::vector<MpiFinding> FindMpis();

// The MPI that this process uses.
struct OpenedMpi {
  const MpiPart* part = nullptr;
  std::string version;  // all that the library says of itself
  std::string library;  // its file
};

// Opens the part for this process's launcher: that of ABI `wanted`, or if that is empty the first whose part and
// library are there, in the order in which the launcher suggests them. Once a process; a second call gives the part
// that was opened. Usage: no such ABI. FailedPrecondition: the part or its library is absent, with what was looked for.
Result<const OpenedMpi*> OpenMpiPart(std::string_view wanted, Launcher launcher);
// Null where none was opened.
const OpenedMpi* OpenedMpiPart();
// The network that it was asked for (MpiSettings::text); empty where none was opened.
std::string DescribeMpiNetwork();

}  // namespace dfrun::comm

#endif  // DFRUN_COMM_MPI_MPI_PART_H_
