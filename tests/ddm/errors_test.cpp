// Graphs that cannot fire, threads that throw, runs that are cancelled: what the caller sees, word
// by word.
#include <gtest/gtest.h>
#include <raddle/ddm.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace raddle::ddm {
namespace {

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

Options workers(int count) {
  Options options;
  options.workers = count;
  return options;
}

TEST(GraphErrors, NameACycle) {
  Program program;
  auto a = program.thread("a", [] {});
  auto b = program.thread("b", [] {});
  auto c = program.thread("c", [] {});
  a.then(b);
  b.then(c);
  c.then(b);
  EXPECT_EQ(message_of([&] { program.run(); }),
            "block 'main': the cycle 'b' → 'c' → 'b' can never fire\n"
            "hint: a loop's way back is declared with again(…), a step to another iteration with "
            "an offset");
}

TEST(GraphErrors, NameAReadyCountThatIsNeverMet) {
  Program program;
  auto a = program.thread("a", [] {});
  auto b = program.thread("b", [] {});
  a.then(b);
  b.expects(2);
  EXPECT_EQ(message_of([&] { program.run(); }),
            "thread 'b' of block 'main': its ready count of 2 is never met: 1 arc leads to it\n"
            "hint: declare the missing producer, or correct expects(…)");
}

TEST(GraphErrors, NameAReadyCountThatAMappingDoesNotMeet) {
  Program program;
  auto a = program.thread("a", range(6), [](std::size_t) {});
  auto b = program.thread("b", range(3), [](std::size_t) {});
  a.then(b, [](std::size_t i, auto to) {
    if (i < 5) to(i / 2);
  });
  b.expects(2);
  const auto* expected =
      "thread 'b'[2] of block 'main': its ready count of 2 is never met: it has 1 inputs\n"
      "hint: correct the mapping that leads to it, or expects(…)";
  EXPECT_EQ(message_of([&] { program.run(); }), expected);
  NoFrame frame;
  EXPECT_EQ(message_of([&] { program.run_on(*make_sequential_executor(), frame); }), expected);
}

TEST(GraphErrors, NameASwitchWithoutConsumers) {
  Program program;
  program.choose("which", [] { return true; });
  EXPECT_EQ(message_of([&] { program.run(); }),
            "thread 'which' of block 'main': this switch thread has no consumer\n"
            "hint: declare what runs in each case with when(…)");
}

TEST(GraphErrors, NameACaseThatHasNoConsumer) {
  Program program;
  auto which = program.choose("which", range(4), [](std::size_t i) { return static_cast<int>(i); });
  auto a = program.thread("a", range(4), [](std::size_t) {});
  which.when(0, a).when(1, a).when(3, a);
  EXPECT_EQ(message_of([&] { program.run(workers(1)); }),
            "thread 'which'[2] of block 'main': it chose 2, for which it has no consumer\n"
            "hint: declare one with when(…)");
}

TEST(GraphErrors, NameAnArcThatReachesNothing) {
  Program program;
  auto a = program.thread("a", range(10), [](std::size_t) {});
  auto b = program.thread("b", range(10), [](std::size_t) {});
  a.then(b, offset(10));
  EXPECT_EQ(message_of([&] { program.run(); }),
            "thread 'a' of block 'main': its arc to 'b' reaches no instance of that thread\n"
            "hint: the offset leads out of the consumer's range");
}

TEST(GraphErrors, NameAConsumerBeyondTheRange) {
  Program program;
  auto a = program.thread("a", range(10), [](std::size_t) {});
  auto b = program.thread("b", range(10), [](std::size_t) {});
  a.then(b, [](std::size_t i, auto to) { to(i + 1); });
  EXPECT_EQ(message_of([&] { program.run(); }),
            "thread 'a'[9] of block 'main': it names 'b'[10] as consumer, which is not an instance "
            "of that thread\n"
            "hint: let the mapping leave out consumers beyond the range or the condition of 'b'");
}

TEST(GraphErrors, NameARangeThatIsNegativeOrTooLarge) {
  const auto message_for = [](auto... sizes) {
    const auto declare = [&](auto& program) {
      if constexpr (sizeof...(sizes) == 1) {
        program.thread("a", range(sizes...), [](std::size_t) {});
      } else {
        program.thread("a", range(sizes...), [](std::size_t, std::size_t) {});
      }
    };
    Program program;
    declare(program);
    NoFrame frame;
    const auto message = message_of([&] { program.run(); });
    EXPECT_EQ(message_of([&] { program.run_on(*make_sequential_executor(), frame); }), message);
    return message;
  };
  constexpr auto kHalfOfAll = std::size_t{1} << 32;
  EXPECT_EQ(message_for(-1),
            "thread 'a' of block 'main': its range(-1) has no size that can be run\n"
            "hint: such a thread has at most 68719476736 instances");
  EXPECT_EQ(message_for(kHalfOfAll, kHalfOfAll),
            "thread 'a' of block 'main': its range(4294967296, 4294967296) has no size that can be "
            "run\n"
            "hint: such a thread has at most 8589934592 instances");
  EXPECT_EQ(message_for(kHalfOfAll, 0), "no error");
}

TEST(GraphErrors, NameANumberOfWorkersThatIsNone) {
  Program program;
  program.thread("a", [] {});
  EXPECT_EQ(message_of([&] { program.run(workers(-2)); }),
            "Options::workers: -2 is not a number of workers\n"
            "hint: give a number from 1, or 0 for one worker on each core");
}

TEST(GraphErrors, AreLookedForInChainsOfAnyLength) {
  constexpr int kThreads = 200000;
  Program program;
  std::vector<Thread<NoFrame, 0>> chain;
  for (int i = 0; i < kThreads; ++i) {
    chain.push_back(program.thread("t" + std::to_string(i), [] {}));
    if (i > 0) chain[i - 1].then(chain[i]);
  }
  EXPECT_EQ(program.run().threads_fired, kThreads);
  chain.back().then(chain[kThreads - 2]);
  EXPECT_EQ(message_of([&] { program.check(); }),
            "block 'main': the cycle 't199998' → 't199999' → 't199998' can never fire\n"
            "hint: a loop's way back is declared with again(…), a step to another iteration with "
            "an offset");
}

TEST(GraphErrors, RefuseArcsBetweenBlocksAndNamesUsedTwice) {
  Program program;
  auto other = program.block("other");
  auto a = program.thread("a", [] {});
  auto b = other.thread("b", [] {});
  EXPECT_EQ(message_of([&] { a.then(b); }),
            "thread 'a' of block 'main': its consumer 'b' belongs to block 'other'\n"
            "hint: arcs join threads of one block; another block is invoked with call(…)");
  EXPECT_EQ(message_of([&] { program.thread("a", [] {}); }),
            "thread 'a' of block 'main': this name is used twice\n"
            "hint: threads of a block are told apart by name in messages, traces and drawings");
}

TEST(GraphErrors, NameABlockThatHasNoThreadsOrIsOfAnotherProgram) {
  Program program;
  auto empty = program.block("empty");
  program.call("go", empty, [] { return NoFrame{}; });
  EXPECT_EQ(message_of([&] { program.run(); }),
            "block 'empty': it has no threads\nhint: it is invoked by thread 'go' of block 'main'");
  Program second;
  second.call("go", empty, [] { return NoFrame{}; });
  EXPECT_EQ(message_of([&] { second.run(); }),
            "thread 'go' of block 'main': it invokes a block of another program\n"
            "hint: make the block with block(…) of the same program");
}

class Starvation : public testing::TestWithParam<int> {
 protected:
  static std::string run(Program<>& program) {
    if (GetParam() > 0) return message_of([&] { program.run(workers(GetParam())); });
    NoFrame frame;
    return message_of([&] { program.run_on(*make_sequential_executor(), frame); });
  }
};
INSTANTIATE_TEST_SUITE_P(Workers, Starvation, testing::Values(0, 1, 4));

TEST_P(Starvation, NamesThreadsThatWaitForEachOtherThroughIndices) {
  // Index 3 and 4 wait for each other; 5 waits for 4.
  Program program;
  auto a = program.thread("a", range(6), [](std::size_t) {});
  a.then(a, [](std::size_t i, auto to) {
    if (i == 3) to(4);
    if (i == 4) to(3), to(5);
  });
  EXPECT_EQ(run(program),
            "thread 'a'[3] of block 'main': it never ran: 0 of 1 inputs came; neither did 'a'[4], "
            "'a'[5]\n"
            "hint: its inputs come from 'a'");
}

TEST_P(Starvation, NamesAJoinBehindASwitchThatGotOneInputOfTwo) {
  Program program;
  auto which = program.choose("which", [] { return true; });
  auto yes = program.thread("yes", [] {});
  auto no = program.thread("no", [] {});
  auto join = program.thread("join", [] {});
  which.when(true, yes).when(false, no);
  yes.then(join);
  no.then(join);
  EXPECT_EQ(run(program),
            "thread 'join' of block 'main': it never ran: 1 of 2 inputs came\n"
            "hint: its inputs come from 'yes', 'no'");
}

TEST_P(Starvation, NamesAnInnerBlockAndEndsTheWholeRun) {
  Program program;
  auto inner = program.block("inner");
  auto a = inner.thread("a", range(2), [](std::size_t) {});
  a.then(a, [](std::size_t i, auto to) { to(1 - i); });
  auto go = program.call("go", range(100), inner, [](std::size_t) { return NoFrame{}; });
  go.then(program.thread("after", [] { FAIL(); }));
  EXPECT_EQ(run(program),
            "thread 'a'[0] of block 'inner': it never ran: 0 of 1 inputs came; neither did 'a'[1]\n"
            "hint: its inputs come from 'a'");
}

class Failure : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Workers, Failure, testing::Values(1, 2, 6));

