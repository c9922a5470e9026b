// What all parts share: error codes, the log, injected errors, handles.
#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

typedef int CUresult;
typedef uint64_t u64;
#define API extern "C" __attribute__((visibility("default"))) CUresult

// Each with the sentence of cuGetErrorString.
#define ERRORS(X) \
    X(SUCCESS, 0, "no error") \
    X(INVALID_VALUE, 1, "invalid argument") \
    X(OUT_OF_MEMORY, 2, "out of memory") \
    X(NOT_INITIALIZED, 3, "initialization error") \
    X(DEINITIALIZED, 4, "driver shutting down") \
    X(STUB_LIBRARY, 34, "CUDA driver is a stub library") \
    X(NO_DEVICE, 100, "no CUDA-capable device is detected") \
    X(INVALID_DEVICE, 101, "invalid device ordinal") \
    X(INVALID_IMAGE, 200, "device kernel image is invalid") \
    X(INVALID_CONTEXT, 201, "invalid device context") \
    X(NO_BINARY_FOR_GPU, 209, "no kernel image is available for execution on the device") \
    X(ECC_UNCORRECTABLE, 214, "uncorrectable ECC error encountered") \
    X(UNSUPPORTED_LIMIT, 215, "limit is not supported on this architecture") \
    X(CONTEXT_ALREADY_IN_USE, 216, "exclusive-thread device already in use by a different thread") \
    X(PEER_ACCESS_UNSUPPORTED, 217, "peer access is not supported between these two devices") \
    X(INVALID_PTX, 218, "a PTX JIT compilation failed") \
    X(NVLINK_UNCORRECTABLE, 220, "uncorrectable NVLink error detected during the execution") \
    X(UNSUPPORTED_PTX_VERSION, 222, "the provided PTX was compiled with an unsupported toolchain.") \
    X(CONTAINED, 226, "Invalid access of peer GPU memory over nvlink or a hardware error") \
    X(FILE_NOT_FOUND, 301, "file not found") \
    X(INVALID_HANDLE, 400, "invalid resource handle") \
    X(ILLEGAL_STATE, 401, "the operation cannot be performed in the present state") \
    X(NOT_FOUND, 500, "named symbol not found") \
    X(NOT_READY, 600, "device not ready") \
    X(ILLEGAL_ADDRESS, 700, "an illegal memory access was encountered") \
    X(LAUNCH_OUT_OF_RESOURCES, 701, "too many resources requested for launch") \
    X(LAUNCH_TIMEOUT, 702, "the launch timed out and was terminated") \
    X(PEER_ACCESS_ALREADY_ENABLED, 704, "peer access is already enabled") \
    X(PEER_ACCESS_NOT_ENABLED, 705, "peer access has not been enabled") \
    X(PRIMARY_CONTEXT_ACTIVE, 708, "cannot set while device is active in this process") \
    X(CONTEXT_IS_DESTROYED, 709, "context is destroyed") \
    X(ASSERT, 710, "device-side assert triggered") \
    X(HOST_MEMORY_ALREADY_REGISTERED, 712, "part or all of the requested memory range is already mapped") \
    X(HOST_MEMORY_NOT_REGISTERED, 713, "pointer does not correspond to a registered memory region") \
    X(HARDWARE_STACK_ERROR, 714, "hardware stack error") \
    X(ILLEGAL_INSTRUCTION, 715, "an illegal instruction was encountered") \
    X(MISALIGNED_ADDRESS, 716, "misaligned address") \
    X(INVALID_ADDRESS_SPACE, 717, "operation not supported on global/shared address space") \
    X(INVALID_PC, 718, "invalid program counter") \
    X(LAUNCH_FAILED, 719, "unspecified launch failure") \
    X(COOPERATIVE_LAUNCH_TOO_LARGE, 720, "too many blocks in cooperative launch") \
    X(TENSOR_MEMORY_LEAK, 721, "a tensor memory was not completely freed") \
    X(NOT_PERMITTED, 800, "operation not permitted") \
    X(NOT_SUPPORTED, 801, "operation not supported") \
    X(SYSTEM_NOT_READY, 802, "system not yet initialized") \
    X(SYSTEM_DRIVER_MISMATCH, 803, "system has unsupported display driver / cuda driver combination") \
    X(COMPAT_NOT_SUPPORTED_ON_DEVICE, 804, "forward compatibility was attempted on non supported HW") \
    X(MPS_CLIENT_TERMINATED, 810, "MPS client terminated by the server") \
    X(STREAM_CAPTURE_UNSUPPORTED, 900, "operation not permitted when stream is capturing") \
    X(STREAM_CAPTURE_INVALIDATED, 901, "operation failed due to a previous error during capture") \
    X(STREAM_CAPTURE_MERGE, 902, "operation would result in a merge of separate capture sequences") \
    X(STREAM_CAPTURE_UNMATCHED, 903, "capture was not ended in the same stream as it began") \
    X(STREAM_CAPTURE_UNJOINED, 904, "capturing stream has unjoined work") \
    X(STREAM_CAPTURE_ISOLATION, 905, "dependency created on uncaptured work in another stream") \
    X(STREAM_CAPTURE_IMPLICIT, 906, "operation would make the legacy stream depend on a capturing blocking stream") \
    X(CAPTURED_EVENT, 907, "operation not permitted on an event last recorded in a capturing stream") \
    X(STREAM_CAPTURE_WRONG_THREAD, 908, "attempt to terminate a thread-local capture sequence from another thread") \
    X(GRAPH_EXEC_UPDATE_FAILURE, 910, "the graph update was not performed because of violated constraints") \
    X(UNKNOWN, 999, "unknown error")

