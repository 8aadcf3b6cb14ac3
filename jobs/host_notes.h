// Notes for a person on this host's devices, before a job runs on it.
#ifndef DFRUN_JOBS_HOST_NOTES_H_
#define DFRUN_JOBS_HOST_NOTES_H_

#include <set>
#include <string>

namespace dfrun::jobs {

// Lines on the types of devices that a job wants: what of this host's devices, drivers and libraries does not serve it,
// and what mends that; that this host has none, which is in order where the job runs elsewhere; that this program knows
// no such devices. No device is taken into use. Empty: there is nothing to say.
std::string HostNotes(const std::set<std::string>& types);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_HOST_NOTES_H_
