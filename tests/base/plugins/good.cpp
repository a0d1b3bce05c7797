// A plugin with one exported function, as the loader expects it.
extern "C" __attribute__((visibility("default"))) int railgauge_test_answer() { return 42; }
