#include "src/base/helper_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

namespace dfrun {
namespace {

// Unlike a pipe, a socket can be written to without a SIGPIPE when the child has ended.
struct SocketPair {
  int ours = -1;
  int childs = -1;

  ~SocketPair() {
    if (ours >= 0) ::close(ours);
    if (childs >= 0) ::close(childs);
  }
  Status Open() {
    int fds[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
      return IoError("cannot make a socket to a helper process: ", std::strerror(errno));
    }
    ours = fds[0];
    childs = fds[1];
    return Status();
  }
};

// The files and signals of the child, for posix_spawn().
class SpawnPlan {
 public:
  explicit SpawnPlan(int channel) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_adddup2(&files_, channel, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files_, channel, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  const posix_spawn_file_actions_t* files() const { return &files_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

std::string HowItEnded(int status) {
  if (!WIFSIGNALED(status)) return StrCat("ended with code ", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  if (signal == SIGXCPU) return "took more time than it may";
  if (signal == SIGKILL) return "was killed (SIGKILL): by somebody, or by the system, which was out of memory";
  if (signal == SIGTERM || signal == SIGINT || signal == SIGHUP) return StrCat("was ended (", strsignal(signal), ")");
  return StrCat("crashed (", strsignal(signal), ")");
}

Status Gone() {
  return Error(Code::kDataLoss, "the process that looked at it is gone");
}

}  // namespace

Result<std::unique_ptr<HelperProcess>> HelperProcess::Start(const std::vector<std::string>& args) {
  SocketPair channel;
  DF_TRY(channel.Open());
  const SpawnPlan plan(channel.childs);
  std::vector<std::string> words = args;
  words.insert(words.begin(), "dfrun");
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = -1;
  // The path names this program in the child, too.
  const int error = posix_spawn(&pid, "/proc/self/exe", plan.files(), plan.attributes(), argv.data(), environ);
  if (error != 0) return IoError("cannot start a helper process: ", std::strerror(error));
  const int ours = std::exchange(channel.ours, -1);
  return std::unique_ptr<HelperProcess>(new HelperProcess(pid, ours));
}

HelperProcess::~HelperProcess() {
  Kill();
  ::close(channel_);
}

void HelperProcess::Kill() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  pid_ = -1;
}

// A child that has closed its end of the socket has ended, or will at once; one that runs hostile code might do
// neither.
Status HelperProcess::Ended() {
  constexpr int kTries = 200;
  int status = 0;
  pid_t ended = -1;
  for (int i = 0; i < kTries && (ended = ::waitpid(pid_, &status, WNOHANG)) == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  if (ended == 0) Kill();
  pid_ = -1;
  return Error(Code::kDataLoss, "the process that looked at it ", ended > 0 ? HowItEnded(status) : "did not end");
}

bool HelperProcess::IsStopped() const {
  siginfo_t info = {};
  constexpr int kLook = WSTOPPED | WNOHANG | WNOWAIT;
  return ::waitid(P_PID, static_cast<id_t>(pid_), &info, kLook) == 0 && info.si_pid == pid_ &&
         info.si_code == CLD_STOPPED;
}

Status HelperProcess::WaitForBytes(std::chrono::seconds patience, Word& word) {
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    const auto until = begin + (word ? std::min(kWordAfter, patience) : patience);
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd ready{channel_, POLLIN, 0};
    const int found = ::poll(&ready, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    if (found > 0) return Status();
    if (found < 0 && errno == EINTR) continue;
    if (found < 0) return IoError("cannot wait for a helper process: ", std::strerror(errno));
    const bool is_stopped = IsStopped();
    if (word) {
      std::exchange(word, nullptr)(is_stopped);
      continue;
    }
    Kill();
    return Error(Code::kDataLoss, "the process that looked at it ", is_stopped ? "was stopped by a signal, and " : "",
                 "said nothing for ", patience.count(), " s");
  }
}

Status HelperProcess::Write(const void* data, size_t bytes) {
  if (pid_ < 0) return Gone();
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::send(channel_, from, bytes, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return Ended();
    from += n;
    bytes -= static_cast<size_t>(n);
  }
  return Status();
}

Status HelperProcess::Read(void* data, size_t bytes, std::chrono::seconds patience, const Word& word) {
  if (pid_ < 0) return Gone();
  Word left = word;
  auto* to = static_cast<char*>(data);
  while (bytes > 0) {
    DF_TRY(WaitForBytes(patience, left));
    const ssize_t n = ::recv(channel_, to, bytes, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Ended();
    to += n;
    bytes -= static_cast<size_t>(n);
  }
  return Status();
}

}  // namespace dfrun
