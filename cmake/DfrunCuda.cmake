# The part of the program for NVIDIA's cards, libdfrun_cuda.so, which the program loads where it lies beside libdfrun.so.
# It holds the CUDA runtime; the driver and the libraries of products and convolutions are opened at run time, so that
# the same files serve hosts with cards and without.
#
# Its sources are kernels/device/cuda/* and, beside the kernels of CPUs, *_cuda.cc and *_cuda.cu. The latter are compiled
# by nvcc for each of DFRUN_CUDA_ARCHITECTURES.
set(DFRUN_CUDA AUTO CACHE STRING "Build the part for NVIDIA's cards: ON, OFF, or AUTO, where nvcc is found")
set(DFRUN_CUDA_ARCHITECTURES 90 CACHE STRING "Compute capabilities that kernels of cards are compiled for: 80;90")

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

find_program(DFRUN_NVCC nvcc PATHS ENV CUDA_HOME /usr/local/cuda PATH_SUFFIXES bin)
if(DFRUN_CUDA STREQUAL "AUTO")
  set(DFRUN_HAS_CUDA FALSE)
  if(DFRUN_NVCC AND NOT DFRUN_SANITIZE)
    set(DFRUN_HAS_CUDA TRUE)
  endif()
elseif(DFRUN_CUDA)
  set(DFRUN_HAS_CUDA TRUE)
  if(NOT DFRUN_NVCC)
    message(FATAL_ERROR "nvcc was not found: install the CUDA toolkit (CUDA_HOME says where) or leave out -DDFRUN_CUDA=ON")
  endif()
else()
  set(DFRUN_HAS_CUDA FALSE)
endif()

if(DFRUN_HAS_CUDA)
  get_filename_component(nvcc_real ${DFRUN_NVCC} REALPATH)
  get_filename_component(cuda_root ${nvcc_real} DIRECTORY)
  get_filename_component(cuda_root ${cuda_root} DIRECTORY)
  find_path(DFRUN_CUDA_INCLUDE cuda_runtime_api.h HINTS ${cuda_root}/include ${cuda_root}/targets/x86_64-linux/include
            REQUIRED)
  find_library(DFRUN_CUDART_STATIC cudart_static HINTS ${cuda_root}/lib64 ${cuda_root}/lib
               ${cuda_root}/targets/x86_64-linux/lib REQUIRED)
  file(STRINGS ${DFRUN_CUDA_INCLUDE}/cuda_runtime_api.h cudart_version REGEX "#define CUDART_VERSION")
  string(REGEX MATCH "[0-9]+" cudart_version "${cudart_version}")
  math(EXPR DFRUN_CUDA_MAJOR "${cudart_version} / 1000")
  # cuDNN's headers may be the toolkit's neighbours, a package's of their own, or those of the wheel nvidia-cudnn-cu13.
  find_path(DFRUN_CUDNN_INCLUDE cudnn.h HINTS ${DFRUN_CUDA_INCLUDE} ENV CUDNN_HOME PATH_SUFFIXES include
            DOC "The folder of cudnn.h; scripts/packages.sh says how to get cuDNN" REQUIRED)
  set(DFRUN_CUDNN_SONAME libcudnn.so.9)
endif()

# Compiles a source with nvcc into OBJECT. No multiplication is fused with an addition, so that results are those of CPUs
# wherever the functions of the library are.
function(dfrun_add_cuda_object source object)
  file(RELATIVE_PATH name ${PROJECT_BINARY_DIR} ${source})
  set(output ${source}.o)
  set(architectures)
  foreach(architecture ${DFRUN_CUDA_ARCHITECTURES})
    list(APPEND architectures -gencode=arch=compute_${architecture},code=sm_${architecture})
  endforeach()
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${DFRUN_NVCC} -std=c++20 -O3 ${architectures} -fmad=false
            --expt-relaxed-constexpr -ccbin ${CMAKE_CXX_COMPILER} -Xcompiler -fPIC,-O2,-march=${DFRUN_MARCH}
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
  target_include_directories(dfrun_cuda SYSTEM PRIVATE ${DFRUN_CUDA_INCLUDE} ${DFRUN_CUDNN_INCLUDE})
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
