#include "cli/app.h"

int main(int argc, char** argv) { return raddle::cli::run_app({argv, argv + argc}); }
