// A plugin whose library is absent when it is loaded.
extern "C" int railgauge_test_library();
extern "C" __attribute__((visibility("default"))) int railgauge_test_answer() { return railgauge_test_library(); }
