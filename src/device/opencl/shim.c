/* The OpenCL entry points that the crate `cl-sys` declares, found at run time.
 *
 * `cl-sys` asks the linker for a library named `OpenCL`. build.rs makes this file that library, so nothing of OpenCL
 * is needed to build or to start. Each function here looks its namesake up in the installed loader at its first call
 * and passes its arguments on; the signatures are written out, so this is plain C for every architecture.
 *
 * What holds: no function here can crash for want of a library or of a symbol. Where one is missing, the call fails
 * with CL_INVALID_OPERATION. The stubs are hidden, so that a driver never binds to them in place of its own loader.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void *P;    /* any pointer or handle */
typedef uint32_t U; /* cl_uint, cl_bool and enumerations */
typedef int32_t I;  /* cl_int */
typedef uint64_t L; /* cl_bitfield */
typedef size_t Z;

enum { SUCCESS = 0, INVALID_OPERATION = -59, PLATFORM_NOT_FOUND = -1001 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void *library;
static char problem[512];

static void load(void) {
    const char *chosen = getenv("SHINE_OPENCL_LIBRARY");
    const char *usual[] = {"libOpenCL.so.1", "libOpenCL.so", NULL};
    const char *only[] = {chosen, NULL};
    const char **names = chosen && *chosen ? only : usual;
    /* A library that was put in front of all others (LD_PRELOAD, as Oclgrind does) is the one that is meant. */
    void *program = names == usual ? dlopen(NULL, RTLD_NOW) : NULL;
    if (program && dlsym(program, "clGetPlatformIDs")) library = program;
    for (int i = 0; names[i] && !library; i++) {
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (!library && i == 0) {
            const char *why = dlerror();
            snprintf(problem, sizeof problem, "%s", why ? why : "dlopen failed");
        }
    }
}

/* Why no OpenCL library could be loaded; NULL where one was. */
const char *shine_opencl_problem(void) {
    pthread_once(&once, load);
    return library ? NULL : problem;
}

static void *find(void **cached, const char *name) {
    void *address = __atomic_load_n(cached, __ATOMIC_ACQUIRE);
    if (!address) {
        pthread_once(&once, load);
        if (!library) return NULL;
        address = dlsym(library, name);
        __atomic_store_n(cached, address, __ATOMIC_RELEASE);
    }
    return address;
}

#define FIND(result, name, parameters)                                                                               \
    static void *cached;                                                                                             \
    result(*call) parameters = (result(*) parameters)find(&cached, #name)

/* Functions that return a status, a handle (with the status behind the last argument), a pointer, and nothing. */
#define STATUS(name, parameters, arguments)                                                                          \
    I name parameters {                                                                                              \
        FIND(I, name, parameters);                                                                                   \
        return call ? call arguments : INVALID_OPERATION;                                                            \
    }
#define HANDLE(name, parameters, arguments)                                                                          \
    P name parameters {                                                                                              \
        FIND(P, name, parameters);                                                                                   \
        if (call) return call arguments;                                                                             \
        if (error) *error = INVALID_OPERATION;                                                                       \
        return NULL;                                                                                                 \
    }
#define POINTER(name, parameters, arguments)                                                                         \
    P name parameters {                                                                                              \
        FIND(P, name, parameters);                                                                                   \
        return call ? call arguments : NULL;                                                                         \
    }
#define NOTHING(name, parameters, arguments)                                                                         \
    void name parameters {                                                                                           \
        FIND(void, name, parameters);                                                                                \
        if (call) call arguments;                                                                                    \
    }

/* A loader without a driver answers PLATFORM_NOT_FOUND, for which `ocl` asks again during ten seconds.
 * No platforms is an answer, not an error. */
I clGetPlatformIDs(U entries, P platforms, U *count) {
    FIND(I, clGetPlatformIDs, (U, P, U *));
    I status = call ? call(entries, platforms, count) : INVALID_OPERATION;
    if (status == PLATFORM_NOT_FOUND) {
        if (count) *count = 0;
        return SUCCESS;
    }
    return status;
}

STATUS(clGetPlatformInfo, (P a, U b, Z c, P d, P e), (a, b, c, d, e))
STATUS(clGetDeviceIDs, (P a, L b, U c, P d, P e), (a, b, c, d, e))
STATUS(clGetDeviceInfo, (P a, U b, Z c, P d, P e), (a, b, c, d, e))
STATUS(clCreateSubDevices, (P a, P b, U c, P d, P e), (a, b, c, d, e))
STATUS(clRetainDevice, (P a), (a))
STATUS(clReleaseDevice, (P a), (a))
STATUS(clSetDefaultDeviceCommandQueue, (P a, P b, P c), (a, b, c))
STATUS(clGetDeviceAndHostTimer, (P a, P b, P c), (a, b, c))
STATUS(clGetHostTimer, (P a, P b), (a, b))
HANDLE(clCreateContext, (P a, U b, P c, P d, P e, I *error), (a, b, c, d, e, error))
HANDLE(clCreateContextFromType, (P a, L b, P c, P d, I *error), (a, b, c, d, error))
STATUS(clRetainContext, (P a), (a))
STATUS(clReleaseContext, (P a), (a))
STATUS(clGetContextInfo, (P a, U b, Z c, P d, P e), (a, b, c, d, e))
HANDLE(clCreateCommandQueue, (P a, P b, L c, I *error), (a, b, c, error))
HANDLE(clCreateCommandQueueWithProperties, (P a, P b, P c, I *error), (a, b, c, error))
STATUS(clRetainCommandQueue, (P a), (a))
STATUS(clReleaseCommandQueue, (P a), (a))
STATUS(clGetCommandQueueInfo, (P a, U b, Z c, P d, P e), (a, b, c, d, e))
HANDLE(clCreateBuffer, (P a, L b, Z c, P d, I *error), (a, b, c, d, error))
HANDLE(clCreateSubBuffer, (P a, L b, U c, P d, I *error), (a, b, c, d, error))
HANDLE(clCreateImage2D, (P a, L b, P c, Z d, Z e, Z f, P g, I *error), (a, b, c, d, e, f, g, error))
HANDLE(clCreateImage3D,
       (P a, L b, P c, Z d, Z e, Z f, Z g, Z h, P i, I *error),
       (a, b, c, d, e, f, g, h, i, error))
HANDLE(clCreateImage, (P a, L b, P c, P d, P e, I *error), (a, b, c, d, e, error))
HANDLE(clCreatePipe, (P a, L b, U c, U d, P e, I *error), (a, b, c, d, e, error))
STATUS(clRetainMemObject, (P a), (a))
STATUS(clReleaseMemObject, (P a), (a))
STATUS(clGetSupportedImageFormats, (P a, L b, U c, U d, P e, P f), (a, b, c, d, e, f))
STATUS(clGetMemObjectInfo, (P a, U b, Z c, P d, P e), (a, b, c, d, e))
STATUS(clGetImageInfo, (P a, U b, Z c, P d, P e), (a, b, c, d, e))
STATUS(clGetPipeInfo, (P a, U b, Z c, P d, P e), (a, b, c, d, e))
STATUS(clSetMemObjectDestructorCallback, (P a, P b, P c), (a, b, c))
POINTER(clSVMAlloc, (P a, L b, Z c, U d), (a, b, c, d))
NOTHING(clSVMFree, (P a, P b), (a, b))
HANDLE(clCreateSampler, (P a, U b, U c, U d, I *error), (a, b, c, d, error))
HANDLE(clCreateSamplerWithProperties, (P a, P b, I *error), (a, b, error))
STATUS(clRetainSampler, (P a), (a))
STATUS(clReleaseSampler, (P a), (a))
STATUS(clGetSamplerInfo, (P a, U b, Z c, P d, P e), (a, b, c, d, e))
HANDLE(clCreateProgramWithSource, (P a, U b, P c, P d, I *error), (a, b, c, d, error))
HANDLE(clCreateProgramWithBinary, (P a, U b, P c, P d, P e, P f, I *error), (a, b, c, d, e, f, error))
HANDLE(clCreateProgramWithBuiltInKernels, (P a, U b, P c, P d, I *error), (a, b, c, d, error))
HANDLE(clCreateProgramWithIL, (P a, P b, Z c, I *error), (a, b, c, error))
STATUS(clRetainProgram, (P a), (a))
STATUS(clReleaseProgram, (P a), (a))
STATUS(clBuildProgram, (P a, U b, P c, P d, P e, P f), (a, b, c, d, e, f))
STATUS(clUnloadCompiler, (void), ())
STATUS(clCompileProgram, (P a, U b, P c, P d, U e, P f, P g, P h, P i), (a, b, c, d, e, f, g, h, i))
HANDLE(clLinkProgram, (P a, U b, P c, P d, U e, P f, P g, P h, I *error), (a, b, c, d, e, f, g, h, error))
STATUS(clUnloadPlatformCompiler, (P a), (a))
STATUS(clGetProgramInfo, (P a, U b, Z c, P d, P e), (a, b, c, d, e))
STATUS(clGetProgramBuildInfo, (P a, P b, U c, Z d, P e, P f), (a, b, c, d, e, f))
HANDLE(clCreateKernel, (P a, P b, I *error), (a, b, error))
STATUS(clCreateKernelsInProgram, (P a, U b, P c, P d), (a, b, c, d))
HANDLE(clCloneKernel, (P a, I *error), (a, error))
STATUS(clRetainKernel, (P a), (a))
STATUS(clReleaseKernel, (P a), (a))
STATUS(clSetKernelArg, (P a, U b, Z c, P d), (a, b, c, d))
STATUS(clSetKernelArgSVMPointer, (P a, U b, P c), (a, b, c))
STATUS(clSetKernelExecInfo, (P a, U b, Z c, P d), (a, b, c, d))
STATUS(clGetKernelInfo, (P a, U b, Z c, P d, P e), (a, b, c, d, e))
STATUS(clGetKernelArgInfo, (P a, U b, U c, Z d, P e, P f), (a, b, c, d, e, f))
STATUS(clGetKernelWorkGroupInfo, (P a, P b, U c, Z d, P e, P f), (a, b, c, d, e, f))
STATUS(clGetKernelSubGroupInfo, (P a, P b, U c, Z d, P e, Z f, P g, P h), (a, b, c, d, e, f, g, h))
STATUS(clWaitForEvents, (U a, P b), (a, b))
STATUS(clGetEventInfo, (P a, U b, Z c, P d, P e), (a, b, c, d, e))
HANDLE(clCreateUserEvent, (P a, I *error), (a, error))
STATUS(clRetainEvent, (P a), (a))
STATUS(clReleaseEvent, (P a), (a))
STATUS(clSetUserEventStatus, (P a, I b), (a, b))
STATUS(clSetEventCallback, (P a, I b, P c, P d), (a, b, c, d))
STATUS(clGetEventProfilingInfo, (P a, U b, Z c, P d, P e), (a, b, c, d, e))
STATUS(clFlush, (P a), (a))
STATUS(clFinish, (P a), (a))
STATUS(clEnqueueReadBuffer, (P a, P b, U c, Z d, Z e, P f, U g, P h, P i), (a, b, c, d, e, f, g, h, i))
STATUS(clEnqueueReadBufferRect,
       (P a, P b, U c, P d, P e, P f, Z g, Z h, Z i, Z j, P k, U l, P m, P n),
       (a, b, c, d, e, f, g, h, i, j, k, l, m, n))
STATUS(clEnqueueWriteBuffer, (P a, P b, U c, Z d, Z e, P f, U g, P h, P i), (a, b, c, d, e, f, g, h, i))
STATUS(clEnqueueWriteBufferRect,
       (P a, P b, U c, P d, P e, P f, Z g, Z h, Z i, Z j, P k, U l, P m, P n),
       (a, b, c, d, e, f, g, h, i, j, k, l, m, n))
STATUS(clEnqueueFillBuffer, (P a, P b, P c, Z d, Z e, Z f, U g, P h, P i), (a, b, c, d, e, f, g, h, i))
STATUS(clEnqueueCopyBuffer, (P a, P b, P c, Z d, Z e, Z f, U g, P h, P i), (a, b, c, d, e, f, g, h, i))
STATUS(clEnqueueCopyBufferRect,
       (P a, P b, P c, P d, P e, P f, Z g, Z h, Z i, Z j, U k, P l, P m),
       (a, b, c, d, e, f, g, h, i, j, k, l, m))
STATUS(clEnqueueReadImage,
       (P a, P b, U c, P d, P e, Z f, Z g, P h, U i, P j, P k),
       (a, b, c, d, e, f, g, h, i, j, k))
STATUS(clEnqueueWriteImage,
       (P a, P b, U c, P d, P e, Z f, Z g, P h, U i, P j, P k),
       (a, b, c, d, e, f, g, h, i, j, k))
STATUS(clEnqueueFillImage, (P a, P b, P c, P d, P e, U f, P g, P h), (a, b, c, d, e, f, g, h))
STATUS(clEnqueueCopyImage, (P a, P b, P c, P d, P e, P f, U g, P h, P i), (a, b, c, d, e, f, g, h, i))
STATUS(clEnqueueCopyImageToBuffer, (P a, P b, P c, P d, P e, Z f, U g, P h, P i), (a, b, c, d, e, f, g, h, i))
STATUS(clEnqueueCopyBufferToImage, (P a, P b, P c, Z d, P e, P f, U g, P h, P i), (a, b, c, d, e, f, g, h, i))
HANDLE(clEnqueueMapBuffer,
       (P a, P b, U c, L d, Z e, Z f, U g, P h, P i, I *error),
       (a, b, c, d, e, f, g, h, i, error))
HANDLE(clEnqueueMapImage,
       (P a, P b, U c, L d, P e, P f, P g, P h, U i, P j, P k, I *error),
       (a, b, c, d, e, f, g, h, i, j, k, error))
STATUS(clEnqueueUnmapMemObject, (P a, P b, P c, U d, P e, P f), (a, b, c, d, e, f))
STATUS(clEnqueueMigrateMemObjects, (P a, U b, P c, L d, U e, P f, P g), (a, b, c, d, e, f, g))
STATUS(clEnqueueNDRangeKernel, (P a, P b, U c, P d, P e, P f, U g, P h, P i), (a, b, c, d, e, f, g, h, i))
STATUS(clEnqueueTask, (P a, P b, U c, P d, P e), (a, b, c, d, e))
STATUS(clEnqueueNativeKernel,
       (P a, P b, P c, Z d, U e, P f, P g, U h, P i, P j),
       (a, b, c, d, e, f, g, h, i, j))
STATUS(clEnqueueMarker, (P a, P b), (a, b))
STATUS(clEnqueueMarkerWithWaitList, (P a, U b, P c, P d), (a, b, c, d))
STATUS(clEnqueueWaitForEvents, (P a, U b, P c), (a, b, c))
STATUS(clEnqueueBarrierWithWaitList, (P a, U b, P c, P d), (a, b, c, d))
STATUS(clEnqueueSVMFree, (P a, U b, P c, P d, P e, U f, P g, P h), (a, b, c, d, e, f, g, h))
STATUS(clEnqueueSVMMemcpy, (P a, U b, P c, P d, Z e, U f, P g, P h), (a, b, c, d, e, f, g, h))
STATUS(clEnqueueSVMMemFill, (P a, P b, P c, Z d, Z e, U f, P g, P h), (a, b, c, d, e, f, g, h))
STATUS(clEnqueueSVMMap, (P a, U b, L c, P d, Z e, U f, P g, P h), (a, b, c, d, e, f, g, h))
STATUS(clEnqueueSVMUnmap, (P a, P b, U c, P d, P e), (a, b, c, d, e))
STATUS(clEnqueueSVMMigrateMem, (P a, U b, P c, P d, L e, U f, P g, P h), (a, b, c, d, e, f, g, h))
STATUS(clEnqueueBarrier, (P a), (a))
POINTER(clGetExtensionFunctionAddress, (P a), (a))
POINTER(clGetExtensionFunctionAddressForPlatform, (P a, P b), (a, b))
HANDLE(clCreateFromGLBuffer, (P a, L b, U c, I *error), (a, b, c, error))
HANDLE(clCreateFromGLTexture, (P a, L b, U c, I d, U e, I *error), (a, b, c, d, e, error))
STATUS(clGetGLObjectInfo, (P a, P b, P c), (a, b, c))
STATUS(clGetGLTextureInfo, (P a, U b, Z c, P d, P e), (a, b, c, d, e))
HANDLE(clCreateFromGLRenderbuffer, (P a, L b, U c, I *error), (a, b, c, error))
STATUS(clEnqueueAcquireGLObjects, (P a, U b, P c, U d, P e, P f), (a, b, c, d, e, f))
STATUS(clEnqueueReleaseGLObjects, (P a, U b, P c, U d, P e, P f), (a, b, c, d, e, f))
STATUS(clGetGLContextInfoKHR, (P a, U b, Z c, P d, P e), (a, b, c, d, e))
HANDLE(clCreateFromGLTexture2D, (P a, L b, U c, I d, U e, I *error), (a, b, c, d, e, error))
HANDLE(clCreateFromGLTexture3D, (P a, L b, U c, I d, U e, I *error), (a, b, c, d, e, error))
