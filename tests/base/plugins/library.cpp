// A library that the needy plugin is linked to, and that no search path finds.
extern "C" __attribute__((visibility("default"))) int railgauge_test_library() { return 7; }