TEST_P(Failure, ReachesTheCallerAndLeavesTheProgramUsable) {
  struct Mine : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  std::atomic<int> after{0};
  bool throws = true;
  Program program;
  auto work = program.thread("work", range(1000), [&](std::size_t i) {
    if (i == 500 && throws) throw Mine("no more");
  });
  work.then(program.thread("after", [&] { ++after; }));
  EXPECT_THROW(program.run(workers(GetParam())), Mine);
  EXPECT_EQ(after, 0);
  throws = false;
  program.run(workers(GetParam()));
  EXPECT_EQ(after, 1);
}

TEST_P(Failure, DestroysTheFramesOfAllLiveContexts) {
  struct Counted {
    std::shared_ptr<int> token;
    int depth;
  };
  auto token = std::make_shared<int>(0);
  Program program;
  auto block = program.block<Counted>("nested");
  block.thread("spawn", [&](Counted& f, Spawn spawn) {
    if (f.depth == 0) throw std::runtime_error("deep enough");
    for (int i = 0; i < 3; ++i) spawn(block, {f.token, f.depth - 1});
  });
  program.call("go", range(4), block, [&](std::size_t) { return Counted{token, 4}; });
  EXPECT_THROW(program.run(workers(GetParam())), std::runtime_error);
  EXPECT_EQ(token.use_count(), 1);
}

