// Data that change while a job reads them: a warning.
#ifndef DFRUN_KERNELS_IO_WATCHED_SOURCE_H_
#define DFRUN_KERNELS_IO_WATCHED_SOURCE_H_

#include <memory>

#include "src/framework/sample_source.h"

namespace dfrun {

// The same source, which looks at its files now and, while samples are gathered, some of them each second: a file whose
// size, inode or time of change has become another is named once, in a warning of the log. Whether its samples are
// others is for the source to find (first_reading.h).
std::unique_ptr<SampleSource> Watched(std::unique_ptr<SampleSource> source);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_WATCHED_SOURCE_H_
