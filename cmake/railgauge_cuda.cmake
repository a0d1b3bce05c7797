# The CUDA compiler: where it is, and how our kernels are compiled.

set(RAILGAUGE_OLDEST_NVCC 12.0)  # the first that knows C++20

# railgauge_find_cuda(FOUND MISSING): whether there is an nvcc that will do, else why not. Looks at CMAKE_CUDA_COMPILER, CUDACXX, the
# path, and where NVIDIA's installer puts it.
function(railgauge_find_cuda found missing)
  set(${found} OFF PARENT_SCOPE)
  set(nvcc "${CMAKE_CUDA_COMPILER}")
  if(NOT nvcc)
    set(nvcc "$ENV{CUDACXX}")
  endif()
  if(NOT nvcc)
    find_program(RAILGAUGE_NVCC nvcc HINTS "$ENV{CUDA_PATH}/bin" /usr/local/cuda/bin)
    mark_as_advanced(RAILGAUGE_NVCC)
    set(nvcc "${RAILGAUGE_NVCC}")
  endif()
  if(NOT nvcc)
    set(${missing} "nvcc was not found: CUDA's toolkit, or -DCMAKE_CUDA_COMPILER=..." PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND "${nvcc}" --version OUTPUT_VARIABLE text ERROR_VARIABLE text RESULT_VARIABLE code)
  if(NOT code EQUAL 0 OR NOT text MATCHES "release ([0-9]+\\.[0-9]+)")
    set(${missing} "${nvcc} --version failed" PARENT_SCOPE)
    return()
  endif()
  set(version "${CMAKE_MATCH_1}")
  if(version VERSION_LESS RAILGAUGE_OLDEST_NVCC)
    set(${missing} "${nvcc} is of CUDA ${version}, which has no C++20: ${RAILGAUGE_OLDEST_NVCC} is the oldest that will do" PARENT_SCOPE)
    return()
  endif()
  if(NOT CMAKE_CUDA_COMPILER)
    set(ENV{CUDACXX} "${nvcc}")
    include(CheckLanguage)
    check_language(CUDA)
  endif()
  if(NOT CMAKE_CUDA_COMPILER)
    set(${missing} "${nvcc} of CUDA ${version} does not work with this C++ compiler: see CMakeFiles/CMakeError.log" PARENT_SCOPE)
    return()
  endif()
  set(RAILGAUGE_NVCC_VERSION "${version}" CACHE INTERNAL "")
  set(${found} ON PARENT_SCOPE)
endfunction()

# A macro: what enable_language sets belongs to the caller.
macro(railgauge_enable_cuda)
  if(NOT CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    # Ampere, Hopper, and code that later ones compile when it is loaded; a release has that of Blackwell too.
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
    if(RAILGAUGE_RELEASE AND NOT RAILGAUGE_NVCC_VERSION VERSION_LESS 12.8)
      set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 100)
    endif()
  endif()
  if(CCACHE_PROGRAM AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
  endif()
  enable_language(CUDA)
  # CMake 3.25 does not know how newer compilers are asked for it.
  foreach(kind IN ITEMS STANDARD EXTENSION)
    if(NOT CMAKE_CUDA20_${kind}_COMPILE_OPTION)
      set(CMAKE_CUDA20_${kind}_COMPILE_OPTION -std=c++20)
    endif()
  endforeach()
endmacro()

# What they are made with: -fmad=false: a * b + c keeps its two roundings, as on the host (bench/device/element.hpp).
set(RAILGAUGE_CUDA_CODE_OPTIONS -fmad=false --expt-relaxed-constexpr)

# A kernel that spills its registers or keeps arrays in local memory is slow, so that is an error where warnings are.
function(railgauge_cuda_options target)
  set_target_properties(${target} PROPERTIES CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED ON CUDA_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON
                                             CUDA_VISIBILITY_PRESET hidden)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:${RAILGAUGE_CUDA_CODE_OPTIONS} -Xptxas=-warn-spills,-warn-lmem-usage -Xcompiler=-Wall,-Wextra>
    $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<BOOL:${RAILGAUGE_WERROR}>>:-Werror=all-warnings -Xptxas=--warning-as-error>)
endfunction()
