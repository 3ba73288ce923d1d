#include "report/page/html_report.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiment/result_json.h"
#include "experiment/sample_result.h"
#include "report/page/comparison_figures.h"
#include "report/page/html_page.h"
#include "report/timed_result.h"
#include "report/xml_reader.h"

namespace raddle::report {
namespace {

using experiment::RunResult;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Not modelled: everything but counts.
RunResult reference_result() {
  RunResult result = timed_result();
  result.machine = "ref";
  result.implementation = "ref";
  result.peaks = {1e9, 32, 0};
  for (machine::LaunchResult& launch : result.launches) {
    launch.stalls.clear();
    launch.energy.clear();
    launch.kernel_launch->occupancy = {};
    launch.sample_cycles = 0;
    launch.samples.clear();
  }
  result.totals.stalls.clear();
  result.totals.energy.clear();
  result.totals.energy_set.clear();
  result.totals.utilisation.clear();
  result.totals.cycles = result.totals.warp_instructions;
  result.totals.seconds = static_cast<double>(result.totals.cycles) / 1e9;
  return result;
}

XmlElement page_of(const std::vector<RunResult>& results) {
  return read_xml(html_report(results), XmlKind::kHtml);
}

std::vector<std::string> figure_titles(const XmlElement& page, bool drawn) {
  std::vector<std::string> titles;
  for (const XmlElement* figure : page.all("figure")) {
    if (figure->all("svg").empty() != drawn) titles.push_back(figure->all("h3")[0]->text);
  }
  return titles;
}

TEST(HtmlReport, IsWellFormedAndRefersToNothingOutside) {
  for (const std::vector<RunResult>& results :
       {std::vector{timed_result()}, std::vector{reference_result()},
        std::vector{experiment::sample_result()}, std::vector{RunResult()},
        std::vector{timed_result(), reference_result(), experiment::sample_result()}}) {
    const std::string html = html_report(results);
    EXPECT_NO_THROW(read_xml(html, XmlKind::kHtml));
    EXPECT_THAT(html, Not(HasSubstr("http://")));
    EXPECT_THAT(html, Not(HasSubstr("https://")));
    EXPECT_THAT(html, Not(HasSubstr("url(")));
    EXPECT_THAT(html, Not(HasSubstr("@import")));
    EXPECT_THAT(html, Not(HasSubstr(" src=")));
    EXPECT_THAT(html, HasSubstr("default-src &#39;none&#39;"));
  }
}

TEST(HtmlReport, ShowsWhatRanWhereItsFiguresAndWhatHeldItUp) {
  const XmlElement page = page_of({timed_result()});
  EXPECT_EQ(page.all("h1")[0]->text, "matmul.cu on fermi");
  EXPECT_EQ(page.all("title")[0]->text, "matmul.cu on fermi");
  EXPECT_EQ(page.all("p", "bottleneck")[0]->text,
            "50% of issue slots stall on DRAM; DRAM is at 83% of its peak");
  std::vector<std::string> tiles;
  for (const XmlElement* tile : page.all("div", "tile")) tiles.push_back(tile->whole_text);
  EXPECT_THAT(tiles, ElementsAre("Cycles96,120in 2 launches", "Simulated time68.7 µsat 1.40 GHz",
                                 "IPC196.6of 512 (38%)",
                                 "Thread instructions18.9 M599,444 warp instructions",
                                 "Lanes active99%2,400 of 140,000 branches diverge",
                                 "Occupancy24.1 of 48warps of matmul<16>, limited by registers",
                                 "Energy46.8 µJcircuit coefficients, 682 mW"));
  EXPECT_THAT(page.all("p", "facts")[0]->whole_text,
              HasSubstr("arguments 256 · machine fermi (simt) · with multiprocessors=16"));
}

TEST(HtmlReport, DrawsEveryChartThatTheMachineModels) {
  const XmlElement page = page_of({timed_result()});
  EXPECT_THAT(figure_titles(page, true),
              ElementsAre("Issue slots", "Memory traffic", "Energy", "Instruction mix", "Roofline",
                          "How busy the units were", "Issue slots over time", "IPC over time",
                          "Bytes per second over time"));
  EXPECT_TRUE(figure_titles(page, false).empty());
  for (const XmlElement* chart : page.all("svg")) {
    const std::size_t marks = chart->all("rect", "bar").size() + chart->all("path", "point").size();
    EXPECT_GE(marks, 3u) << chart->attribute("aria-label");
  }
}

TEST(HtmlReport, SaysWhyAChartIsNotThere) {
  const XmlElement page = page_of({reference_result()});
  EXPECT_THAT(figure_titles(page, true), ElementsAre("Memory traffic", "Instruction mix"));
  std::vector<std::string> reasons;
  for (const XmlElement* figure : page.all("figure", "none")) reasons.push_back(figure->whole_text);
  EXPECT_THAT(
      reasons,
      ElementsAre(HasSubstr("Not modelled by ref: it does not say what its cycles are spent on."),
                  HasSubstr("EnergyNot modelled by ref."),
                  HasSubstr("Not drawn: ref has no model of its peak memory bandwidth."),
                  HasSubstr("Not modelled by ref.")));
}

TEST(HtmlReport, ListsKernelsLinesParametersAndStatistics) {
  const XmlElement page = page_of({timed_result()});
  std::vector<std::string> captions;
  for (const XmlElement* caption : page.all("caption")) captions.push_back(caption->text);
  EXPECT_THAT(captions, ElementsAre("Kernels", "Cost by source line", "Memory by level",
                                    "Parameters of the machine", "Statistics of parts"));
  const XmlElement& kernels = *page.all("table")[0];
  const auto rows = kernels.all("tr");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1]->whole_text,
            "matmul<16>116×1616×1684,12087.5 %60.1 µs13.5 M160.598.0 %DRAM 55%24.1 of 48 "
            "(registers)40.0 µJ");
  EXPECT_EQ(rows[1]->all("td")[3]->attribute("data-key"), "84120") << "sorted by value";
  EXPECT_THAT(page.all("table")[3]->whole_text,
              HasSubstr("l1.bytes16,384bytesFermi white paper, 16 KiB of the 64"));
  EXPECT_THAT(page.all("table")[3]->whole_text,
              HasSubstr("multiprocessors161changed for this run"));
  EXPECT_THAT(page.all("table")[4]->whole_text,
              HasSubstr("dram.0mean_queue11.25requestsrequests waiting, on average"));
}

