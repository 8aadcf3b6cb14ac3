// Notes for a person about this host's devices, before a job runs on them.
#ifndef DFRUN_JOBS_COMMANDS_HOST_NOTES_H_
#define DFRUN_JOBS_COMMANDS_HOST_NOTES_H_

#include <set>
#include <string>

namespace dfrun::jobs {

// Returns lines about the types of devices that a job wants; an empty text if there is nothing to say. A note names a
// device, driver or library of this host that does not work, and what mends it. Or it says that this host has no such
// devices, which is in order if the job runs elsewhere, or that this program knows no such devices. Takes no device
// into use.
std::string HostNotes(const std::set<std::string>& types);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_COMMANDS_HOST_NOTES_H_
