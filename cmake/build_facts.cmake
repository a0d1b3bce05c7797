# cmake -DOUTPUT=build_facts.cpp -DSOURCE=tree -DLIBRARIES=libraries.cmake -P build_facts.cmake
# Writes the C++ file with the commit of the tree and the versions of its libraries, if one of them changed since it was written.
set(commit "")
if(EXISTS "${SOURCE}/.git")
  execute_process(COMMAND git -C "${SOURCE}" describe --always --dirty --abbrev=12 --match "v[0-9]*"
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE code)
endif()
if(commit STREQUAL "" OR NOT code EQUAL 0)
  set(commit unknown)
endif()
set(rows "")
include("${LIBRARIES}")
foreach(row IN LISTS libraries)
  string(REPLACE "|" "\", \"" row "${row}")
  string(APPEND rows "\n      {\"${row}\"},")
endforeach()
set(text "// Made by cmake/build_facts.cmake.
#include \"base/build_facts.hpp\"

namespace railgauge {

const BuildFacts& build_facts() {
  static const BuildFacts facts{
      \"${commit}\", \"${compiler}\", \"${build_type}\", {${rows}}};
  return facts;
}

}  // namespace railgauge
")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" before)
endif()
if(NOT "${before}" STREQUAL "${text}")
  file(WRITE "${OUTPUT}" "${text}")
endif()
