# How each target of railgauge is made, so that every room is compiled alike.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(RAILGAUGE_PLUGIN_DIRECTORY "${PROJECT_BINARY_DIR}/lib/railgauge")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

add_library(railgauge_flags INTERFACE)
target_compile_features(railgauge_flags INTERFACE cxx_std_20)
target_include_directories(railgauge_flags INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(railgauge_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align
  $<$<BOOL:${RAILGAUGE_WERROR}>:-Werror>)
if(RAILGAUGE_SANITIZE)
  target_compile_options(railgauge_flags INTERFACE -fsanitize=${RAILGAUGE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(railgauge_flags INTERFACE -fsanitize=${RAILGAUGE_SANITIZE})
endif()

function(railgauge_common target)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# railgauge_optimised(TARGET): in debug builds too, since its tests calculate for minutes otherwise.
function(railgauge_optimised target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O2>)
endfunction()

# railgauge_folders(): every folder below this one that says how it is built.
macro(railgauge_folders)
  file(GLOB folders CONFIGURE_DEPENDS RELATIVE "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt")
  foreach(folder IN LISTS folders)
    get_filename_component(folder "${folder}" DIRECTORY)
    add_subdirectory("${folder}")
  endforeach()
endmacro()

# railgauge_library([NAME name] [SOURCES ...] LINKS ...): a static library of this folder, named after it (topo/read is
# railgauge_topo_read), of all its files but plugin.cpp; SOURCES are others besides. LINKS are the folders whose headers it may
# include: ci/arrows holds the includes against them.
function(railgauge_library)
  cmake_parse_arguments(arg "" "NAME" "SOURCES;LINKS" ${ARGN})
  if(NOT arg_NAME)
    file(RELATIVE_PATH arg_NAME "${PROJECT_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
    string(REPLACE "/" "_" arg_NAME "railgauge_${arg_NAME}")
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "/plugin\\.cpp$")
  if(sources OR arg_SOURCES)
    add_library(${arg_NAME} STATIC ${sources} ${arg_SOURCES})
    target_link_libraries(${arg_NAME} PUBLIC railgauge_flags ${arg_LINKS})
    railgauge_common(${arg_NAME})
  else()  # headers alone
    add_library(${arg_NAME} INTERFACE)
    target_link_libraries(${arg_NAME} INTERFACE railgauge_flags ${arg_LINKS})
  endif()
endfunction()

# railgauge_plugin(NAME SOURCES ... LINKS ...): a module that the executable loads when it runs; exports one symbol.
function(railgauge_plugin name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_library(railgauge_${name} MODULE ${arg_SOURCES})
  target_link_libraries(railgauge_${name} PRIVATE railgauge_flags ${arg_LINKS})
  railgauge_common(railgauge_${name})
  set_target_properties(railgauge_${name} PROPERTIES
    PREFIX "" OUTPUT_NAME "railgauge_${name}" LIBRARY_OUTPUT_DIRECTORY "${RAILGAUGE_PLUGIN_DIRECTORY}")
  install(TARGETS railgauge_${name} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/railgauge")
endfunction()
