// A shared library needs one source file of its own; everything in it comes from the static
// libraries.
