#include "lang/e/technique.h"

namespace raddle::e {

const std::vector<Technique>& techniques() {
  static const std::vector<Technique> kTechniques = {
      {"FS", false, false, false, "Mop", "T/B, T for one operation"},
      {"S2", false, false, false, "BMop-EMop", "2T/B"},
      {"BF", false, false, false, "BMop-frontend", "T/B+B+Lf"},
      {"O2", false, false, false, "BMop-EMop", "T/B+M"},
      {"ML", false, true, false, "MLop-EMop", "T/B+M"},
      {"FMP", true, false, false, "MPop", "T/B, T for one prefix"},
      {"3MP", true, false, false, "BMPop-OMPop-EMPop", "2T/B+B+M"},
      {"O3M", true, false, false, "BMPop-OMPop-EMPop", "2T/B+log B+M"},
      {"MPL", true, true, false, "MPLop-OMPop-EMPop", "2T/B+B+M+W"},
      {"MPS", true, false, true, "BMPop-OMPop-MPSop", "2T/B+B+M+W"},
      {"MMP", true, true, true, "MPLop-OMPop-MPSop", "2T/B+B+M+2W"},
  };
  return kTechniques;
}

const Technique* find_technique(std::string_view name) {
  for (const Technique& technique : techniques()) {
    if (technique.name == name) return &technique;
  }
  return nullptr;
}

}  // namespace raddle::e
