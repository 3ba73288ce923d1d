// Measures every inexact function of the device math library on the host against an oracle of much
// higher precision, over the intervals and bounds of accuracy_table.inc. device_accuracy.cu does
// the same in kernels.
#include <gtest/gtest.h>

#include <vector>

#include "accuracy.h"
#include "raddle/cuda/libdevice/libdevice.h"

namespace raddle::libdevice {
namespace {

template <typename Real, Real (*kFunction)(Real)>
std::vector<Real> results_of(const std::vector<std::array<Real, 1>>& arguments) {
  std::vector<Real> results;
  for (const auto& [x] : arguments) results.push_back(kFunction(x));
  return results;
}
template <typename Real, Real (*kFunction)(Real, Real)>
std::vector<Real> results_of(const std::vector<std::array<Real, 2>>& arguments) {
  std::vector<Real> results;
  for (const auto& [x, y] : arguments) results.push_back(kFunction(x, y));
  return results;
}

template <typename Row>
void expect_all_within_bounds(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const accuracy::Measurement worst = accuracy::measured(row, accuracy::sample_count(5000));
    accuracy::print_if_asked(worst);
    EXPECT_TRUE(worst.within()) << worst.text();
  }
}

#define RADDLE_HOST_ROW1(Real, cuda, name, ...) \
  RADDLE_ROW1(Real, #cuda, (results_of<Real, name>), __VA_ARGS__),
#define RADDLE_HOST_ROW2(Real, cuda, name, ...) \
  RADDLE_ROW2(Real, #cuda, (results_of<Real, name>), __VA_ARGS__),

TEST(DeviceMathAccuracy, SinglePrecisionFunctionsOfOneArgumentKeepTheirBounds) {
  expect_all_within_bounds(std::vector<accuracy::Row<float, 1>>{
#define RADDLE_FLOAT1(...) RADDLE_HOST_ROW1(float, __VA_ARGS__)
#define RADDLE_INTRINSIC1(...) RADDLE_HOST_ROW1(float, __VA_ARGS__)
#include "accuracy_table.inc"
  });
}

TEST(DeviceMathAccuracy, SinglePrecisionFunctionsOfTwoArgumentsKeepTheirBounds) {
  expect_all_within_bounds(std::vector<accuracy::Row<float, 2>>{
#define RADDLE_FLOAT2(...) RADDLE_HOST_ROW2(float, __VA_ARGS__)
#define RADDLE_INTRINSIC2(...) RADDLE_HOST_ROW2(float, __VA_ARGS__)
#include "accuracy_table.inc"
  });
}

TEST(DeviceMathAccuracy, DoublePrecisionFunctionsOfOneArgumentKeepTheirBounds) {
  expect_all_within_bounds(std::vector<accuracy::Row<double, 1>>{
#define RADDLE_DOUBLE1(...) RADDLE_HOST_ROW1(double, __VA_ARGS__)
#include "accuracy_table.inc"
  });
}

TEST(DeviceMathAccuracy, DoublePrecisionFunctionsOfTwoArgumentsKeepTheirBounds) {
  expect_all_within_bounds(std::vector<accuracy::Row<double, 2>>{
#define RADDLE_DOUBLE2(...) RADDLE_HOST_ROW2(double, __VA_ARGS__)
#include "accuracy_table.inc"
  });
}

}  // namespace
}  // namespace raddle::libdevice
