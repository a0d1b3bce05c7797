# The library that takes the place of NVIDIA's, and what is linked to it.
find_package(CUDAToolkit REQUIRED)

# Takes the place of NVIDIA's driver and of the runtime library that the plugins are linked to.
file(GLOB parts CONFIGURE_DEPENDS engine/*.cpp calls/*.cpp runtime/*.cpp driver/*.cpp)
railgauge_apart(engine/world_segment.cpp)
add_library(railgauge_softgpu SHARED ${parts})
target_link_libraries(railgauge_softgpu PRIVATE railgauge_flags "$<LINK_LIBRARY:WHOLE_ARCHIVE,softgpu_machine>" Threads::Threads)
target_include_directories(railgauge_softgpu SYSTEM PUBLIC ${CUDAToolkit_INCLUDE_DIRS})
target_link_options(railgauge_softgpu PRIVATE "-Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/library.map" -Wl,--no-undefined)
railgauge_optimisation(railgauge_softgpu optimised)
set(RAILGAUGE_SOFTGPU_DIRECTORY "${PROJECT_BINARY_DIR}/tests/softgpu")
set_target_properties(railgauge_softgpu PROPERTIES
  CXX_EXTENSIONS OFF OUTPUT_NAME cuda SOVERSION 1 LIBRARY_OUTPUT_DIRECTORY "${RAILGAUGE_SOFTGPU_DIRECTORY}"
  LINK_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/library.map")

# The plugins and the tests of GPUs: the same objects, linked to this library in the place of NVIDIA's.
set(of_cuda $<TARGET_OBJECTS:railgauge_cuda_parts> $<TARGET_OBJECTS:railgauge_cuda_kernels>)
set(links_of_cuda railgauge_flags "$<LINK_LIBRARY:WHOLE_ARCHIVE,softgpu_kernels_archive>" railgauge_softgpu railgauge_base railgauge_bench_device ${CMAKE_DL_LIBS} Threads::Threads fmt::fmt)
function(railgauge_softgpu_plugin name)
  cmake_parse_arguments(arg "" "" "OBJECTS;LINKS" ${ARGN})
  add_library(railgauge_softgpu_${name} MODULE $<TARGET_OBJECTS:railgauge_${name}> ${arg_OBJECTS})
  target_link_libraries(railgauge_softgpu_${name} PRIVATE ${arg_LINKS})
  set_target_properties(railgauge_softgpu_${name} PROPERTIES
    PREFIX "" OUTPUT_NAME "railgauge_${name}" LINKER_LANGUAGE CXX BUILD_RPATH "${RAILGAUGE_SOFTGPU_DIRECTORY}"
    LIBRARY_OUTPUT_DIRECTORY "${RAILGAUGE_SOFTGPU_DIRECTORY}/plugins")
  add_dependencies(railgauge_softgpu_${name} railgauge_softgpu)
endfunction()
railgauge_softgpu_plugin(cuda OBJECTS ${of_cuda} LINKS ${links_of_cuda})
if(TARGET railgauge_cuda_ipc)
  railgauge_softgpu_plugin(cuda_ipc OBJECTS $<TARGET_OBJECTS:railgauge_cuda_ipc_parts>
    LINKS railgauge_flags railgauge_base railgauge_transports railgauge_transports_shm ${CMAKE_DL_LIBS} Threads::Threads fmt::fmt)
endif()

add_executable(test_softgpu_cuda $<TARGET_OBJECTS:test_cuda> ${of_cuda})
target_link_libraries(test_softgpu_cuda PRIVATE railgauge_test_main ${links_of_cuda} railgauge_bench_launch railgauge_bench_plan railgauge_transports)
set_target_properties(test_softgpu_cuda PROPERTIES LINKER_LANGUAGE CXX RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
# What takes minutes here is among the slow tests, and arrays of 4 GiB have no room. Nothing is skipped: what it takes is there.
set(properties_of_cuda TIMEOUT 900 PROCESSORS 2 ENVIRONMENT "RAILGAUGE_SOFTGPU=gpus=2,gigabytes=4" FAIL_REGULAR_EXPRESSION "softgpu: ")
catch_discover_tests(test_softgpu_cuda TEST_PREFIX "softgpu: " DISCOVERY_MODE PRE_TEST TEST_SPEC "~[long]~[large]"
  PROPERTIES LABELS softgpu ${properties_of_cuda})
catch_discover_tests(test_softgpu_cuda TEST_PREFIX "softgpu: " DISCOVERY_MODE PRE_TEST TEST_SPEC "[long]~[large]"
  PROPERTIES LABELS slow ${properties_of_cuda})
if(TARGET railgauge_cuda_ipc)
  add_dependencies(conformance railgauge_softgpu_cuda railgauge_softgpu_cuda_ipc)
endif()

# Tests of the interfaces, with kernels of their own.
add_library(softgpu_runtime_kernels_host OBJECT runtime_tests/kernels.cu)
target_include_directories(softgpu_runtime_kernels_host PRIVATE "${PROJECT_SOURCE_DIR}")
railgauge_cuda_options(softgpu_runtime_kernels_host)
softgpu_kernels(softgpu_runtime_kernels ${RAILGAUGE_SOFTGPU_ARCHITECTURE} "${CMAKE_CURRENT_SOURCE_DIR}/runtime_tests/kernels.cu")
railgauge_test(softgpu_runtime SOURCES runtime_tests/streams_test.cpp runtime_tests/graphs_test.cpp runtime_tests/memory_test.cpp
                               runtime_tests/processes_test.cpp $<TARGET_OBJECTS:softgpu_runtime_kernels_host>
  LINKS railgauge_softgpu "$<LINK_LIBRARY:WHOLE_ARCHIVE,softgpu_runtime_kernels_archive>" Threads::Threads LABEL softgpu TIMEOUT 120)
set_target_properties(test_softgpu_runtime PROPERTIES LINKER_LANGUAGE CXX)
# A file that is named and cannot be shared is no reason for a world of one's own.
foreach(named IN ITEMS /nowhere/world world)
  add_test(NAME "softgpu_runtime: RAILGAUGE_SOFTGPU_WORLD=${named} is refused" COMMAND sh -c "! $<TARGET_FILE:test_softgpu_runtime> --list-tests")
  set_tests_properties("softgpu_runtime: RAILGAUGE_SOFTGPU_WORLD=${named} is refused" PROPERTIES LABELS softgpu
    ENVIRONMENT "RAILGAUGE_SOFTGPU_WORLD=${named}" PASS_REGULAR_EXPRESSION "softgpu: the memory that processes share: RAILGAUGE_SOFTGPU_WORLD=${named}")
endforeach()
