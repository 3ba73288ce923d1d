#include "lang/cuda/nvcc_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/atomic_file.h"
#include "base/error.h"

namespace raddle::cuda {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

CompileRequest parse(const std::vector<std::string>& arguments) {
  return parse_nvcc_arguments(arguments);
}

std::string complaint(const std::vector<std::string>& arguments) {
  try {
    parse(arguments);
  } catch (const Error& error) {
    return error.full_text();
  }
  return "none";
}

TEST(NvccArguments, TakesEveryFlagOfTheSurveyedMakefilesInSilence) {
  const CompileRequest request = parse({"-arch",
                                        "sm_20",
                                        "-gencode",
                                        "arch=compute_35,code=sm_35",
                                        "-gencode=arch=compute_60,code=[sm_60,compute_60]",
                                        "--generate-code",
                                        "arch=compute_80,code=sm_80",
                                        "-use_fast_math",
                                        "-maxrregcount=32",
                                        "-Xptxas",
                                        "-v",
                                        "--ptxas-options=-v",
                                        "-lcudart",
                                        "-c",
                                        "-o",
                                        "x.o",
                                        "-DN=4",
                                        "-I.",
                                        "-O3",
                                        "-G",
                                        "-g",
                                        "-lineinfo",
                                        "x.cu"});
  EXPECT_EQ(request.stage, Stage::kCompile);
  EXPECT_EQ(request.output, "x.o");
  EXPECT_EQ(request.architecture, 60);
  EXPECT_EQ(request.max_registers, 32);
  EXPECT_THAT(request.common_flags, ElementsAre("-D", "N=4", "-I", "."));
  EXPECT_THAT(request.link_flags, IsEmpty());
  EXPECT_THAT(request.host_flags, ElementsAre("-O3", "-g"));
  EXPECT_THAT(request.device_flags, Contains("-fgpu-flush-denormals-to-zero"));
}

TEST(NvccArguments, TakesNewerFlagsThatMeanNothingHere) {
  const CompileRequest request = parse({"--expt-relaxed-constexpr",
                                        "--extended-lambda",
                                        "-t",
                                        "4",
                                        "-keep",
                                        "--keep-dir=tmp",
                                        "-m64",
                                        "-ccbin",
                                        "g++",
                                        "-cudart",
                                        "static",
                                        "--cudart=shared",
                                        "-Wno-deprecated-gpu-targets",
                                        "-w",
                                        "--default-stream",
                                        "legacy",
                                        "-diag-suppress=177",
                                        "-Xcudafe",
                                        "--diag_suppress=x",
                                        "-res-usage",
                                        "-lcuda",
                                        "-lnvToolsExt",
                                        "-Xfatbin",
                                        "-compress-all",
                                        "--extra-device-vectorization",
                                        "--brief-diagnostics=true",
                                        "x.cu"});
  EXPECT_EQ(request.stage, Stage::kLink);
  EXPECT_TRUE(request.no_warnings);
  EXPECT_THAT(request.host_flags, ElementsAre("-O2"));
  EXPECT_THAT(request.link_flags, IsEmpty());
}

TEST(NvccArguments, TellsTheHostsMachineFlagsFromTheWidthOfTheDevice) {
  EXPECT_THAT(parse({"-march=native", "-m64", "x.cu"}).host_flags, Contains("-march=native"));
  EXPECT_EQ(complaint({"-m32", "x.cu"}), "-m32: simulated devices are 64-bit only");
  EXPECT_EQ(complaint({"-mavx2", "x.cu"}), "unknown option '-mavx2'");
  EXPECT_THAT(parse({"-forward-unknown-to-host-compiler", "-mavx2", "x.cu"}).host_flags,
              Contains("-mavx2"));
}

TEST(NvccArguments, TakesLevelsOfOptimisationBeyondTheHighest) {
  EXPECT_THAT(parse({"-O4", "x.cu"}).host_flags, ElementsAre("-O3"));
  EXPECT_THAT(parse({"-Os", "x.cu"}).host_flags, ElementsAre("-Os"));
}

TEST(NvccArguments, TakesValuesInAllThreeForms) {
  for (const std::vector<std::string>& form : {std::vector<std::string>{"-std=c++14"},
                                               {"-std", "c++14"},
                                               {"--std=c++14"},
                                               {"--std", "c++14"}}) {
    std::vector<std::string> arguments = form;
    arguments.emplace_back("x.cu");
    EXPECT_EQ(parse(arguments).standard, "c++14");
  }
}

TEST(NvccArguments, RaisesStandardsThatTheHeadersCannotBeReadIn) {
  for (const char* old : {"c++98", "gnu++03", "c++03", "c++0x", "c++11"})
    EXPECT_EQ(parse({"-std", old, "x.cu"}).standard, "gnu++14") << old;
  EXPECT_EQ(parse({"-Xcompiler", "-std=c++03,-Wall", "x.cu"}).standard, "gnu++14");
  EXPECT_THAT(
      parse({"-Xcompiler", "-std=c++03", "-Xcompiler", "-ansi,-std=c99", "x.cu"}).host_flags,
      ElementsAre("-O2"));
  EXPECT_EQ(parse({"-std=c++20", "x.cu"}).standard, "c++20");
  EXPECT_EQ(parse({"x.cu"}).standard, "");
}

TEST(NvccArguments, PassesCompilerOptionsToTheHostAlone) {
  const CompileRequest request = parse({"-Xcompiler", "-Wall,-Wextra", "-Xcompiler=-fPIC",
                                        "--compiler-options", "-O1 -fopenmp", "-Xcompiler", "/W3",
                                        "-Xcompiler", "-Wl\\,-z\\,now", "-fno-exceptions", "x.cu"});
  EXPECT_THAT(request.host_flags, ElementsAre("-O2", "-Wall", "-Wextra", "-fPIC", "-O1",
                                              "-Wl,-z,now", "-fno-exceptions"));
  EXPECT_TRUE(request.openmp);
  EXPECT_THAT(request.device_flags, ElementsAre("-O3"));
}

TEST(NvccArguments, PassesLibrariesAndLinkerOptionsInOrder) {
  const CompileRequest request =
      parse({"x.cu", "-L/opt/lib", "-lfoo", "-Xlinker", "-z,now", "-lm", "-shared"});
  EXPECT_THAT(request.link_flags, ElementsAre("-L/opt/lib", "-lfoo", "-Xlinker", "-z", "-Xlinker",
                                              "now", "-lm", "-shared"));
  EXPECT_THAT(request.host_flags, Contains("-fPIC"));
}

TEST(NvccArguments, ReadsOptionFilesAsAShellWould) {
  const std::string file = testing::TempDir() + "options.rsp";
  write_file_atomically(file, "\"/a folder/liba.a\" -lm\n  -DX=1\n");
  const CompileRequest request = parse({"--options-file", file, "b.cu"});
  ASSERT_EQ(request.inputs.size(), 2u);
  EXPECT_EQ(request.inputs[0].path, "/a folder/liba.a");
  EXPECT_THAT(request.link_flags, Contains("-lm"));
}

TEST(NvccArguments, PassesLibrariesOfOursOnAndRefusesTheOthers) {
  EXPECT_THAT(parse({"a.cu", "-lcurand", "-lcufft", "-lcusparse", "-lcusolver"}).link_flags,
              ElementsAre("-lcurand", "-lcufft", "-lcusparse", "-lcusolver"));
  EXPECT_EQ(
      complaint({"-lcufftw", "a.cu"}),
      "-lcufftw: this library is not part of Raddle\nhint: docs/cuda-support.md lists what is; "
      "omit the flag if the program does not call the library");
}

TEST(NvccArguments, TakeAFolderForOutputs) {
  EXPECT_EQ(parse({"-odir", "obj", "-c", "x.cu"}).output_folder, "obj");
  EXPECT_EQ(parse({"--output-directory=obj", "-c", "x.cu"}).output_folder, "obj");
  EXPECT_EQ(parse({"-odir", "obj", "-c", "x.cu"}).output, "");
}

TEST(NvccArguments, RunTheProgramWhenAsked) {
  const CompileRequest request = parse({"-run", "-run-args", "1,two", "x.cu"});
  EXPECT_TRUE(request.run);
  EXPECT_EQ(request.stage, Stage::kLink);
  EXPECT_THAT(request.run_arguments, ElementsAre("1", "two"));
}

TEST(NvccArguments, TellsInputsByTheirEnding) {
  const CompileRequest request =
      parse({"a.cu", "b.c", "c.cpp", "d.o", "e.a", "libf.so", "g.cc", "libh.so.1"});
  std::vector<Language> languages;
  for (const Input& input : request.inputs) languages.push_back(input.language);
  EXPECT_THAT(languages,
              ElementsAre(Language::kCuda, Language::kC, Language::kCxx, Language::kObject,
                          Language::kObject, Language::kObject, Language::kCxx, Language::kObject));
}

TEST(NvccArguments, ForcesTheLanguageWithX) {
  EXPECT_EQ(parse({"-x", "cu", "a.cpp"}).inputs[0].language, Language::kCuda);
  EXPECT_EQ(parse({"-x=c++", "a.cu"}).inputs[0].language, Language::kCxx);
  EXPECT_EQ(complaint({"-x", "fortran", "a.f"}), "-x takes c, c++ or cu, not 'fortran'");
}

TEST(NvccArguments, SharesDeviceSymbolsBetweenFilesWhenAsked) {
  EXPECT_TRUE(parse({"-dc", "a.cu"}).relocatable);
  EXPECT_TRUE(parse({"-rdc=true", "a.cu"}).relocatable);
  EXPECT_FALSE(parse({"-rdc=false", "a.cu"}).relocatable);
  EXPECT_EQ(parse({"-dc", "a.cu"}).stage, Stage::kCompile);
  EXPECT_EQ(parse({"-dlink", "a.o"}).stage, Stage::kDeviceLink);
}

TEST(NvccArguments, SetsTheArithmeticOfTheDevice) {
  EXPECT_THAT(parse({"-fmad=false", "a.cu"}).device_flags, ElementsAre("-O3", "-ffp-contract=off"));
  EXPECT_THAT(parse({"-ftz=true", "a.cu"}).device_flags,
              ElementsAre("-O3", "-fgpu-flush-denormals-to-zero"));
  EXPECT_THAT(parse({"-prec-div=false", "a.cu"}).device_flags,
              ElementsAre("-O3", "-mllvm", "-nvptx-prec-divf32=0"));
  EXPECT_THAT(parse({"--prec-sqrt", "false", "a.cu"}).device_flags,
              ElementsAre("-O3", "-mllvm", "-nvptx-prec-sqrtf32=0"));
  EXPECT_THAT(parse({"a.cu"}).device_flags, Not(Contains("-ffp-contract=off")));
}

TEST(NvccArguments, LeavesTheHostUnoptimisedForDebuggingOnly) {
  EXPECT_THAT(parse({"a.cu"}).host_flags, ElementsAre("-O2"));
  EXPECT_THAT(parse({"-g", "a.cu"}).host_flags, ElementsAre("-O0", "-g"));
  EXPECT_THAT(parse({"-g", "-O3", "a.cu"}).host_flags, ElementsAre("-O3", "-g"));
}

TEST(NvccArguments, NamesTheNearestOfAnUnknownFlag) {
  EXPECT_EQ(complaint({"-use_fastmath", "a.cu"}),
            "unknown option '-use_fastmath'\nhint: did you mean '-use_fast_math'?");
  EXPECT_EQ(complaint({"--gpu-archtecture=sm_70", "a.cu"}),
            "unknown option '--gpu-archtecture=sm_70'\nhint: did you mean '--gpu-architecture'?");
  EXPECT_EQ(complaint({"-qqqqqqqq", "a.cu"}), "unknown option '-qqqqqqqq'");
}

TEST(NvccArguments, SaysWhatCannotBeDone) {
  EXPECT_EQ(complaint({"-optix-ir", "a.cu"}),
            "-optix-ir: simulated devices have no machine code\nhint: PTX is what the "
            "machines execute: use -ptx");
  EXPECT_EQ(complaint({"-m32", "a.cu"}), "-m32: simulated devices are 64-bit only");
  EXPECT_EQ(
      complaint({"-lcudnn", "a.cu"}),
      "-lcudnn: this library is not part of Raddle\nhint: docs/cuda-support.md lists what is; "
      "omit the flag if the program does not call the library");
  EXPECT_EQ(complaint({"-arch=volta", "a.cu"}),
            "unknown GPU architecture 'volta'\nhint: write it as sm_70 or compute_70");
  EXPECT_EQ(complaint({"-gencode=code=sm_70", "a.cu"}),
            "-gencode 'code=sm_70' lacks arch=\nhint: write it as arch=compute_70,code=sm_70");
  EXPECT_EQ(complaint({"-ftz=maybe", "a.cu"}), "-ftz takes true or false, not 'maybe'");
  EXPECT_EQ(complaint({"-maxrregcount=many", "a.cu"}), "-maxrregcount takes a number, not 'many'");
  EXPECT_EQ(complaint({"-c=1", "a.cu"}), "-c takes no value");
  EXPECT_EQ(complaint({"a.cu", "-o"}), "-o needs a value");
  EXPECT_EQ(complaint({"-c"}), "no input file\nhint: raddle cc FILE.cu -o PROGRAM");
  EXPECT_EQ(complaint({"a.xyz"}),
            "a.xyz: unknown kind of file\nhint: known extensions: .cu .c .cpp "
            ".cc .cxx .s .o .a .so");
  EXPECT_EQ(complaint({"a.ptx"}),
            "a.ptx: a .ptx file is not compiled\nhint: run it: raddle run a.ptx");
  EXPECT_EQ(complaint({"-c", "a.cu", "b.cu", "-o", "x.o"}),
            "-o names one file, but there are 2 to compile");
}

TEST(NvccArguments, AnswersVersionQueriesAsBuildScriptsExpect) {
  EXPECT_EQ(parse({"--version"}).stage, Stage::kVersion);
  EXPECT_EQ(parse({"-V"}).stage, Stage::kVersion);
  EXPECT_THAT(nvcc_version_text(),
              testing::HasSubstr("Cuda compilation tools, release 12.3, V12.3.0"));
}

}  // namespace
}  // namespace raddle::cuda
