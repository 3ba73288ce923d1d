# The front door. `make run` and `make test` work on a fresh Debian 12; everything they do is in scripts/ and CMake.
#
#   make run         install what is missing, build, and show what Raddle does
#   make test        the same set-up, then every ordinary test       make test-slow   the slow ones
#   make build       Release build: build/raddle                     make bench       speed of Raddle itself, as JSON
#   make install     into PREFIX (default /usr/local) below DESTDIR  make package     a Debian package in build/packages
#   make lint        formatter, layers, clang-tidy                   make format      clang-format everything
#   make docs        generated pages of docs/                        make fuzz        random kernels, FUZZ_SECONDS=600
#   make clean

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
TEST_JOBS ?= 2
FUZZ_SECONDS ?= 600
BUILD := build

# A CUDA toolkit on this machine must not matter.
unexport CUDA_HOME CUDA_PATH CUDA_ROOT LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH

.DEFAULT_GOAL := build
.PHONY: run test test-slow build build-all bootstrap bench fuzz lint docs install package clean format

bootstrap:
	@scripts/bootstrap

# Configuring again is quick and picks up a changed preset.
$(BUILD)/build.ninja: CMakeLists.txt CMakePresets.json | bootstrap
	@cmake --preset release

build: $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS) --target raddle

build-all: $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS)

run: build
	@scripts/showcase $(BUILD)/raddle

test: build-all
	@ctest --test-dir $(BUILD) --output-on-failure --no-tests=error -j $(TEST_JOBS) -LE slow

test-slow: build-all
	@ctest --test-dir $(BUILD) --output-on-failure --no-tests=ignore -j $(TEST_JOBS) -L slow

bench:
	@$(MAKE) --no-print-directory build-all >&2
	@scripts/bench $(BUILD)/bench

fuzz: build-all
	@scripts/fuzz $(BUILD) $(FUZZ_SECONDS)

lint: $(BUILD)/build.ninja
	@scripts/check_format
	@scripts/check_layers
	@scripts/check_tidy $(BUILD)

docs: build
	@scripts/docs $(BUILD)/raddle

install: $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS) --target installed_parts
	@cmake --install $(BUILD) --prefix $(PREFIX)

package: $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j $(JOBS) --target installed_parts
	@cpack --config $(BUILD)/CPackConfig.cmake -B $(BUILD)/packages

format: | bootstrap
	@scripts/check_format --fix

clean:
	@rm -rf $(BUILD) build-debug build-sanitize build-tsan build-clang build-fuzz
