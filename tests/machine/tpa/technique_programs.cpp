#include "technique_programs.h"

#include <fmt/format.h>

namespace raddle::machine::tpa {

namespace {

// r0 := V[i], r1 := byte address of the target, r2 := the prefix.
const char* const kLoads =
    "OP0 _V_ OP1 3 OP2 N LWB33 O2 SHL0 FID,O1 ADD1 O0,A0 LDD0 A1 WB0 M0 RT3 STCF\n"
    "OP0 _T_ OP1 3 OP2 _M_ SHL0 FID,O1 ADD1 O0,A0 LDD0 A1 SHL5 M0,O1 ADD6 A5,O2 WB1 A6 RT3 STCF\n";
const char* const kStorePrefix = "OP0 _P_ OP1 3 RD2 SHL0 FID,O1 ADD1 O0,A0 STD0 B2,A1 RT3 STCF\n";

}  // namespace

std::string technique_program(const TechniqueCase& which) {
  const std::string op(name_of(which.op));
  const bool inclusive = which.technique.starts_with('I');
  const std::string technique = inclusive ? which.technique.substr(1) : which.technique;
  std::string text =
      fmt::format(".param N {}\n.shared _M_ {}\n.shared _V_ N\n.shared _T_ N\n.shared _P_ N\n",
                  which.values.size(), which.old.size());
  text += kLoads;
  const auto line = [&](const std::string& memory, const std::string& rest = "") {
    text += fmt::format(
        "OP0 _V_ OP1 3 OP2 _P_ RD0 RD1 RD2 SHL0 FID,O1 ADD1 O0,A0 ADD2 O2,A0 {} {} "
        "RT3 STCF\n",
        memory, rest);
  };
  const std::string in = inclusive ? "I" : "";
  const auto begin = [&](bool from_memory) {
    line(from_memory ? in + "MPL" + op + "0 B1,A1" : in + "BMP" + op + "0 B0,B1", "WB2 M0");
  };
  const auto end = [&](bool to_memory) {
    if (to_memory) {
      line("MPS" + op + "0 B2,B1,A2");
    } else {
      line("EMP" + op + "0 B2,B1", "WB2 M0");
      text += kStorePrefix;
    }
  };
  if (technique == "FS") {
    line("M" + op + "0 B0,B1");
  } else if (technique == "S2") {
    line("BS" + op + "0 B0,B1");
    line("ES" + op + "0 B0,B1");
  } else if (technique == "O2") {
    line("BM" + op + "0 B0,B1");
    line("EM" + op + "0 B0,B1");
  } else if (technique == "ML") {
    line("ML" + op + "0 B1,A1");
    line("EM" + op + "0 B0,B1");
  } else if (technique == "BF") {
    // R1 counts backends, R2 reduces; the old value comes last.
    const std::string partial = op == "SUB" ? "ADD" : op;
    line("BF" + op + "0 B0,B1");
    text += fmt::format("OP0 {} OP1 {} LWB1 O0 LWB2 O1\n", which.backends,
                        static_cast<std::int64_t>(identity_of(which.op)));
    text += fmt::format("loop: OP0 1 LSUB0 R1,O0 LRCV0 L{}1 R2,N0 LWB1 L0 LWB2 L1 BNZ L0,loop\n",
                        partial);
    text += fmt::format("OP0 _M_ LLDS0 O0 L{}1 N0,R2 LWB3 L1\n", op);
    text += "OP0 _M_ LSTS0 R3,O0\n";
  } else if (technique == "FMP") {
    line("MP" + op + "0 B0,B1", "WB2 M0");
    text += kStorePrefix;
  } else {
    const bool loads = technique == "MPL" || technique == "MMP";
    const bool stores = technique == "MPS" || technique == "MMP";
    const std::string order = technique == "O3M" ? "OML" : technique == "3MB" ? "OMB" : "OMP";
    begin(loads);
    line(order + op + "0 B0,B1");
    end(stores);
  }
  return text;
}

Word host_applied(Operator op, Word old, Word v) {
  // Signed order is unsigned order with the sign turned round.
  constexpr Word kSign = Word{1} << 63;
  const bool less = old < v;
  const bool less_signed = (old ^ kSign) < (v ^ kSign);
  switch (op) {
    case Operator::kAdd: return v + old;
    case Operator::kSub: return old + ~v + 1;
    case Operator::kAnd: return ~(~old | ~v);
    case Operator::kOr: return ~(~old & ~v);
    case Operator::kMax: return less_signed ? v : old;
    case Operator::kMaxU: return less ? v : old;
    case Operator::kMin: return less_signed ? old : v;
    case Operator::kMinU: return less ? old : v;
  }
  return 0;
}

Expected expected_of(const TechniqueCase& which) {
  Expected expected;
  expected.memory = which.old;
  const bool inclusive = which.technique.starts_with('I');
  for (std::size_t i = 0; i < which.values.size(); ++i) {
    Word& target = expected.memory[which.targets[i]];
    const Word before = target;
    target = host_applied(which.op, target, which.values[i]);
    expected.prefixes.push_back(inclusive ? target : before);
  }
  return expected;
}

}  // namespace raddle::machine::tpa
