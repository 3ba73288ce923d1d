// Programs on several MPI ranks of this machine: the same numbers, and clear errors where a rank
// fails, stops or is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>

namespace {

using testing::AllOf;
using testing::HasSubstr;  // mpirun passes lines on, those of two ranks in any order

struct Outcome {
  int status;
  std::string output;
};

// mpirun kills the others when a rank ends with an error, unless every rank is to end by itself.
Outcome run(int ranks, const std::string& arguments, bool every_rank_ends = false) {
  // As root (in containers) Open MPI wants to be told twice; more ranks than cores are what a test
  // machine has.
  const std::string command =
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout -k 5 100 mpirun "
      "--oversubscribe --bind-to none --mca orte_abort_on_non_zero_status " +
      std::string(every_rank_ends ? "0" : "1") +
      " --mca mpi_yield_when_idle 1 --mca btl self,vader,tcp -n " + std::to_string(ranks) +
      " " RADDLE_MPI_PROGRAM " " + arguments + " 2>&1 </dev/null";
  FILE* pipe = popen(command.c_str(), "r");
  Outcome outcome{0, ""};
  std::array<char, 512> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) outcome.output += part.data();
  outcome.status = WEXITSTATUS(pclose(pipe));
  return outcome;
}

int count(const std::string& text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

class Ranks : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Ranks, testing::Values(1, 2, 3, 4));

TEST_P(Ranks, RunRandomGraphsWithTheNumbersOfASequentialRun) {
  const auto outcome = run(GetParam(), "random 12");
  EXPECT_EQ(count(outcome.output, "ok\n"), GetParam()) << outcome.output;
  EXPECT_EQ(outcome.status, 0);
}

TEST(MpiRun, InvokesBlocksOnOtherRanks) {
  const auto outcome = run(3, "invocations");
  EXPECT_EQ(count(outcome.output, "ok\n"), 3) << outcome.output;
}

TEST(MpiRun, TakesMoreInputsForOneWorkerThanItHasRoomFor) {
  const auto outcome = run(2, "flood");
  EXPECT_EQ(count(outcome.output, "ok\n"), 2) << outcome.output;
}

TEST(MpiRun, CarriesObjectsThatAreNotTheirBytes) {
  const auto outcome = run(3, "serialized");
  EXPECT_EQ(count(outcome.output, "ok\n"), 3) << outcome.output;
}

TEST(MpiRun, SpreadsInvokedContextsWithFramesOfTexts) {
  for (const int ranks : {1, 3}) {
    const auto outcome = run(ranks, "spread");
    EXPECT_EQ(count(outcome.output, "ok\n"), ranks) << outcome.output;
  }
}

TEST(MpiRun, GathersAndBroadcasts) {
  for (const int ranks : {1, 4}) {
    const auto outcome = run(ranks, "collectives");
    EXPECT_EQ(count(outcome.output, "ok\n"), ranks) << outcome.output;
  }
}

TEST(MpiRun, WaitsForOperationsOnEveryRank) {
  const auto outcome = run(2, "external");
  EXPECT_EQ(count(outcome.output, "ok\n"), 2) << outcome.output;
}

TEST(MpiRun, RefusesRanksThatDeclareDifferentGraphs) {
  auto outcome = run(2, "'another thread'", true);
  EXPECT_THAT(
      outcome.output,
      testing::AnyOf(
          HasSubstr("error: node 1 runs another graph: program 'mine' of 1 block with 2 "
                    "threads and 1 arc; here it is program 'mine' of 1 block with 1 thread "
                    "and 0 arcs\nhint: every node declares the same program, in the same "
                    "order\n"),
          HasSubstr("error: node 0 runs another graph: program 'mine' of 1 block with 1 "
                    "thread and 0 arcs; here it is program 'mine' of 1 block with 2 threads "
                    "and 1 arc\nhint: every node declares the same program, in the same "
                    "order\n")));
  EXPECT_EQ(count(outcome.output, "ok\n"), 0) << outcome.output;
  outcome = run(2, "'another range'", true);
  EXPECT_THAT(outcome.output,
              HasSubstr("runs another graph: program 'mine' of 1 block with 1 thread "
                        "and 0 arcs; here some of these have other names, ranges or "
                        "arcs\n"));
  EXPECT_EQ(count(outcome.output, "ok\n"), 0) << outcome.output;
}

