// Contexts, and which one is current on a thread.

typedef int CUdevice;

struct Context {
    CUdevice device;
    bool is_primary;
    unsigned flags;
    int retained; // how often, for a primary one
    std::set<Context *> peers;
    std::map<int, size_t> limits;
};

static const int MOST_DEVICES = 8;
static Handles<Context> contexts;
static Context *primary[MOST_DEVICES];
static unsigned primary_flags[MOST_DEVICES];
static thread_local std::vector<Context *> *of_thread = nullptr;

static int device_count() { return std::min(number_setting("FAKE_CUDA_DEVICES", 2), MOST_DEVICES); }
static bool is_device(CUdevice device) { return device >= 0 && device < device_count(); }

static std::vector<Context *> &stack() {
    if (!of_thread) of_thread = new std::vector<Context *>;
    return *of_thread;
}

static Context *current() { return stack().empty() ? nullptr : stack().back(); }
static bool thread_captures(); // streams.hpp
static void invalidate_captures();
static void context_goes(Context *context);

static int precondition(Needs needs) {
    if (needs == NOTHING) return SUCCESS;
    if (!is_initialised) return NOT_INITIALIZED;
    if (needs == INITIALISED) return SUCCESS;
    if (lost) return lost;
    Context *context = current();
    if (!context) return INVALID_CONTEXT;
    if (!contexts.has(context)) return CONTEXT_IS_DESTROYED;
    if (needs == UNCAPTURED && thread_captures()) {
        invalidate_captures();
        return STREAM_CAPTURE_UNSUPPORTED;
    }
    return SUCCESS;
}

static void destroy_context(Context *context) {
    context_goes(context);
    contexts.remove(context);
}

API cuDevicePrimaryCtxRetain(Context **context, CUdevice device) {
    CALL(INITIALISED, "%d", device);
    REQUIRE(context);
    if (!is_device(device)) return call.misuse(INVALID_DEVICE, "no such device");
    if (!primary[device]) primary[device] = contexts.make(Context{device, true, primary_flags[device], 0, {}, {}});
    primary[device]->retained++;
    *context = primary[device];
    call.says("-> %p", (void *)*context);
    DONE;
}

API cuDevicePrimaryCtxRelease_v2(CUdevice device) {
    CALL(INITIALISED, "%d", device);
    if (!is_device(device)) return call.misuse(INVALID_DEVICE, "no such device");
    if (!primary[device]) return call.misuse(INVALID_CONTEXT, "released more often than retained");
    if (--primary[device]->retained == 0) {
        destroy_context(primary[device]);
        primary[device] = nullptr;
    }
    DONE;
}

API cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
    CALL(INITIALISED, "%d", device);
    REQUIRE(flags && active);
    if (!is_device(device)) return call.misuse(INVALID_DEVICE, "no such device");
    *flags = primary_flags[device];
    *active = primary[device] != nullptr;
    DONE;
}

API cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
    CALL(INITIALISED, "%d 0x%x", device, flags);
    if (!is_device(device)) return call.misuse(INVALID_DEVICE, "no such device");
    REQUIRE(flags < 256);
    primary_flags[device] = flags;
    if (primary[device]) primary[device]->flags = flags;
    DONE;
}

API cuDevicePrimaryCtxReset_v2(CUdevice device) {
    CALL(INITIALISED, "%d", device);
    if (!is_device(device)) return call.misuse(INVALID_DEVICE, "no such device");
    if (primary[device]) context_goes(primary[device]);
    DONE;
}

static int create_context(Call &call, Context **context, unsigned flags, CUdevice device) {
    REQUIRE(context);
    if (!is_device(device)) return call.misuse(INVALID_DEVICE, "no such device");
    REQUIRE(flags < 256);
    *context = contexts.make(Context{device, false, flags, 0, {}, {}});
    stack().push_back(*context);
    call.says("-> %p", (void *)*context);
    DONE;
}

API cuCtxCreate_v2(Context **context, unsigned flags, CUdevice device) {
    CALL(INITIALISED, "device %d flags 0x%x", device, flags);
    return create_context(call, context, flags, device);
}

#ifndef OLD_DRIVER
API cuCtxCreate_v3(Context **context, void *, int, unsigned flags, CUdevice device) {
    CALL(INITIALISED, "device %d flags 0x%x", device, flags);
    return create_context(call, context, flags, device);
}

