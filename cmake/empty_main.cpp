// Owns the precompiled header that executables share.
int main() { return 0; }