TEST(HtmlReport, SplitsTheStallsOfEachLineByCause) {
  const XmlElement page = page_of({timed_result()});
  const auto rows = page.all("table")[1]->all("tr");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0]->whole_text,
            "linethread instrof allwarp instrstall cyclesDRAMoperandsbarriershared memory");
  EXPECT_EQ(rows[1]->whole_text, "matmul.cu:127.60 M40.2 %240,000740,000700,00040,00000");
  EXPECT_EQ(rows[2]->whole_text, "matmul.cu:143.50 M18.5 %110,000120,000054,21465,7860");
}

TEST(HtmlReport, DrawsSamplesOfAllLaunchesOnOneTimeLine) {
  const XmlElement page = page_of({timed_result()});
  std::vector<const XmlElement*> charts = page.all("svg");
  ASSERT_EQ(charts.size(), 9u);
  EXPECT_EQ(charts[6]->all("rect", "bar").size(), 3u * (9 + 2)) << "three parts of each sample";
  EXPECT_EQ(charts[7]->all("path", "point").size(), 9u + 2);
  EXPECT_EQ(charts[8]->all("path", "line").size(), 2u) << "reads and writes";
  const auto notes = page.all("figure", "wide");
  ASSERT_EQ(notes.size(), 3u);
  EXPECT_THAT(notes[0]->whole_text,
              HasSubstr("What the slots were spent on, as the run went on. One sample every 10,000 "
                        "cycles."));
  EXPECT_THAT(
      notes[1]->whole_text,
      HasSubstr("Thread instructions executed in a cycle. One sample every 10,000 cycles."));
  EXPECT_THAT(notes[2]->whole_text, HasSubstr("DRAM reads: bytes that DRAM delivered; DRAM writes: "
                                              "bytes that went to DRAM. One sample"));
}

