#include "comm/mpi/part/mpi_error.h"

#include <mpi.h>

namespace dfrun::comm {

Status MpiStatus(int error, std::string_view what) {
  if (error == MPI_SUCCESS) return Status();
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(error, text, &length);
  return Error(Code::kUnavailable, "MPI could not ", what, ": ", std::string_view(text, static_cast<size_t>(length)));
}

int MpiErrorClass(int error) {
  int error_class = error;
  MPI_Error_class(error, &error_class);
  return error_class;
}

}  // namespace dfrun::comm
