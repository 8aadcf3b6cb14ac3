#include "comm/bootstrap/transport_part.h"

#include <map>

#include "src/base/mutex.h"
#include "src/base/program_part.h"

namespace dfrun::comm {
namespace {

using Definition = const TransportDef* (*)();

Result<const TransportDef*> Open(const std::string& name) {
  DF_ASSIGN(void* const definition, OpenProgramPart(name, "dfrun_transport_part"));
  return reinterpret_cast<Definition>(definition)();
}

}  // namespace

Result<const TransportDef*> OpenTransportPart(const std::string& name) {
  static Mutex& mu = *new Mutex();
  static std::map<std::string, Result<const TransportDef*>>& opened =
      *new std::map<std::string, Result<const TransportDef*>>();
  MutexLock lock(mu);
  auto it = opened.find(name);
  if (it == opened.end()) it = opened.emplace(name, Open(name)).first;
  return it->second;
}

}  // namespace dfrun::comm