TEST(HtmlReport, WarnsOfWhatEndedEarlyAndListsFaults) {
  const XmlElement page = page_of({experiment::sample_result()});
  EXPECT_EQ(page.all("p", "warn")[0]->text,
            "Partial: interrupted; figures cover the run up to that point.");
  const auto faults = page.all("ul", "faults");
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_THAT(
      faults[0]->whole_text,
      HasSubstr("scale.cu:3: out-of-bounds load of 4 bytes, in scale<float>, block (1,0,0), "
                "thread (5,6,7)warp 0 at scale.cu:3"));
  EXPECT_THAT(faults[0]->whole_text, HasSubstr("and 33 more"));
}

TEST(HtmlReport, CarriesTheResultDocumentUnchanged) {
  RunResult result = timed_result();
  result.program = "</script><b>.cu";
  const XmlElement page = page_of({result});
  std::vector<const XmlElement*> data;
  for (const XmlElement* script : page.all("script")) {
    if (script->attribute("type") == "application/json") data.push_back(script);
  }
  ASSERT_EQ(data.size(), 1u);
  const RunResult read = experiment::from_json(data[0]->text, "page");
  EXPECT_EQ(experiment::to_json(read), experiment::to_json(result));
  EXPECT_THAT(html_report({result}), Not(HasSubstr("<b>")));
}

TEST(HtmlReport, SaysNothingWasCountedWhereTheMachineOnlyDidNotSay) {
  RunResult result = reference_result();
  result.totals.memory.clear();
  result.totals.thread_instructions_by_class = {};
  EXPECT_EQ(memory_figure(result).note, "Not counted by ref, or nothing was touched.");
  EXPECT_EQ(instruction_figure(result).note, "Not counted by ref.");
  result.totals.thread_instructions = 0;
  EXPECT_EQ(memory_figure(result).note, "The run touched no memory.");
  EXPECT_EQ(instruction_figure(result).note, "No instruction was executed.");
}

TEST(HtmlReport, TakesNoSpeedUpFromARunThatWasStopped) {
  RunResult fast = timed_result();
  fast.machine = "fast";
  fast.totals.seconds /= 2;
  const auto speed_ups = [&] {
    const XmlElement page = page_of({timed_result(), fast});
    std::vector<std::string> texts;
    for (const XmlElement* value : page.all("svg")[2]->all("text", "value"))
      texts.push_back(value->text);
    return texts;
  };
  EXPECT_THAT(speed_ups(), ElementsAre("1", "2"));
  fast.partial = true;
  EXPECT_THAT(speed_ups(), testing::UnorderedElementsAre("1", "–"));
}

TEST(HtmlReport, NamesEveryStallThoughThereIsOneBarOnly) {
  RunResult result = timed_result();
  result.launches.resize(1);
  result.totals.stalls = {{"issued", machine::CycleKind::kIssued, 40}};
  for (const char* cause : {"DRAM", "operands", "a barrier", "shared memory", "the L1", "the L2"})
    result.totals.stalls.push_back({cause, machine::CycleKind::kStall, 10});
  EXPECT_THAT(issue_slots_figure(result).svg, Not(HasSubstr("more</text>")));
  EXPECT_THAT(issue_slots_figure(result).svg, HasSubstr("stall: the L2</text>"));
}

TEST(HtmlReport, ComparesEachProgramInATableOfItsOwn) {
  RunResult fast = timed_result();
  fast.machine = "fast";
  RunResult other = timed_result();
  other.program = "other.cu";
  const XmlElement page = page_of({timed_result(), other, fast});
  std::vector<std::string> programs;
  for (const XmlElement* title : page.all("h4")) programs.push_back(title->text);
  EXPECT_THAT(programs, ElementsAre("matmul.cu 256", "other.cu 256"));
}

TEST(HtmlReport, NamesWhatCyclesAreOfByTheMachinesThatAreCompared) {
  RunResult fabric = timed_result();
  fabric.machine = "dmt-cgra";
  fabric.totals.warp_instructions = 0;
  RunResult other = fabric;
  other.machine = "mt-cgra";
  EXPECT_EQ(figure_titles(page_of({timed_result(), fabric}), true)[4],
            "Issue slots and units' cycles");
  EXPECT_EQ(figure_titles(page_of({other, fabric}), true)[4], "Units' cycles");
}

