# The part of the program for NVIDIA's GPUs, libdfrun_cuda.so, which the program loads where it lies beside libdfrun.so.
# It holds the CUDA runtime; the driver and the libraries of products and convolutions are opened at run time, so that
# the same files serve hosts with GPUs and without.
#
# Its sources are kernels/device/cuda/* and, beside the kernels of CPUs, *_cuda.cc and *_cuda.cu. The latter are compiled
# by nvcc for each of DFRUN_CUDA_ARCHITECTURES.
set(DFRUN_CUDA AUTO CACHE STRING "Build the part for NVIDIA's GPUs: ON, OFF, or AUTO, where nvcc is found")
set(DFRUN_CUDA_ARCHITECTURES 90 CACHE STRING "Compute capabilities that kernels of GPUs are compiled for: 80;90")

file(GLOB_RECURSE DFRUN_CUDA_SOURCES CONFIGURE_DEPENDS kernels/device/cuda/*.cc kernels/*_cuda.cc)
file(GLOB_RECURSE DFRUN_CUDA_KERNELS CONFIGURE_DEPENDS kernels/*.cu)
list(REMOVE_DUPLICATES DFRUN_CUDA_SOURCES)

# Sources of kernels are compiled a few at a time, those of one folder together: what each of them includes takes longer
# to compile than most of them.
set(DFRUN_CUDA_BATCH_SIZE 4)
set(DFRUN_CUDA_BATCHES)
foreach(source ${DFRUN_CUDA_KERNELS})
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${source})
  get_filename_component(folder ${name} DIRECTORY)
  math(EXPR batch "${files_of_${folder}} + 0")
  math(EXPR files_of_${folder} "${batch} + 1")
  math(EXPR batch "${batch} / ${DFRUN_CUDA_BATCH_SIZE}")
  set(batch ${PROJECT_BINARY_DIR}/cuda/${folder}/batch_${batch}.cu)
  string(APPEND text_of_${batch} "#include \"${name}\"\n")
  list(APPEND DFRUN_CUDA_BATCHES ${batch})
endforeach()
list(REMOVE_DUPLICATES DFRUN_CUDA_BATCHES)
foreach(batch ${DFRUN_CUDA_BATCHES})
  file(CONFIGURE OUTPUT ${batch} CONTENT "${text_of_${batch}}" @ONLY)
endforeach()

# DFRUN_CUDA_MISSING: why the part is not built; empty where it is. Under AUTO that is said and the rest is built.
find_program(DFRUN_NVCC nvcc PATHS ENV CUDA_HOME /usr/local/cuda PATH_SUFFIXES bin)
set(DFRUN_CUDA_MISSING "")
if(NOT DFRUN_CUDA)
  set(DFRUN_CUDA_MISSING "it is switched off (DFRUN_CUDA)")
elseif(DFRUN_CUDA STREQUAL "AUTO" AND DFRUN_SANITIZE)
  set(DFRUN_CUDA_MISSING "a build with sanitizers has it with -DDFRUN_CUDA=ON alone")
elseif(NOT DFRUN_NVCC)
  set(DFRUN_CUDA_MISSING "nvcc was not found; CUDA_HOME says where the CUDA toolkit is (scripts/packages.sh: how to get it)")
endif()

set(cuda_code)
foreach(architecture ${DFRUN_CUDA_ARCHITECTURES})
  list(APPEND cuda_code -gencode=arch=compute_${architecture},code=sm_${architecture})
endforeach()

# Whether nvcc compiles at all, asked once for a compiler and its capabilities.
if(NOT DFRUN_CUDA_MISSING AND NOT DFRUN_NVCC_WORKS STREQUAL "${DFRUN_NVCC} ${cuda_code} ${CMAKE_CXX_COMPILER}")
  set(probe ${PROJECT_BINARY_DIR}/cuda/probe.cu)
  file(WRITE ${probe} "#include <cuda_runtime_api.h>\n__global__ void Probe(float* x) { x[0] = 0; }\n")
  execute_process(COMMAND ${DFRUN_NVCC} -std=c++20 ${cuda_code} -ccbin ${CMAKE_CXX_COMPILER} -c ${probe} -o ${probe}.o
                  RESULT_VARIABLE nvcc_result OUTPUT_VARIABLE nvcc_text ERROR_VARIABLE nvcc_text TIMEOUT 120)
  if(nvcc_result EQUAL 0)
    set(DFRUN_NVCC_WORKS "${DFRUN_NVCC} ${cuda_code} ${CMAKE_CXX_COMPILER}" CACHE INTERNAL "nvcc that compiled")
  else()
    string(REGEX MATCH "[^\n]*([Ee]rror|fatal)[^\n]*" nvcc_line "${nvcc_text}")
    if(NOT nvcc_line)
      string(REGEX MATCH "[^\n]+" nvcc_line "${nvcc_text}")
    endif()
    set(DFRUN_CUDA_MISSING "${DFRUN_NVCC} does not compile: ${nvcc_result}, ${nvcc_line}")
  endif()
endif()

if(NOT DFRUN_CUDA_MISSING)
  get_filename_component(nvcc_real ${DFRUN_NVCC} REALPATH)
  get_filename_component(cuda_root ${nvcc_real} DIRECTORY)
  get_filename_component(cuda_root ${cuda_root} DIRECTORY)
  set(cuda_includes ${cuda_root}/include ${cuda_root}/targets/x86_64-linux/include)
  find_path(DFRUN_CUDA_INCLUDE cuda_runtime_api.h HINTS ${cuda_includes})
  find_path(DFRUN_CUBLASLT_INCLUDE cublasLt.h HINTS ${cuda_includes})
  find_path(DFRUN_CUFFT_INCLUDE cufftXt.h HINTS ${cuda_includes})
  find_library(DFRUN_CUDART_STATIC cudart_static HINTS ${cuda_root}/lib64 ${cuda_root}/lib
               ${cuda_root}/targets/x86_64-linux/lib)
  # cuDNN's headers may be the toolkit's neighbours, a package's of their own, or those of the wheel nvidia-cudnn-cu13.
  find_path(DFRUN_CUDNN_INCLUDE cudnn.h HINTS ${cuda_includes} ENV CUDNN_HOME PATH_SUFFIXES include
            DOC "The folder of cudnn.h; scripts/packages.sh says how to get cuDNN")
  foreach(need DFRUN_CUDA_INCLUDE/cuda_runtime_api.h DFRUN_CUDART_STATIC/libcudart_static.a
               DFRUN_CUBLASLT_INCLUDE/cublasLt.h DFRUN_CUFFT_INCLUDE/cufftXt.h DFRUN_CUDNN_INCLUDE/cudnn.h)
    get_filename_component(variable ${need} DIRECTORY)
    get_filename_component(file ${need} NAME)
    if(NOT ${variable} AND NOT DFRUN_CUDA_MISSING)
      set(DFRUN_CUDA_MISSING "${file} was not found; -D${variable}=... says where it is (scripts/packages.sh: how to get it)")
    endif()
  endforeach()
endif()

if(NOT DFRUN_CUDA_MISSING)
  set(DFRUN_HAS_CUDA TRUE)
  file(STRINGS ${DFRUN_CUDA_INCLUDE}/cuda_runtime_api.h cudart_version REGEX "#define CUDART_VERSION")
  string(REGEX MATCH "[0-9]+" cudart_version "${cudart_version}")
  math(EXPR DFRUN_CUDA_MAJOR "${cudart_version} / 1000")
  set(DFRUN_CUDNN_SONAME libcudnn.so.9)
else()
  set(DFRUN_HAS_CUDA FALSE)
  if(DFRUN_CUDA AND NOT DFRUN_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "-DDFRUN_CUDA=ON: ${DFRUN_CUDA_MISSING}")
  endif()
endif()

# Compiles a source with nvcc into OBJECT: -O1 is for the code of the host, which only launches, and takes half the time of
# -O2 to compile; that of GPUs is optimised anyway. No multiplication is fused with an addition, so that results are those of CPUs
# wherever the functions of the library are.
function(dfrun_add_cuda_object source object)
  file(RELATIVE_PATH name ${PROJECT_BINARY_DIR} ${source})
  set(output ${source}.o)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${DFRUN_NVCC} -std=c++20 -O1 ${cuda_code} -fmad=false
            --expt-relaxed-constexpr -ccbin ${CMAKE_CXX_COMPILER} -Xcompiler -fPIC,-march=${DFRUN_MARCH}
            -diag-suppress=186,1675,2810 -I${PROJECT_SOURCE_DIR} -MD -MF ${output}.d -c ${source} -o ${output}
    DEPENDS ${source} DEPFILE ${output}.d VERBATIM COMMENT "Compiling ${name}")
  set(${object} ${output} PARENT_SCOPE)
endfunction()

if(DFRUN_HAS_CUDA)
  set(objects)
  foreach(source ${DFRUN_CUDA_BATCHES})
    dfrun_add_cuda_object(${source} object)
    list(APPEND objects ${object})
  endforeach()
  add_library(dfrun_cuda SHARED ${DFRUN_CUDA_SOURCES} ${objects})
  target_include_directories(dfrun_cuda SYSTEM PRIVATE ${DFRUN_CUDA_INCLUDE} ${DFRUN_CUBLASLT_INCLUDE}
                             ${DFRUN_CUFFT_INCLUDE} ${DFRUN_CUDNN_INCLUDE})
  list(JOIN DFRUN_CUDA_ARCHITECTURES ", sm_" architectures)
  target_compile_definitions(dfrun_cuda PRIVATE DFRUN_CUDA_MAJOR="${DFRUN_CUDA_MAJOR}"
                             DFRUN_CUDNN_SONAME="${DFRUN_CUDNN_SONAME}"
                             DFRUN_CUDA_ARCHITECTURES="sm_${architectures}")
  target_link_libraries(dfrun_cuda PRIVATE dfrun dfrun_options ${DFRUN_CUDART_STATIC} Threads::Threads
                        ${CMAKE_DL_LIBS} rt)
  # What it defines is not looked for in the libraries before it, which took a third of the start of the program.
  target_link_options(dfrun_cuda PRIVATE -Wl,--exclude-libs,libcudart_static.a -Wl,-Bsymbolic)
  install(TARGETS dfrun_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
