// The names of the event files of a job and of those of summary writers in a graph, and the events in them.
// record_writer.h writes the records.
// Source: TensorFlow's event files; the first record is an Event with the file's version, "brain.Event:2".
#ifndef DFRUN_SRC_STORAGE_EVENT_RECORDS_H_
#define DFRUN_SRC_STORAGE_EVENT_RECORDS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "src/storage/event.pb.h"

namespace dfrun {

// Every name of an event file begins with it.
inline constexpr std::string_view kEventFilePrefix = "events.out.tfevents.";

// Returns the name of an event file of this process: with seconds since 1970, host, process and a number.
std::string EventFileName(int64_t seconds, int number);

// Seconds since 1970.
double EventTime();

// An event of a step, without content. `wall_time`: seconds since 1970.
proto::Event EventAt(int64_t step, double wall_time);

// The serialised event that a file begins with.
std::string VersionEvent();

}  // namespace dfrun

#endif  // DFRUN_SRC_STORAGE_EVENT_RECORDS_H_
