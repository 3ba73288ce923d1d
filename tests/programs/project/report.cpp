// C++ without kernels: only the runtime's header.
#include <cmath>
#include <cstdio>
#include <vector>

#include "project.h"

extern "C" int report(const char *what, const float *got, const float *expected, int n, float bound)
{
    std::vector<int> wrong;
    for (int i = 0; i < n; ++i)
        if (!(std::fabs(got[i] - expected[i]) <= bound * std::fabs(expected[i]))) wrong.push_back(i);
    if (!wrong.empty())
        std::fprintf(stderr, "%s: %zu wrong, first at %d: %.9g, expected %.9g\n", what, wrong.size(), wrong[0], got[wrong[0]],
                     expected[wrong[0]]);
    return wrong.empty() ? 0 : 1;
}