#define AS_CODE(name, code, text) name = code,
enum Code : int { ERRORS(AS_CODE) };

// After one of these every later call fails the same way.
static bool is_sticky(int code) {
    switch (code) {
    case ECC_UNCORRECTABLE: case ILLEGAL_ADDRESS: case LAUNCH_TIMEOUT: case ASSERT: case HARDWARE_STACK_ERROR:
    case ILLEGAL_INSTRUCTION: case MISALIGNED_ADDRESS: case INVALID_ADDRESS_SPACE: case INVALID_PC:
    case LAUNCH_FAILED: case NVLINK_UNCORRECTABLE: case CONTAINED: case TENSOR_MEMORY_LEAK:
    case MPS_CLIENT_TERMINATED: return true;
    default: return false;
    }
}

// What is global here is never destroyed: threads of the program's may still
// call the driver while the process ends.
static auto &state_lock = *new std::recursive_mutex;
static thread_local bool in_callback = false; // A stream's callback may call nothing.
static bool is_initialised = false;
static int lost = SUCCESS; // The sticky error, once there is one.

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : nullptr;
}

static int number_setting(const char *name, int otherwise) {
    const char *value = setting(name);
    return value ? atoi(value) : otherwise;
}

static std::string format_list(const char *format, va_list list) {
    char text[2048];
    vsnprintf(text, sizeof text, format, list);
    return text;
}

static std::string format(const char *format, ...) {
    va_list list;
    va_start(list, format);
    std::string text = format_list(format, list);
    va_end(list);
    return text;
}

static void log_line(std::string line) {
    static int file = [] {
        const char *path = setting("FAKE_CUDA_LOG");
        return path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    }();
    if (file < 0) return;
    line += '\n';
    if (write(file, line.data(), line.size()) < 0) {}
}

// What the driver has to remark: `# misuse`, `# hazard`, `# lost`, `# left`.
static void remark(const char *text, ...) {
    va_list list;
    va_start(list, text);
    log_line("# " + format_list(text, list));
    va_end(list);
}

// Splits "a=1;b=2".
static std::map<std::string, std::string> pairs(const char *text, char separator) {
    std::map<std::string, std::string> found;
    std::string rest = text ? text : "";
    while (!rest.empty()) {
        size_t end = rest.find(separator);
        std::string item = rest.substr(0, end);
        size_t equals = item.find('=');
        if (equals != std::string::npos) found[item.substr(0, equals)] = item.substr(equals + 1);
        rest = end == std::string::npos ? "" : rest.substr(end + 1);
    }
    return found;
}

static std::vector<size_t> numbers(const std::string &text) {
    std::vector<size_t> found;
    for (const char *at = text.c_str(); *at;) {
        char *end;
        found.push_back(strtoull(at, &end, 10));
        if (end == at) break;
        at = *end == ',' ? end + 1 : end;
    }
    return found;
}

// The error that the test wants of this call, if any.
static int injected(const char *name) {
    struct Wish { int code; long first; bool onwards; };
    static auto &wishes = *[] {
        auto &all = *new std::multimap<std::string, Wish>;
        std::string rest = setting("FAKE_CUDA_FAIL") ? setting("FAKE_CUDA_FAIL") : "";
        while (!rest.empty()) {
            size_t end = rest.find(',');
            std::string item = rest.substr(0, end);
            rest = end == std::string::npos ? "" : rest.substr(end + 1);
            char function[128];
            Wish wish{0, 1, item.back() == '+'};
            if (sscanf(item.c_str(), "%127[^=]=%d@%ld", function, &wish.code, &wish.first) < 2) {
                fprintf(stderr, "FAKE_CUDA_FAIL cannot be read: %s\n", item.c_str());
                _exit(99);
            }
            all.insert({function, wish});
        }
        return &all;
    }();
    static auto &counts = *new std::map<std::string, long>;
    if (wishes.empty()) return SUCCESS;
    long count = ++counts[name];
    auto range = wishes.equal_range(name);
    for (auto each = range.first; each != range.second; ++each)
        if (count == each->second.first || (count > each->second.first && each->second.onwards))
            return each->second.code;
    return SUCCESS;
}

