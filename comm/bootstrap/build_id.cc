#include "comm/bootstrap/build_id.h"

#include <link.h>

#include <cstdint>
#include <cstring>

namespace dfrun::comm {
namespace {

constexpr char kHex[] = "0123456789abcdef";

// Finds the GNU build id among the notes at [begin, end); empty if there is none.
std::string FindInNotes(const char* begin, const char* end) {
  while (begin + sizeof(ElfW(Nhdr)) <= end) {
    const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(begin);
    const char* name = begin + sizeof *note;
    const char* id = name + (note->n_namesz + 3) / 4 * 4;
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
      std::string hex;
      for (uint32_t i = 0; i < note->n_descsz; ++i) {
        hex += kHex[static_cast<uint8_t>(id[i]) >> 4];
        hex += kHex[id[i] & 15];
      }
      return hex;
    }
    begin = id + (note->n_descsz + 3) / 4 * 4;
  }
  return "";
}

bool Contains(const dl_phdr_info& object, uintptr_t address) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    const uintptr_t begin = object.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= begin && address < begin + segment.p_memsz) return true;
  }
  return false;
}

// Reads the build id of the object that holds this function, and stops there.
int FindInObject(dl_phdr_info* object, size_t, void* out) {
  if (!Contains(*object, reinterpret_cast<uintptr_t>(&FindInObject))) return 0;
  auto* id = static_cast<std::string*>(out);
  for (int i = 0; i < object->dlpi_phnum && id->empty(); ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the loader gives addresses as integers
    const char* begin = reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr);
    *id = FindInNotes(begin, begin + segment.p_memsz);
  }
  return 1;
}

}  // namespace

std::string BuildId() {
  std::string id;
  dl_iterate_phdr(&FindInObject, &id);
  return id + (id.empty() ? "" : " ") + __VERSION__ + " " DFRUN_MARCH;
}

}  // namespace dfrun::comm