API cuCtxCreate_v4(Context **context, void *, unsigned flags, CUdevice device) {
    CALL(INITIALISED, "device %d flags 0x%x", device, flags);
    return create_context(call, context, flags, device);
}
#endif

API cuCtxDestroy_v2(Context *context) {
    CALL(INITIALISED, "%p", (void *)context);
    if (!contexts.has(context)) return call.misuse(INVALID_CONTEXT, "no context, or destroyed before");
    if (context->is_primary) return call.misuse(INVALID_CONTEXT, "a primary context is released instead");
    if (current() == context) stack().pop_back();
    destroy_context(context);
    DONE;
}

API cuCtxSetCurrent(Context *context) {
    CALL(INITIALISED, "%p", (void *)context);
    if (context && !contexts.has(context)) return call.misuse(INVALID_CONTEXT, "no context, or destroyed before");
    if (!stack().empty()) stack().pop_back();
    if (context) stack().push_back(context);
    DONE;
}

API cuCtxGetCurrent(Context **context) {
    QUIET_CALL(INITIALISED);
    REQUIRE(context);
    *context = current();
    DONE;
}

API cuCtxPushCurrent_v2(Context *context) {
    CALL(INITIALISED, "%p", (void *)context);
    if (!contexts.has(context)) return call.misuse(INVALID_CONTEXT, "no context, or destroyed before");
    stack().push_back(context);
    DONE;
}

API cuCtxPopCurrent_v2(Context **context) {
    QUIET_CALL(INITIALISED);
    if (stack().empty()) return call.misuse(INVALID_CONTEXT, "nothing to pop");
    if (context) *context = stack().back();
    stack().pop_back();
    DONE;
}

API cuCtxGetDevice(CUdevice *device) {
    QUIET_CALL(INITIALISED);
    REQUIRE(device);
    if (!current()) return call.done(INVALID_CONTEXT);
    *device = current()->device;
    DONE;
}

API cuCtxGetFlags(unsigned *flags) {
    QUIET_CALL(CURRENT);
    REQUIRE(flags);
    *flags = current()->flags;
    DONE;
}

API cuCtxGetApiVersion(Context *context, unsigned *version) {
    CALL(INITIALISED, "%p", (void *)context);
    REQUIRE(version);
    if (context && !contexts.has(context)) return call.misuse(INVALID_CONTEXT, "no context, or destroyed before");
    *version = 3020;
    DONE;
}

// Stack size, printf's FIFO, malloc's heap, depth and count of nested launches, L2 fetch, persisting L2.
static const size_t DEFAULT_LIMITS[] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};

API cuCtxGetLimit(size_t *value, int limit) {
    CALL(CURRENT, "%d", limit);
    REQUIRE(value);
    if (limit < 0 || limit > 6) return call.done(UNSUPPORTED_LIMIT);
    auto set = current()->limits.find(limit);
    *value = set == current()->limits.end() ? DEFAULT_LIMITS[limit] : set->second;
    DONE;
}

API cuCtxSetLimit(int limit, size_t value) {
    CALL(CURRENT, "%d %zu", limit, value);
    if (limit < 0 || limit > 6) return call.done(UNSUPPORTED_LIMIT);
    current()->limits[limit] = value;
    DONE;
}

API cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    QUIET_CALL(CURRENT);
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    DONE;
}

API cuCtxSetCacheConfig(int config) { CALL(CURRENT, "%d", config); DONE; }
API cuCtxGetCacheConfig(int *config) { QUIET_CALL(CURRENT); REQUIRE(config); *config = 0; DONE; }
API cuCtxResetPersistingL2Cache() { QUIET_CALL(CURRENT); DONE; }

API cuCtxEnablePeerAccess(Context *peer, unsigned flags) {
    CALL(CURRENT, "%p", (void *)peer);
    REQUIRE(flags == 0);
    if (!contexts.has(peer)) return call.misuse(INVALID_CONTEXT, "no context, or destroyed before");
    if (peer->device == current()->device) return call.misuse(INVALID_CONTEXT, "a peer is another device's context");
    if (!current()->peers.insert(peer).second) return call.done(PEER_ACCESS_ALREADY_ENABLED);
    DONE;
}

API cuCtxDisablePeerAccess(Context *peer) {
    CALL(CURRENT, "%p", (void *)peer);
    if (!contexts.has(peer)) return call.misuse(INVALID_CONTEXT, "no context, or destroyed before");
    if (!current()->peers.erase(peer)) return call.done(PEER_ACCESS_NOT_ENABLED);
    DONE;
}
