# How each target of railgauge is made, so that every room is compiled alike.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(RAILGAUGE_PLUGIN_DIRECTORY "${PROJECT_BINARY_DIR}/lib/railgauge")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # What ccache's manual asks for where headers are precompiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
                                  "${CCACHE_PROGRAM}")
endif()

add_library(railgauge_flags INTERFACE)
target_link_libraries(railgauge_flags INTERFACE fmt::fmt)
target_compile_features(railgauge_flags INTERFACE cxx_std_20)
target_include_directories(railgauge_flags INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(railgauge_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align
  $<$<BOOL:${RAILGAUGE_WERROR}>:-Werror>)
if(CMAKE_UNITY_BUILD)
  # A folder is one file: a local name hides one of another file as if it were its own, and a function that is not used is one whose
  # calls went to another file's of the same name (railgauge_apart() below).
  target_compile_options(railgauge_flags INTERFACE -Wno-shadow -Werror=unused-function)
endif()
if(RAILGAUGE_SANITIZE)
  target_compile_options(railgauge_flags INTERFACE -fsanitize=${RAILGAUGE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(railgauge_flags INTERFACE -fsanitize=${RAILGAUGE_SANITIZE})
  # The text of formats is checked by the compiler in every other build.
  target_compile_definitions(railgauge_flags INTERFACE FMT_CONSTEVAL=)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT RAILGAUGE_SANITIZE_HEADERS AND NOT PROJECT_SOURCE_DIR MATCHES "^/usr/")
    # From where compilers are started, so that ccache knows it in other folders.
    file(RELATIVE_PATH ignored "${PROJECT_BINARY_DIR}" "${PROJECT_SOURCE_DIR}/cmake/undefined_behaviour.ignored")
    target_compile_options(railgauge_flags INTERFACE "-fsanitize-ignorelist=${ignored}")
  endif()
endif()

function(railgauge_common target)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_UNITY_BUILD)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
      get_source_file_property(group "${source}" UNITY_GROUP)
      if(NOT group AND source MATCHES "\\.cpp$")
        set_source_files_properties("${source}" PROPERTIES UNITY_GROUP folder)
      endif()
    endforeach()
  endif()
endfunction()

# How much a target is optimised, and the precompiled headers that go with it, since compilers take them for no other level:
#   cold       nothing in it is timed: a quick build counts for more than the last of its speed
#   hot        what is timed, or works for thousands of ranks
#   options    as cold, with CLI11 among what is precompiled
#   fuzzed     as cold, and libFuzzer is told which of its branches were taken (RAILGAUGE_FUZZ)
#   optimised  as hot, in debug builds too: tests of it calculate for minutes otherwise
#   test, test_optimised  test programs
# Sources include what they use all the same (ci/full builds without precompiled headers).
option(RAILGAUGE_PCH "Precompile the headers that nearly every file includes" ON)
set(RAILGAUGE_COMMON_HEADERS <algorithm> <array> <charconv> <chrono> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <optional>
                             <set> <span> <string> <string_view> <vector> <fmt/format.h>)
function(railgauge_optimisation target kind)
  # g++ 12 takes "text" + std::string for a copy beyond its end (its bug 105329).
  set(spurious $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-array-bounds$<SEMICOLON>-Wno-restrict>)
  set(options_of_cold $<$<CONFIG:RelWithDebInfo>:-O1> ${spurious})
  set(options_of_options ${options_of_cold})
  set(options_of_fuzzed ${options_of_cold} -fsanitize=fuzzer-no-link)
  set(options_of_optimised $<$<CONFIG:Debug>:-O2>)
  set(options_of_test $<$<CONFIG:RelWithDebInfo>:-O0>)
  set(options_of_test_optimised $<$<CONFIG:Debug,RelWithDebInfo>:-O1> ${spurious} $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overread>)
  target_compile_options(${target} PRIVATE ${options_of_${kind}})
  if(NOT RAILGAUGE_PCH)
    return()
  endif()
  if(NOT TARGET railgauge_pch_${kind})
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/pch/${kind}.cpp" CONTENT "// Made by cmake/railgauge_targets.cmake.\n")
    add_library(railgauge_pch_${kind} OBJECT "${PROJECT_BINARY_DIR}/pch/${kind}.cpp")
    target_link_libraries(railgauge_pch_${kind} PRIVATE railgauge_flags fmt::fmt)
    railgauge_common(railgauge_pch_${kind})
    # Without when each header was changed, which differs in each clone: ccache would find nothing that was compiled with it.
    target_compile_options(railgauge_pch_${kind} PRIVATE ${options_of_${kind}}
      "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
    target_precompile_headers(railgauge_pch_${kind} PRIVATE ${RAILGAUGE_COMMON_HEADERS})
    if(kind STREQUAL options)
      target_link_libraries(railgauge_pch_${kind} PRIVATE CLI11::CLI11)
      target_precompile_headers(railgauge_pch_${kind} PRIVATE <CLI/CLI.hpp>)
    endif()
    if(kind MATCHES "^test")
      target_link_libraries(railgauge_pch_${kind} PRIVATE Catch2::Catch2)
      target_precompile_headers(railgauge_pch_${kind} PRIVATE "${PROJECT_SOURCE_DIR}/tests/test.hpp")
      set_target_properties(railgauge_pch_${kind} PROPERTIES POSITION_INDEPENDENT_CODE OFF)  # as programs, not as libraries
      target_compile_options(railgauge_pch_${kind} PRIVATE -fPIE)
    endif()
  endif()
  target_precompile_headers(${target} REUSE_FROM railgauge_pch_${kind})
endfunction()

# railgauge_folders(): every folder below this one that says how it is built.
macro(railgauge_folders)
  file(GLOB folders CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt")
  foreach(folder IN LISTS folders)
    get_filename_component(folder "${folder}" DIRECTORY)
    add_subdirectory("${folder}")
  endforeach()
endmacro()

# railgauge_library([HOT | OPTIMISED | OPTIONS | FUZZED] [NAME name] [SOURCES ...] LINKS ...): a static library of this folder, named after it (topo/read
# is railgauge_topo_read), of all its files; SOURCES are others besides. Cold where nothing is said. With NAME it holds the parts of
# a plugin, and plugin.cpp, which has the symbol that the plugin exports, is left out. LINKS are the folders whose headers it may
# include: ci/arrows holds the includes against them.
function(railgauge_library)
  cmake_parse_arguments(arg "HOT;OPTIMISED;OPTIONS;FUZZED" "NAME" "SOURCES;LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  if(arg_NAME)
    list(FILTER sources EXCLUDE REGEX "/plugin\\.cpp$")
  else()
    file(RELATIVE_PATH arg_NAME "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
    string(REPLACE "/" "_" arg_NAME "railgauge_${arg_NAME}")
  endif()
  if(sources OR arg_SOURCES)
    add_library(${arg_NAME} STATIC ${sources} ${arg_SOURCES})
    target_link_libraries(${arg_NAME} PUBLIC railgauge_flags ${arg_LINKS})
    railgauge_common(${arg_NAME})
    if(arg_OPTIMISED)
      railgauge_optimisation(${arg_NAME} optimised)
    elseif(arg_HOT)
      railgauge_optimisation(${arg_NAME} hot)
    elseif(arg_FUZZED AND RAILGAUGE_FUZZ)
      railgauge_optimisation(${arg_NAME} fuzzed)
    elseif(arg_OPTIONS)
      railgauge_optimisation(${arg_NAME} options)
    else()
      railgauge_optimisation(${arg_NAME} cold)
    endif()
  else()  # headers alone
    add_library(${arg_NAME} INTERFACE)
    target_link_libraries(${arg_NAME} INTERFACE railgauge_flags ${arg_LINKS})
  endif()
endfunction()

# railgauge_apart(FILE...): files of this folder that are compiled together, and apart from all others, where a folder is compiled as one
# file (CMAKE_UNITY_BUILD, in the builds of ci/test): names in their anonymous namespaces are those of a file among the others. Each
# call is one more such file; one that is named by itself keeps its name, too, as an object (a test of the gate replaces mapped.cpp.o).
function(railgauge_apart)
  list(LENGTH ARGN count)
  if(count EQUAL 1)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    return()
  endif()
  get_property(groups DIRECTORY PROPERTY RAILGAUGE_APART)
  set_property(DIRECTORY APPEND PROPERTY RAILGAUGE_APART group)
  list(LENGTH groups number)
  set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP "apart_${number}")
endfunction()

# railgauge_plugin(NAME SOURCES ... LINKS ...): a module that the executable loads when it runs; exports one symbol.
function(railgauge_plugin name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_library(railgauge_${name} MODULE ${arg_SOURCES})
  target_link_libraries(railgauge_${name} PRIVATE railgauge_flags ${arg_LINKS})
  railgauge_common(railgauge_${name})
  set_target_properties(railgauge_${name} PROPERTIES
    PREFIX "" OUTPUT_NAME "railgauge_${name}" LIBRARY_OUTPUT_DIRECTORY "${RAILGAUGE_PLUGIN_DIRECTORY}")
  # Where the program looks: lib, whatever the distribution calls its folder of libraries.
  install(TARGETS railgauge_${name} LIBRARY DESTINATION lib/railgauge)
endfunction()
