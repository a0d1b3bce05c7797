# softgpu_kernels(NAME ARCHITECTURE FILE...): a library NAME of the kernels of CUDA files, which registers them where it is
# linked to. The compiler is clang where there is one: it takes three quarters of the time that gcc does.
find_program(RAILGAUGE_SOFTGPU_CC NAMES clang-19 clang-18 clang-17 clang-16 clang-15 clang clang-14 gcc cc REQUIRED)
mark_as_advanced(RAILGAUGE_SOFTGPU_CC)
# -ffp-contract=off: a product keeps its rounding. Without vectorisation, which gains little behind checks.
set(SOFTGPU_C_OPTIONS -O2 -g1 -w -fPIC -ffp-contract=off -fno-strict-aliasing -fno-tree-vectorize "-I${PROJECT_SOURCE_DIR}")

function(softgpu_kernels name architecture)
  get_filename_component(bin "${CMAKE_CUDA_COMPILER}" DIRECTORY)
  find_program(RAILGAUGE_PTXAS ptxas HINTS "${bin}" REQUIRED)
  mark_as_advanced(RAILGAUGE_PTXAS)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  file(MAKE_DIRECTORY "${folder}")
  set(objects)
  foreach(file IN LISTS ARGN)
    get_filename_component(stem "${file}" NAME_WE)
    set(ptx "${folder}/${stem}.ptx")
    # As the product compiles them, and with the lines of the sources.
    add_custom_command(OUTPUT "${ptx}" DEPENDS "${file}" DEPFILE "${ptx}.d" VERBATIM COMMENT "PTX of ${stem} for sm_${architecture}"
      COMMAND "${CMAKE_CUDA_COMPILER}" -ptx -lineinfo -arch=sm_${architecture} -std=c++20 ${RAILGAUGE_CUDA_CODE_OPTIONS}
              "-I${PROJECT_SOURCE_DIR}" -MD -MT "${ptx}" -MF "${ptx}.d" "${file}" -o "${ptx}")
    set(said "${folder}/${stem}.ptxas")
    add_custom_command(OUTPUT "${said}" DEPENDS "${ptx}" VERBATIM COMMENT "Registers of ${stem}"
      COMMAND sh -c "'${RAILGAUGE_PTXAS}' -v -arch=sm_${architecture} '${ptx}' -o '${said}.cubin' >'${said}' 2>&1")
    add_custom_command(OUTPUT "${folder}/${stem}.c" DEPENDS softgpu_translate "${ptx}" "${said}" VERBATIM COMMENT "Translating ${stem}"
      COMMAND softgpu_translate "${ptx}" "${folder}/${stem}.c" "${said}" "${PROJECT_SOURCE_DIR}/")
    set(object "${folder}/${stem}.o")
    add_custom_command(OUTPUT "${object}" VERBATIM COMMENT "Compiling the translated ${stem}"
      DEPENDS "${folder}/${stem}.c" "${PROJECT_SOURCE_DIR}/tests/softgpu/machine/abi.h" "${PROJECT_SOURCE_DIR}/tests/softgpu/translate/semantics.h"
      COMMAND ${CCACHE_PROGRAM} "${RAILGAUGE_SOFTGPU_CC}" ${SOFTGPU_C_OPTIONS} -c "${folder}/${stem}.c" -o "${object}")
    list(APPEND objects "${object}")
  endforeach()
  set_source_files_properties(${objects} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  add_library(${name}_archive STATIC ${objects})
  set_target_properties(${name}_archive PROPERTIES LINKER_LANGUAGE CXX)
  add_library(${name} INTERFACE)
  target_link_libraries(${name} INTERFACE "$<LINK_LIBRARY:WHOLE_ARCHIVE,${name}_archive>" softgpu_machine)
endfunction()