TEST_P(Failure, OfAnInletAnOutletOrOfTakingResultsReachesTheCaller) {
  for (const std::string place : {"inlet", "outlet", "make", "take"}) {
    Program program;
    auto block = program.block<int>("inner");
    block.inlet([&] {
      if (place == "inlet") throw std::runtime_error(place);
    });
    block.outlet([&] {
      if (place == "outlet") throw std::runtime_error(place);
    });
    program.call(
        "go", range(5), block,
        [&](std::size_t) {
          if (place == "make") throw std::runtime_error(place);
          return 0;
        },
        [&](std::size_t, int) {
          if (place == "take") throw std::runtime_error(place);
        });
    try {
      program.run(workers(GetParam()));
      ADD_FAILURE() << place << " did not throw";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), place);
    }
  }
}

TEST(Exit, EndsTheProcessWithItsStatusFromWithinARun) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [] {
    Program program;
    program.thread("a", range(1000), [](std::size_t i) {
      if (i == 500) std::exit(5);
    });
    program.run(workers(2));
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(5), "");
}

TEST_P(Failure, CancellationEndsARunThatWouldNotEnd) {
  std::stop_source source;
  Options options = workers(GetParam());
  options.stop = source.get_token();
  std::atomic<int> rounds{0};
  Program program;
  auto begin = program.thread("begin", [] {});
  auto test = program.choose("test", [] { return true; });
  auto next = program.thread("next", [&] {
    if (++rounds == 1000) source.request_stop();
  });
  begin.then(test);
  test.when(true, next);
  next.again(test);
  EXPECT_EQ(message_of([&] { program.run(options); }), "the run was cancelled");
  EXPECT_GE(rounds, 1000);
  Options stopped = options;
  EXPECT_THROW(program.run(stopped), CancelledError);
}

}  // namespace
}  // namespace raddle::ddm
