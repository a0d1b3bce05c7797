# What --version tells of this build: the libraries that CMake found, once at the end of configuring, and the commit at every build.

# railgauge_header_version(RESULT FILE MACRO): the value of a macro, without quotes, in a header.
function(railgauge_header_version result file macro)
  set(value "")
  if(EXISTS "${file}")
    file(STRINGS "${file}" line REGEX "^#define +${macro} " LIMIT_COUNT 1)
    if(line MATCHES "${macro} +\"?([0-9][0-9._]*)")
      string(REPLACE "_" "." value "${CMAKE_MATCH_1}")
    endif()
  endif()
  set(${result} "${value}" PARENT_SCOPE)
endfunction()

# railgauge_build_facts(TARGET): gives it, and who links it, build_facts().
function(railgauge_build_facts target)
  railgauge_header_version(soci "${SOCI_INCLUDE}/soci/version.h" SOCI_LIB_VERSION)
  railgauge_header_version(sqlite "${SQLITE3_INCLUDE}/sqlite3.h" SQLITE_VERSION)
  set(libraries
    "hwloc|${HWLOC_VERSION}|" "fmt|${fmt_VERSION}|" "nlohmann-json|${nlohmann_json_VERSION}|" "CLI11|${CLI11_VERSION}|"
    "pugixml|${pugixml_VERSION}|" "yaml-cpp|${YAML_CPP_VERSION}|" "Boost|${Boost_VERSION}|" "Highway|${HIGHWAY_VERSION}|"
    "SOCI|${soci}|" "SQLite|${sqlite}|")
  foreach(row IN ITEMS "UCX|UCX_VERSION|ucx" "libibverbs|VERBS_libibverbs_VERSION|verbs" "librdmacm|VERBS_librdmacm_VERSION|verbs"
                       "libibnetdisc|IBNETDISC_libibnetdisc_VERSION|ibfabric" "PMIx|PMIX_VERSION|pmix")
    string(REPLACE "|" ";" row "${row}")
    list(GET row 0 name)
    list(GET row 1 variable)
    list(GET row 2 plugin)
    set(version "-")
    if(TARGET railgauge_${plugin})
      set(version "${${variable}}")
    endif()
    list(APPEND libraries "${name}|${version}|${plugin}")
  endforeach()
  set(cuda "-")
  if(TARGET railgauge_cuda)
    set(cuda "${RAILGAUGE_NVCC_VERSION}")
  endif()
  set(nccl "-")
  if(TARGET railgauge_nccl)
    foreach(part IN ITEMS MAJOR MINOR PATCH)
      railgauge_header_version(number "${RAILGAUGE_NCCL_INCLUDE}/nccl.h" NCCL_${part})
      list(APPEND numbers "${number}")
    endforeach()
    list(JOIN numbers "." nccl)
  endif()
  list(APPEND libraries "CUDA runtime|${cuda}|cuda" "NCCL|${nccl}|nccl")
  set(text "set(compiler \"${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\")\nset(build_type \"${CMAKE_BUILD_TYPE}\")\n")
  string(APPEND text "set(libraries\n")
  foreach(row IN LISTS libraries)
    string(REPLACE "||" "|unknown|" row "${row}")
    string(APPEND text "  \"${row}\"\n")
  endforeach()
  string(APPEND text ")\n")
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/generated/libraries.cmake" CONTENT "${text}" @ONLY)
  set(output "${PROJECT_BINARY_DIR}/generated/build_facts.cpp")
  # Looked at by every build, and compiled again when it changed: nothing else is.
  add_custom_target(railgauge_build_facts
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${output}" "-DSOURCE=${PROJECT_SOURCE_DIR}"
            "-DLIBRARIES=${PROJECT_BINARY_DIR}/generated/libraries.cmake" -P "${PROJECT_SOURCE_DIR}/cmake/build_facts.cmake"
    BYPRODUCTS "${output}" COMMENT "" VERBATIM)
  add_library(railgauge_facts STATIC "${output}")
  target_link_libraries(railgauge_facts PRIVATE railgauge_flags)
  railgauge_common(railgauge_facts)
  add_dependencies(railgauge_facts railgauge_build_facts)
  target_link_libraries(${target} PUBLIC railgauge_facts)
endfunction()
