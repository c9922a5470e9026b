// A CUDA driver without a GPU, for tests: memory is the host's, streams do
// their work at once, and misuse is answered as strictly as can be. It is
// compiled by the tests themselves (see mod.rs) and needs no header of CUDA's:
// the functions' types are those of the driver's binary interface.
//
//   FAKE_CUDA_LOG      the file that each call adds a line to
//   FAKE_CUDA_FAIL     cuMemAllocAsync=2@3,cuLaunchKernel=700@1+   errors: code @ which call, + for all later ones
//   FAKE_CUDA_PARAMS   twice=8,4;fill=8,4,4                        sizes of arguments, where the image does not say
//   FAKE_CUDA_WRITES   scale=0;copy=1                              which arguments a kernel writes through
//   FAKE_CUDA_DEVICES  how many devices there are (2)
//   FAKE_CUDA_VERSION  the driver's version (13000)
//
// Built with OLD_DRIVER it lacks what CUDA 11.2 and later brought.
#include "state.hpp"

#include "contexts.hpp"

#include "devices.hpp"

#include "streams.hpp"

#include "memory.hpp"

#include "copies.hpp"

#include "textures.hpp"

#include "modules.hpp"

#include "launches.hpp"

#include "graphs.hpp"
