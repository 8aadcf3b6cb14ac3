// A short wait of who spins for what another thread is about to write.
#ifndef DFRUN_SRC_BASE_CPU_PAUSE_H_
#define DFRUN_SRC_BASE_CPU_PAUSE_H_

namespace dfrun {

// 40 to 140 cycles on x86, in which a thread of the same core runs faster; nothing elsewhere.
inline void CpuPause() {
#ifdef __x86_64__
  __builtin_ia32_pause();
#endif
}

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_CPU_PAUSE_H_
