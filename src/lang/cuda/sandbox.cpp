#include "lang/cuda/sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace raddle::cuda {
namespace {

// Newer than the headers that Debian 12 has.
constexpr std::uint64_t kRefer = std::uint64_t{1} << 13;
constexpr std::uint64_t kTruncate = std::uint64_t{1} << 14;
constexpr int kVersionWithRefer = 2;
constexpr int kVersionWithTruncate = 3;

constexpr std::uint64_t kWriteFile = LANDLOCK_ACCESS_FS_WRITE_FILE;
constexpr std::uint64_t kChangeFolders =
    LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;

// What Landlock of this version can refuse, of what changes files.
std::uint64_t known_rights(int version) {
  return kWriteFile | kChangeFolders | (version >= kVersionWithRefer ? kRefer : 0) |
         (version >= kVersionWithTruncate ? kTruncate : 0);
}

int landlock_version() {
  return static_cast<int>(
      syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
}

// Calls that a computation has no use for: sockets and what reaches other processes, processes of
// its own, what changes files by name without writing them (Landlock does not see it), and parts of
// the kernel with a history of holes.
constexpr int kRefused[] = {SYS_socket,
                            SYS_connect,
                            SYS_bind,
                            SYS_listen,
                            SYS_accept,
                            SYS_accept4,
                            SYS_fork,
                            SYS_vfork,
                            SYS_ptrace,
                            SYS_process_vm_readv,
                            SYS_process_vm_writev,
                            SYS_process_madvise,
                            SYS_kcmp,
                            SYS_pidfd_open,
                            SYS_pidfd_getfd,
                            SYS_pidfd_send_signal,
                            SYS_tkill,
                            SYS_rt_sigqueueinfo,
                            SYS_rt_tgsigqueueinfo,
                            SYS_chmod,
                            SYS_fchmod,
                            SYS_fchmodat,
                            SYS_chown,
                            SYS_fchown,
                            SYS_lchown,
                            SYS_fchownat,
                            SYS_utime,
                            SYS_utimes,
                            SYS_utimensat,
                            SYS_futimesat,
                            SYS_setxattr,
                            SYS_lsetxattr,
                            SYS_fsetxattr,
                            SYS_removexattr,
                            SYS_lremovexattr,
                            SYS_fremovexattr,
                            SYS_truncate,
                            SYS_shmget,
                            SYS_semget,
                            SYS_msgget,
                            SYS_mq_open,
                            SYS_mq_unlink,
                            SYS_io_uring_setup,
                            SYS_io_uring_enter,
                            SYS_io_uring_register,
                            SYS_bpf,
                            SYS_perf_event_open,
                            SYS_userfaultfd,
                            SYS_keyctl,
                            SYS_add_key,
                            SYS_request_key,
                            SYS_mount,
                            SYS_umount2,
                            SYS_pivot_root,
                            SYS_chroot,
                            SYS_unshare,
                            SYS_setns,
                            SYS_open_by_handle_at,
                            SYS_fsopen,
                            SYS_fsmount,
                            SYS_move_mount,
                            SYS_open_tree,
                            SYS_swapon,
                            SYS_swapoff,
                            SYS_reboot,
                            SYS_kexec_load,
                            SYS_kexec_file_load,
                            SYS_init_module,
                            SYS_finit_module,
                            SYS_delete_module,
                            SYS_iopl,
                            SYS_ioperm,
                            SYS_settimeofday,
                            SYS_clock_settime,
                            SYS_clock_adjtime,
                            SYS_adjtimex,
                            SYS_sethostname,
                            SYS_setdomainname,
                            SYS_acct,
                            SYS_quotactl,
                            SYS_syslog,
                            SYS_vhangup,
                            SYS_setpriority,
                            SYS_sched_setaffinity,
                            SYS_migrate_pages,
                            SYS_move_pages,
                            SYS_setrlimit};

// Programs of the classic Berkeley packet filter, which seccomp runs at each system call.
class FilterWriter {
 public:
  FilterWriter() {
    load(offsetof(seccomp_data, arch));
    jump(BPF_JEQ, AUDIT_ARCH_X86_64, 1, 0);
    give(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
    constexpr std::uint32_t kX32 = 0x40000000;  // the same calls by other numbers
    jump(BPF_JGE, kX32, 0, 1);
    give(SECCOMP_RET_KILL_PROCESS);
  }

  void refuse(int call, int error = EPERM) {
    jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 1);
    give(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error));
  }
  // Unless the argument is this value: one of its halves, the lower first.
  std::size_t refuse_unless(int call, unsigned argument, std::uint32_t value, unsigned half = 0) {
    jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 4);
    load(offsetof(seccomp_data, args) + std::size_t{8} * argument + std::size_t{4} * half);
    jump(BPF_JEQ, value, 1, 0);
    const std::size_t place = filter_.size() - 1;
    give(SECCOMP_RET_ERRNO | EPERM);
    load(offsetof(seccomp_data, nr));
    return place;
  }
  void refuse_value(int call, unsigned argument, std::uint32_t value) {
    jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 4);
    load(offsetof(seccomp_data, args) + std::size_t{8} * argument);
    jump(BPF_JEQ, value, 0, 1);
    give(SECCOMP_RET_ERRNO | EPERM);
    load(offsetof(seccomp_data, nr));
  }
  // Where (argument & mask) is not `value`.
  void refuse_unless_masked(int call, unsigned argument, std::uint32_t mask, std::uint32_t value,
                            bool inverted = false) {
    jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 5);
    load(offsetof(seccomp_data, args) + std::size_t{8} * argument);
    filter_.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
    jump(BPF_JEQ, value, inverted ? 0 : 1, inverted ? 1 : 0);
    give(SECCOMP_RET_ERRNO | EPERM);
    load(offsetof(seccomp_data, nr));
  }
  std::vector<sock_filter> finish() {
    give(SECCOMP_RET_ALLOW);
    return std::move(filter_);
  }

 private:
  void load(std::size_t offset) {
    filter_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void jump(std::uint16_t comparison, std::uint32_t value, std::uint8_t if_true,
            std::uint8_t if_false) {
    filter_.push_back(sock_filter{static_cast<std::uint16_t>(BPF_JMP | comparison | BPF_K), if_true,
                                  if_false, value});
  }
  void give(std::uint32_t answer) { filter_.push_back(BPF_STMT(BPF_RET | BPF_K, answer)); }

  std::vector<sock_filter> filter_;
};

}  // namespace

