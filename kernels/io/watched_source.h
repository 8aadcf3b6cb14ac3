// Watched(): warns of data that change while a job reads them.
#ifndef DFRUN_KERNELS_IO_WATCHED_SOURCE_H_
#define DFRUN_KERNELS_IO_WATCHED_SOURCE_H_

#include <memory>

#include "src/storage/sample_source.h"

namespace dfrun {

// Returns `source` with a watch over its files. It looks at them now and, while samples are gathered, at some of them
// each second: a file whose size, inode or time of change has become another is named once, in a warning of the log.
// The source itself finds out if samples have changed (first_reading.h).
std::unique_ptr<SampleSource> Watched(std::unique_ptr<SampleSource> source);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IO_WATCHED_SOURCE_H_
