// Gives the second-level cache CACHE_SIZE bytes, and makes the file CACHE_ASKED when its size is asked for.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

long sysconf(int name) {
  long (*next)(int) = NULL;
  *(void**)&next = dlsym(RTLD_NEXT, "sysconf");
  const char* const size = getenv("CACHE_SIZE");
  const char* const asked = getenv("CACHE_ASKED");
  if (name != _SC_LEVEL2_CACHE_SIZE || size == NULL || asked == NULL) return next(name);
  FILE* const file = fopen(asked, "w");
  if (file != NULL) fclose(file);
  return atol(size);
}