TEST(MpiRun, RefusesToInferArcsOnSeveralRanks) {
  const auto outcome = run(2, "inferred", true);
  EXPECT_THAT(
      outcome.output,
      HasSubstr("error: block 'main': arcs cannot be inferred from what its threads read and "
                "write on several nodes\n"));
}

TEST(MpiRun, KeepsOnWhileAThreadTakesLongerThanTheSilenceThatMeansLost) {
  const auto outcome = run(2, "long");
  EXPECT_EQ(count(outcome.output, "ok\n"), 2) << outcome.output;
}

TEST(MpiRun, KeepsOnWhileARankComputesLongerThanThatBetweenRuns) {
  const auto outcome = run(3, "pause");
  EXPECT_EQ(count(outcome.output, "ok\n"), 3) << outcome.output;
  EXPECT_EQ(outcome.status, 0);
}

TEST(MpiRun, LeavesMpiToAProgramThatStartsAndEndsItItself) {
  const auto outcome = run(2, "'own mpi'");
  EXPECT_EQ(count(outcome.output, "ok\n"), 2) << outcome.output;
  EXPECT_EQ(outcome.status, 0);
}

TEST(MpiRun, RefusesToRunAfterTheProgramHasEndedMpi) {
  for (const char* mode : {"'run after mpi'", "'first run after mpi'"}) {
    const auto outcome = run(2, mode, true);
    EXPECT_EQ(count(outcome.output, "error: MPI_Finalize has been called before this run\n"), 2)
        << outcome.output;
    EXPECT_EQ(count(outcome.output, "hint: call it after the last run\n"), 2) << outcome.output;
  }
}

// The program counts how often it yields.
TEST(MpiRun, WakesAWorkerForEveryMessageThatBringsWorkAndNeverYields) {
  const auto outcome = run(2, "pingpong");
  EXPECT_EQ(count(outcome.output, "ok\n"), 2) << outcome.output;
}

TEST(MpiRun, TellsAllRanksWhatAThreadHasThrown) {
  const auto outcome = run(3, "throw");
  EXPECT_EQ(count(outcome.output, "error: no more paper\n"), 1) << outcome.output;
  EXPECT_EQ(count(outcome.output, "error: node 2 has failed: no more paper\n"), 2)
      << outcome.output;
  EXPECT_NE(outcome.status, 0);
}

TEST(MpiRun, TellsAFailureAlsoToARankThatHearsOfItWhenTheRunHasEnded) {
  const auto outcome = run(3, "'late failure'");
  EXPECT_EQ(count(outcome.output, "error: no more paper!"), 1) << outcome.output;
  EXPECT_EQ(count(outcome.output, "error: node 2 has failed: no more paper!"), 2) << outcome.output;
  EXPECT_EQ(outcome.status, 1);
}

TEST(MpiRun, RanksThatWaitForAnotherRest) {
  const auto outcome = run(3, "rest");
  EXPECT_EQ(count(outcome.output, "ok\n"), 3) << outcome.output;
}

TEST(MpiRun, NamesStarvingThreadsOnAllRanks) {
  const auto outcome = run(3, "starve");
  EXPECT_EQ(count(outcome.output,
                  "error: thread 'a'[1] of block 'main': it never ran: 0 of 1 inputs came; neither "
                  "did 'a'[6]\n"),
            3)
      << outcome.output;
}

