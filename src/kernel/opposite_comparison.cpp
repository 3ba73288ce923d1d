#include "kernel/opposite_comparison.h"

namespace raddle::kernel {

Compare opposite_of(Compare compare, bool is_float) {
  switch (compare) {
    case Compare::kNone: return Compare::kNone;
    case Compare::kEq: return is_float ? Compare::kNeu : Compare::kNe;
    case Compare::kNe: return is_float ? Compare::kEqu : Compare::kEq;
    case Compare::kLt: return is_float ? Compare::kGeu : Compare::kGe;
    case Compare::kLe: return is_float ? Compare::kGtu : Compare::kGt;
    case Compare::kGt: return is_float ? Compare::kLeu : Compare::kLe;
    case Compare::kGe: return is_float ? Compare::kLtu : Compare::kLt;
    case Compare::kLo: return Compare::kHs;
    case Compare::kLs: return Compare::kHi;
    case Compare::kHi: return Compare::kLs;
    case Compare::kHs: return Compare::kLo;
    case Compare::kEqu: return Compare::kNe;
    case Compare::kNeu: return Compare::kEq;
    case Compare::kLtu: return Compare::kGe;
    case Compare::kLeu: return Compare::kGt;
    case Compare::kGtu: return Compare::kLe;
    case Compare::kGeu: return Compare::kLt;
    case Compare::kNum: return Compare::kNan;
    case Compare::kNan: return Compare::kNum;
  }
  return Compare::kNone;
}

}  // namespace raddle::kernel
