// Shared libraries of the program (program_part.h) that each define a transport.
//
//   TRANSPORT_PART({.priority = 5, .describe = &Version, .can_connect = &CanConnect, .connect = &Connect});
#ifndef DFRUN_COMM_BOOTSTRAP_TRANSPORT_PART_H_
#define DFRUN_COMM_BOOTSTRAP_TRANSPORT_PART_H_

#include <string>

#include "comm/bootstrap/transport_registry.h"
#include "src/base/status.h"

namespace dfrun::comm {

// Opens the library of this name, once, and returns its definition. Errors are those of OpenProgramPart().
// Thread safety: any thread.
Result<const TransportDef*> OpenTransportPart(const std::string& name);

}  // namespace dfrun::comm

// Defines the library's transport; used once per library.
#define TRANSPORT_PART(...)                                                                                     \
  extern "C" __attribute__((visibility("default"))) const ::dfrun::comm::TransportDef* dfrun_transport_part() { \
    static const ::dfrun::comm::TransportDef def __VA_ARGS__;                                                   \
    return &def;                                                                                                \
  }

#endif  // DFRUN_COMM_BOOTSTRAP_TRANSPORT_PART_H_