TEST(MpiRun, RefusesAMappingToANodeThatIsNotThere) {
  const auto outcome = run(2, "mapping");
  EXPECT_THAT(
      outcome.output,
      AllOf(
          HasSubstr(
              "error: thread 'a'[5] of block 'main': its mapping names node 2, but there are 2\n"),
          HasSubstr("hint: nodes are numbered from 0 to nodes − 1")));
}

TEST(MpiRun, RefusesAnInvocationOnANodeThatIsNotThere) {
  const auto outcome = run(2, "'mapped call'");
  EXPECT_THAT(
      outcome.output,
      HasSubstr("error: thread 'call' of block 'block': its mapping names node 5, but there "
                "are 2\n"));
  EXPECT_NE(outcome.status, 0);
}

TEST(MpiRun, CarriesSingleValuesAndBlocksOfAnySize) {
  const auto outcome = run(3, "sizes");
  EXPECT_EQ(count(outcome.output, "ok\n"), 3) << outcome.output;
}

TEST(MpiRun, RefusesABlockThatNoMessageCanHold) {
  const auto outcome = run(2, "oversized");
  EXPECT_THAT(
      outcome.output,
      AllOf(HasSubstr("error: arc 'a' → 'b' of block 'main': it carries 3221225472 bytes at "
                      "once; a message can hold 1073741824\n"),
            HasSubstr("hint: divide the data among more thread instances")));
}

TEST(MpiRun, RefusesABlockThatHasAnotherSizeWhereItArrives) {
  const auto outcome = run(2, "mismatch");
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("error: arc 'a' → 'b' of block 'main': node 0 sent 64 bytes for 'a', "
                              "but here it takes 32\n"),
                    HasSubstr("hint: what carries(…) names must have the same size on every "
                              "node")));
}

TEST(MpiRun, EndsWithAnErrorWhenARankIsKilled) {
  const auto outcome = run(3, "kill");
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.status, 124) << "it hung";
  EXPECT_THAT(outcome.output,
              testing::AnyOf(HasSubstr("process rank 2"), HasSubstr("node 2 is lost")))
      << outcome.output;
}

TEST(MpiRun, EndsWithAnErrorWhenARankStandsStill) {
  const auto outcome = run(3, "stop");
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.status, 124) << "it hung";
  EXPECT_THAT(outcome.output,
              HasSubstr("raddle-ddm: node 0: node 2 is lost: nothing was heard of it for 3.0"));
}

TEST(MpiRun, EndsWithAnErrorWhenARankStandsStillBetweenRunsOrAtTheirEnd) {
  const auto outcome = run(3, "standstill");
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.status, 124) << "it hung";
  EXPECT_THAT(outcome.output,
              testing::AnyOf(HasSubstr("node 2 is lost: nothing was heard of it for 3.0"),
                             HasSubstr("another node is lost: the run has ended, but it did not "
                                       "say so for 3.0")));
}

TEST(MpiRun, EndsWithAnErrorWhenARankStandsStillAfterItsLastRun) {
  const auto outcome = run(3, "'stop before leaving'");
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.status, 124) << "it hung";
  EXPECT_THAT(outcome.output,
              HasSubstr("raddle-ddm: node 0: node 2 is lost: nothing was heard of it for 3.0"));
}

TEST(MpiRun, EndsWithAnErrorWhenARankHasEndedWhileOthersRunOn) {
  const auto outcome = run(3, "'leave early'");
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.status, 124) << "it hung";
  EXPECT_THAT(outcome.output,
              HasSubstr("raddle-ddm: node 0: node 2 is lost: it has ended its program, and a run "
                        "here has waited for it for 3.0"));
}

TEST(MpiRun, EndsWithAnErrorWhenARankStandsStillInMpiFinalize) {
  const auto outcome = run(3, "'stop while leaving'");
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.status, 124) << "it hung";
  EXPECT_THAT(outcome.output,
              testing::ContainsRegex("raddle-ddm: node [01]: another node is lost: MPI_Finalize "
                                     "did not return for 3.0+ seconds"));
}

}  // namespace
