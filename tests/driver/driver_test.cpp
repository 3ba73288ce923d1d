// The drivers as the command line sees them: each registers itself, endings and bundled names lead
// to one of them, and what they say of themselves fits the machines.
#include "driver/driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/atomic_file.h"
#include "base/error.h"
#include "base/temporary_folder.h"
#include "driver/run_program.h"

namespace raddle::driver {
namespace {

using testing::EndsWith;

const Driver& driver_called(const std::string& name) {
  for (const Driver* driver : drivers())
    if (driver->family().name == name) return *driver;
  throw Error("no driver " + name);
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.full_text();
  }
  return "no error";
}

TEST(Drivers, RegisterThemselvesOneAFamily) {
  std::vector<std::string> names;
  for (const Driver* driver : drivers()) names.push_back(driver->family().name);
  EXPECT_THAT(names, testing::ElementsAre("cuda", "ddm", "overlay", "preset", "ptx", "tpa"));
}

TEST(Drivers, ShareNoEnding) {
  std::set<std::string> endings;
  for (const Driver* driver : drivers()) {
    for (const std::string& ending : driver->family().endings) {
      EXPECT_TRUE(endings.insert(ending).second) << ending;
      EXPECT_EQ(driver_of("some/program" + ending), driver);
    }
  }
  EXPECT_EQ(driver_of("notes.txt"), nullptr);
}

TEST(Drivers, HaveADefaultMachineThatTakesTheirPrograms) {
  for (const Driver* driver : drivers()) {
    const Family& family = driver->family();
    EXPECT_TRUE(
        machine::traits_of(machine::load_parameters(family.default_machine)).takes(family.form))
        << family.name;
  }
}

TEST(Drivers, FindEveryBundledProgramByItsName) {
  for (const Driver* driver : drivers()) {
    for (const std::string& name : driver->bundled_programs()) {
      const FoundProgram program = find_program(name);
      EXPECT_EQ(program.driver, driver) << name;
      EXPECT_EQ(program.asked, name);
    }
  }
}

TEST(FindProgram, NamesResultsSoThatNoTwoProgramsMeet) {
  EXPECT_EQ(find_program("scan").name, "scan");
  EXPECT_EQ(find_program("dmt/scan").name, "dmt-scan");
  EXPECT_THAT(find_program("dmt/scan").path, EndsWith("benchmarks/dmt/scan.cu"));
  const TemporaryFolder folder;
  for (const char* file : {"csort.e", "csort.tpa", "csort.ddm.cpp"})
    write_file_atomically(folder / file, "");
  EXPECT_EQ(find_program((folder / "csort.e").string()).name, "csort");
  EXPECT_EQ(find_program((folder / "csort.tpa").string()).name, "csort.tpa");
  EXPECT_EQ(find_program((folder / "csort.ddm.cpp").string()).name, "csort");
}

TEST(FindProgram, TakesExecutablesForCudaPrograms) {
  EXPECT_EQ(find_program("/bin/sh").driver, &driver_called("cuda"));
}

TEST(CudaDriver, HasTheFormWithSharedMemoryForMachinesThatPassNoValuesBetweenThreads) {
  const Driver& cuda = driver_called("cuda");
  const machine::Traits plain = machine::traits_of(machine::load_parameters("mt-cgra"));
  const machine::Traits passing = machine::traits_of(machine::load_parameters("dmt-cgra"));
  EXPECT_EQ(cuda.other_form("dmt/scan", plain), "scan");
  EXPECT_EQ(cuda.other_form("dmt/scan", passing), "");
  EXPECT_EQ(cuda.other_form("scan", plain), "");
  EXPECT_EQ(cuda.other_form("dmt/shift", plain), "") << "has one form only";
}

TEST(RunProgram, RefusesAMachineForOtherProgramsBeforeItMakesAnything) {
  const TemporaryFolder folder;
  RunRequest request;
  request.settings.machine = "overlay";
  request.output_folder = folder / "out";
  EXPECT_EQ(error_of([&] { run_program(find_program("vecadd"), request, {}, false); }),
            "vecadd: machine 'overlay' runs fragment programs, not kernels\n"
            "hint: choose dmt-cgra, fermi, fermi-sm, gtx580, mt-cgra, native, ref or tpa with -m");
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

}  // namespace
}  // namespace raddle::driver