TEST(HtmlReport, PutsSeveralResultsSideBySideFirst) {
  RunResult fast = timed_result();
  fast.machine = "fast";
  fast.totals.seconds /= 2;
  const XmlElement page = page_of({timed_result(), fast, reference_result()});
  EXPECT_EQ(page.all("h1")[0]->text, "3 results side by side");
  std::vector<std::string> titles = figure_titles(page, true);
  titles.resize(7);
  EXPECT_THAT(titles, ElementsAre("Cycles", "Simulated time", "Speed-up over fermi", "IPC",
                                  "Issue slots", "Energy", "Energy by part"));
  // A bar each for those that say what their slots were spent on; all of one length.
  std::vector<std::string> bars;
  for (const XmlElement* name : page.all("svg")[4]->all("text", "tick")) bars.push_back(name->text);
  EXPECT_THAT(bars, testing::IsSupersetOf({"fermi", "fast"}));
  EXPECT_THAT(bars, Not(testing::Contains("ref")));
  EXPECT_EQ(page.all("section", "run").size(), 3u);
  std::vector<std::string> targets;
  for (const XmlElement* link : page.all("a")) targets.push_back(link->attribute("href"));
  EXPECT_THAT(targets, ElementsAre("#run-1", "#run-2", "#run-3"));
  for (const std::string& target : targets) {
    const auto sections = page.all("section");
    EXPECT_TRUE(std::any_of(sections.begin(), sections.end(), [&](const XmlElement* section) {
      return "#" + section->attribute("id") == target;
    })) << target;
  }
  std::vector<std::string> speed_ups;
  for (const XmlElement* value : page.all("svg")[2]->all("text", "value"))
    speed_ups.push_back(value->text);
  EXPECT_THAT(speed_ups, ElementsAre("1", "2", "0.115"));
}

TEST(ResultLabels, TellResultsApartByAsLittleAsTheyNeed) {
  RunResult one = timed_result();
  one.program = "benchmarks/matmul.cu";
  RunResult other_arguments = one;
  other_arguments.arguments = {"512"};
  RunResult other_parameters = one;
  other_parameters.parameters[2].value = std::int64_t{8};
  other_parameters.parameters_hash = "other";
  RunResult other_machine = one;
  other_machine.machine = "machines/cgra.toml";
  const auto labels = [](const std::vector<RunResult>& results) {
    std::vector<std::string> texts;
    for (const ResultLabel& label : result_labels(results))
      texts.push_back(label.program + " on " + label.machine);
    return texts;
  };
  EXPECT_THAT(labels({one, other_machine}),
              ElementsAre("matmul.cu on fermi", "matmul.cu on cgra.toml"));
  EXPECT_THAT(labels({one, other_arguments}),
              ElementsAre("matmul.cu 256 on fermi", "matmul.cu 512 on fermi"));
  EXPECT_THAT(labels({one, other_parameters}),
              ElementsAre("matmul.cu on fermi (multiprocessors=16)",
                          "matmul.cu on fermi (multiprocessors=8)"));
  EXPECT_THAT(labels({one, one}), ElementsAre("matmul.cu on fermi", "matmul.cu on fermi #2"));
}

TEST(ComparisonFigures, GiveEveryEnergySetAChartOfItsOwn) {
  RunResult circuit = timed_result();
  RunResult card = circuit;
  card.machine = "gtx480";
  card.totals.energy_set = "card";
  std::vector<std::string> notes;
  for (const ReportFigure& figure : comparison_figures({circuit, card})) {
    if (figure.title == "Energy") notes.push_back(figure.note);
  }
  EXPECT_THAT(notes, ElementsAre("With the circuit coefficients; a dash where they do not apply.",
                                 "With the card coefficients; a dash where they do not apply."));
}

TEST(ComparisonFigures, UseALogarithmWhereBarsWouldVanish) {
  RunResult small = timed_result();
  small.totals.cycles = 100;
  const std::vector<ReportFigure> figures = comparison_figures({timed_result(), small});
  EXPECT_THAT(figures[0].svg, HasSubstr("cycles, logarithmic"));
  EXPECT_THAT(figures[1].svg, Not(HasSubstr("logarithmic")));
}

TEST(HtmlPage, KeepsAScriptElementWhole) {
  EXPECT_EQ(script_safe("{\"a\": \"</script>\"}"), "{\"a\": \"\\u003c/script>\"}");
}

}  // namespace
}  // namespace raddle::report