Sandbox::Sandbox(const std::string& writable_folder, int kept_handle, const SandboxLimits& limits)
    : kept_handle_(kept_handle), limits_(limits) {
  const int version = landlock_version();
  if (version < 1) {
    throw Error("--sandbox needs Landlock, which this kernel does not offer", {},
                "Linux 5.13 or later has it, unless it was switched off at boot");
  }
  const landlock_ruleset_attr attributes{known_rights(version)};
  ruleset_ =
      static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0));
  if (ruleset_ < 0) throw Error(fmt::format("cannot make a sandbox: {}", std::strerror(errno)));
  allow_writing(writable_folder, known_rights(version));
  allow_writing("/dev/null", kWriteFile | (version >= kVersionWithTruncate ? kTruncate : 0));

  FilterWriter filter;
  for (const int call : kRefused) filter.refuse(call);
  filter.refuse(SYS_clone3, ENOSYS);  // its flags are out of sight; the library falls back to clone
  filter.refuse(SYS_openat2, ENOSYS);
  filter.refuse_unless_masked(SYS_clone, 0, CLONE_THREAD, CLONE_THREAD);
  // Truncates a file without the right to write it.
  constexpr std::uint32_t kOpening = O_ACCMODE | O_TRUNC;
  filter.refuse_unless_masked(SYS_open, 1, kOpening, O_RDONLY | O_TRUNC, true);
  filter.refuse_unless_masked(SYS_openat, 2, kOpening, O_RDONLY | O_TRUNC, true);
  for (const unsigned half : {0u, 1u})
    filter.refuse_unless(SYS_prlimit64, 2, 0, half);  // asks only
  filter.refuse_value(SYS_ioctl, 1, TIOCSTI);         // types at the terminal for the user
  for (const int call : {SYS_kill, SYS_tgkill})
    own_process_.push_back(filter.refuse_unless(call, 0, 0));
  filter_ = filter.finish();
}

Sandbox::~Sandbox() { close(ruleset_); }

void Sandbox::allow_writing(const std::string& place, std::uint64_t rights) const {
  const int handle = open(place.c_str(), O_PATH | O_CLOEXEC | O_NOFOLLOW);
  landlock_path_beneath_attr rule{};
  rule.allowed_access = rights;
  rule.parent_fd = handle;
  const bool good = handle >= 0 && syscall(SYS_landlock_add_rule, ruleset_,
                                           LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
  const int error = errno;
  if (handle >= 0) close(handle);
  if (!good) throw Error(fmt::format("cannot make a sandbox: {}", std::strerror(error)), place);
}

bool Sandbox::enter() const {
  const auto limit = [](auto resource, std::uint64_t value) {
    const rlimit both{value, value};
    return setrlimit(resource, &both) == 0;
  };
  if (!limit(RLIMIT_DATA, limits_.memory_bytes) || !limit(RLIMIT_FSIZE, limits_.file_bytes) ||
      !limit(RLIMIT_CPU, limits_.cpu_seconds) || !limit(RLIMIT_CORE, 0))
    return false;
  // Files that we have open are nothing to the program.
  constexpr unsigned kFirst = 3;
  constexpr unsigned kCloseOnExec = 4;  // CLOSE_RANGE_CLOEXEC; the rule set is still needed
  const auto kept = static_cast<unsigned>(kept_handle_);
  if (kept > kFirst && syscall(SYS_close_range, kFirst, kept - 1, kCloseOnExec) != 0) return false;
  if (syscall(SYS_close_range, kept + 1, ~0u, kCloseOnExec) != 0) return false;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  if (syscall(SYS_landlock_restrict_self, ruleset_, 0) != 0) return false;
  auto* const code = const_cast<sock_filter*>(filter_.data());  // this process's own copy
  for (const std::size_t place : own_process_) code[place].k = static_cast<std::uint32_t>(getpid());
  const sock_fprog program{static_cast<unsigned short>(filter_.size()), code};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace raddle::cuda
