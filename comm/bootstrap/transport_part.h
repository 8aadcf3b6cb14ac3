// Parts of the program that bring a transport and need a library which not every host has: libdfrun_<name>.so in the
// folder dfrun/ beside libdfrun.so. They are opened when somebody asks for the transport, so that a host without the
// library starts all the same.
//
//   TRANSPORT_PART({.priority = 5, .describe = &Version, .can_connect = &CanConnect, .connect = &Connect});
#ifndef DFRUN_COMM_BOOTSTRAP_TRANSPORT_PART_H_
#define DFRUN_COMM_BOOTSTRAP_TRANSPORT_PART_H_

#include <string>

#include "comm/bootstrap/transport_registry.h"
#include "src/base/status.h"

namespace dfrun::comm {

// What the part of this name defines. It is looked for in the folder that the environment variable
// DFRUN_TRANSPORT_PARTS names, else in dfrun/ beside the library with this function. An error says why it cannot be
// had: the file is not there, or the loader lacks a library. Opened once; thread safety: any thread.
Result<const TransportDef*> OpenTransportPart(const std::string& name);

}  // namespace dfrun::comm

// The part's definition, once a part.
#define TRANSPORT_PART(...)                                                                                     \
  extern "C" __attribute__((visibility("default"))) const ::dfrun::comm::TransportDef* dfrun_transport_part() { \
    static const ::dfrun::comm::TransportDef def __VA_ARGS__;                                                   \
    return &def;                                                                                                \
  }

#endif  // DFRUN_COMM_BOOTSTRAP_TRANSPORT_PART_H_