// What must be so before a function can be called.
enum Needs {
    NOTHING,      // at any time
    INITIALISED,  // after cuInit
    CURRENT,      // with a context that is current, and no sticky error
    UNCAPTURED,   // as before, and not while this thread captures a stream
};

static int precondition(Needs needs); // contexts.hpp

// One call of a function: locks, counts, fails as the test wishes, and writes
// its line when it is done.
struct Call {
    std::unique_lock<std::recursive_mutex> lock;
    const char *name;
    std::string text;
    int code;

    Call(const char *name, Needs needs) : name(name) {
        if (in_callback) { // whoever waits for it has the lock
            code = needs == NOTHING ? SUCCESS : NOT_PERMITTED;
            return;
        }
        lock = std::unique_lock<std::recursive_mutex>(state_lock);
        code = precondition(needs);
        if (code == SUCCESS && (code = injected(name)) && is_sticky(code)) lost = code;
    }

    void says(const char *words, ...) {
        va_list list;
        va_start(list, words);
        text += " " + format_list(words, list);
        va_end(list);
    }

    int done(int result) {
        log_line(name + text + (result ? format(" !%d", result) : ""));
        return result;
    }

    // For what is a mistake of the program's and should never be seen.
    int misuse(int result, const char *why) {
        remark("misuse %s%s: %s", name, text.c_str(), why);
        return done(result);
    }
};

// Begins every function; the rest are its arguments for the log.
#define CALL(needs, ...) \
    Call call(__func__, needs); \
    call.says(__VA_ARGS__); \
    if (call.code) return call.done(call.code)
#define QUIET_CALL(needs) \
    Call call(__func__, needs); \
    if (call.code) return call.done(call.code)
// An argument that must not be null and so on.
#define REQUIRE(condition) \
    if (!(condition)) return call.misuse(INVALID_VALUE, "not " #condition)
#define REQUIRE_HANDLE(condition) \
    if (!(condition)) return call.misuse(INVALID_HANDLE, "not " #condition)
#define DONE return call.done(SUCCESS)

// Handles are addresses of objects that are never deleted, so that one which
// was destroyed is never taken for a new one.
template <class T> struct Handles {
    std::set<T *> &all = *new std::set<T *>;

    template <class... Arguments> T *make(Arguments... arguments) {
        T *object = new T{arguments...};
        all.insert(object);
        return object;
    }

    bool has(const T *object) const { return all.count(const_cast<T *>(object)) > 0; }
    bool remove(T *object) { return all.erase(object) > 0; }
};

API cuGetErrorString(CUresult code, const char **text) {
    QUIET_CALL(NOTHING);
    REQUIRE(text);
#define AS_TEXT(name, number, sentence) \
    case number: *text = sentence; return SUCCESS;
    switch (code) { ERRORS(AS_TEXT) }
    *text = nullptr;
    return INVALID_VALUE;
}

API cuGetErrorName(CUresult code, const char **text) {
    QUIET_CALL(NOTHING);
    REQUIRE(text);
#define AS_NAME(name, number, sentence) \
    case number: *text = number ? "CUDA_ERROR_" #name : "CUDA_SUCCESS"; return SUCCESS;
    switch (code) { ERRORS(AS_NAME) }
    *text = nullptr;
    return INVALID_VALUE;
}

API cuInit(unsigned flags) {
    CALL(NOTHING, "%u", flags);
    REQUIRE(flags == 0);
    if (number_setting("FAKE_CUDA_DEVICES", 2) == 0) return call.done(NO_DEVICE);
    is_initialised = true;
    DONE;
}

API cuDriverGetVersion(int *version) {
    QUIET_CALL(NOTHING);
    REQUIRE(version);
#ifdef OLD_DRIVER
    *version = number_setting("FAKE_CUDA_VERSION", 11010);
#else
    *version = number_setting("FAKE_CUDA_VERSION", 13000);
#endif
    DONE;
}

// NVRTC asks for one of these private tables and does without.
API cuGetExportTable(const void **table, const void *) {
    if (table) *table = nullptr;
    return NOT_FOUND;
}

API cuProfilerStart() { QUIET_CALL(CURRENT); DONE; }
API cuProfilerStop() { QUIET_CALL(CURRENT); DONE; }
