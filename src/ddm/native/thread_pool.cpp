#include "ddm/native/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <ctime>

#include "ddm/native/worker.h"

namespace raddle::ddm::native {
namespace {

// How often somebody looks whether pinned threads have their cores, and how long none is pinned
// after one has lost its core.
constexpr std::chrono::milliseconds kLook{10};
constexpr std::chrono::seconds kLoose{1};

thread_local const ThreadPool* current = nullptr;

std::vector<int> usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

std::chrono::nanoseconds processor_time(std::thread& thread) {
  clockid_t clock{};
  timespec time{};
  if (pthread_getcpuclockid(thread.native_handle(), &clock) != 0) return {};
  clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

TakingPart::TakingPart(const ThreadPool& pool) : outer_(current) { current = &pool; }
TakingPart::~TakingPart() { current = outer_; }
bool TakingPart::any() { return current != nullptr; }
bool TakingPart::in_run_of(const ThreadPool& pool) { return current == &pool; }

ThreadPool::ThreadPool() : cores_(usable_cores()) {}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    for (auto& member : members_) member->assigned.notify_one();
  }
  for (auto& member : members_) member->thread.join();
}

std::size_t ThreadPool::free() const {
  return static_cast<std::size_t>(std::ranges::count(members_, nullptr, &Member::run));
}

// Until so many threads are free.
void ThreadPool::grow(std::size_t free_threads) {
  for (auto missing = free_threads - std::min(free_threads, free()); missing > 0; --missing) {
    Member& member = *members_.emplace_back(std::make_unique<Member>());
    member.number = members_.size() - 1;
    member.thread = std::thread([this, &member] { live(member); });
  }
}

Worker* ThreadPool::begin(Run& run) {
  const std::lock_guard lock(mutex_);
  Team& team = run.team;
  team.pool = this;
  team.vacant.assign(run.workers.begin(),
                     run.workers.begin() + static_cast<std::ptrdiff_t>(run.crew));
  if (members_.size() < run.crew) grow(free() + run.crew - members_.size());
  Worker* own = nullptr;
  if (run.network == nullptr && free() < run.crew) {
    own = team.vacant.front();
    team.vacant.erase(team.vacant.begin());
    team.staying = 1;
    if (!TakingPart::any()) {  // one thread more than there are cores
      run.crowded = true;
      loosen();
    }
  }
  if (run.keeps_threads) grow(team.vacant.size());
  run.pinned = run.options.pin && run.crew <= cores_.size() && Clock::now() >= loose_until_;
  run.watched = own == nullptr && run.network == nullptr && run.pinned;
  open_.push_back(&run);
  want(run, team.vacant.size());
  return own;
}

void ThreadPool::finish(Run& run) {
  std::unique_lock lock(mutex_);
  Team& team = run.team;
  const auto left = [&] {
    if (!run.ended.load()) return false;
    recall(run);
    return team.present == 0;
  };
  while (run.watched && run.pinned && !team.left.wait_for(lock, kLook, left)) {
    if (loses_core(run)) loosen();
  }
  team.left.wait(lock, left);
  std::erase(open_, &run);
  wanted_ -= team.wanted;
}

void ThreadPool::call(Run& run) {
  const std::lock_guard lock(mutex_);
  if (!run.ended.load()) want(run, 1);
}

bool ThreadPool::leave(Run& run) {
  const std::lock_guard lock(mutex_);
  if (wanted_.load() == run.team.wanted || run.team.staying < 2) return false;
  --run.team.staying;
  return true;
}

// Threads that are free come at once. The others are asked, if they sleep, whether they leave.
void ThreadPool::want(Run& run, std::size_t more) {
  Team& team = run.team;
  more = std::min(more, team.vacant.size() - team.wanted);
  team.wanted += more;
  wanted_ += more;
  for (auto& member : members_) {
    if (team.wanted == 0) return;
    if (member->run == nullptr) assign(*member, run);
  }
  if (team.wanted == 0) return;
  for (Run* other : open_) {
    if (other != &run && !other->keeps_threads) other->wakeups.wake_all();
  }
}

// Each thread to the worker of its own number, if that is vacant: on the same core from run to run.
void ThreadPool::assign(Member& member, Run& run) {
  Team& team = run.team;
  auto worker = std::ranges::find(team.vacant, member.number, &Worker::number);
  if (worker == team.vacant.end()) worker = team.vacant.begin();
  member.run = &run;
  member.worker = *worker;
  member.seen = {};
  team.vacant.erase(worker);
  --team.wanted;
  --wanted_;
  ++team.present;
  ++team.staying;
  member.assigned.notify_one();
}

// It has left its run, and goes where the fewest threads are of those that want more.
void ThreadPool::release(Member& member) {
  Run& run = *member.run;
  run.team.vacant.push_back(member.worker);
  --run.team.present;
  member.run = nullptr;
  Run* next = nullptr;
  for (Run* other : open_) {
    if (other->team.wanted == 0 || other->ended.load()) continue;
    if (next == nullptr || other->team.present < next->team.present) next = other;
  }
  if (next != nullptr) assign(member, *next);
  if (run.ended.load()) {
    run.team.left.notify_all();
  } else if (run.has_work()) {  // queued since it decided to leave
    want(run, 1);
  }
}

// Threads that have not come before the end need not come.
void ThreadPool::recall(Run& run) {
  for (auto& member : members_) {
    if (member->run == &run && !member->there) release(*member);
  }
}

void ThreadPool::live(Member& member) {
  std::unique_lock lock(mutex_);
  for (;;) {
    member.assigned.wait(lock, [&] { return closing_ || member.run != nullptr; });
    if (member.run == nullptr) return;
    member.there = true;
    Run& run = *member.run;
    pin(member, run.pinned && member.number < cores_.size() ? cores_[member.number] : kAnyCore);
    lock.unlock();
    {
      const TakingPart taking_part(*this);
      member.worker->take_part(run, true);
    }
    lock.lock();
    member.there = false;
    release(member);
  }
}

void ThreadPool::pin(Member& member, int core) {
  if (member.core == core || cores_.empty()) return;
  member.core = core;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int usable : cores_) {
    if (core == kAnyCore || core == usable) CPU_SET(usable, &set);
  }
  pthread_setaffinity_np(member.thread.native_handle(), sizeof set, &set);
}

// Lets all threads go where there is room: one that leaves its core comes to that of another.
void ThreadPool::loosen() {
  loose_until_ = Clock::now() + kLoose;
  for (Run* run : open_) run->pinned = false;
  for (auto& member : members_) pin(*member, kAnyCore);
}

// Whether a thread has had less than three quarters of its core since the last look, without having
// slept for want of work.
bool ThreadPool::loses_core(const Run& run) {
  bool lost = false;
  for (auto& member : members_) {
    if (member->run != &run || !member->there) continue;
    const auto now = Clock::now();
    const auto ran = processor_time(member->thread);
    const auto naps = member->worker->naps();
    if (member->seen != Clock::time_point{} && naps == member->naps && naps % 2 == 0 &&
        ran - member->ran < (now - member->seen) * 3 / 4) {
      lost = true;
    }
    member->seen = now;
    member->ran = ran;
    member->naps = naps;
  }
  return lost;
}

}  // namespace raddle::ddm::native
