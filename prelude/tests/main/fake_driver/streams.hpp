// Streams and events. Work is done at once; what a real driver might do later
// or out of order is seen by clocks: each stream counts its operations, and
// knows how far it comes after each other stream. Two that touch the same
// bytes, one of them writing, without one coming after the other are a hazard.
#include <chrono>

struct Stream;
typedef std::map<int, long> Clock; // operations of each stream that lie before

struct Access {
    u64 first, end;
    char kind; // 'r'ead, 'w'rite, or '?' for a kernel that nobody knows
    int stream;
    long at;
    std::string what;
};

struct Node {
    int kind; // as the driver numbers them: 0 kernel, 1 copy, 2 set, 3 host, 6 wait, 7 record, 10 allocate, 11 free
    std::vector<Access> accesses;
    std::function<void()> run;
};

struct Graph {
    std::vector<Node *> nodes;
};

struct Capture {
    Graph *graph;
    Stream *origin;
    int mode; // 0 global, 1 of the thread, 2 relaxed
    bool is_valid;
    std::thread::id thread;
    u64 number;
};

struct Stream {
    Context *context;
    unsigned flags;
    int priority;
    int number;
    Capture *capture;
    Clock clock;
    Clock captured; // the same for what is captured
    bool is_blocking() const { return (flags & 1) == 0; }
};

struct Event {
    Context *context;
    unsigned flags;
    bool is_recorded;
    std::chrono::steady_clock::time_point time;
    Clock clock;
    Capture *capture;
};

static Handles<Stream> streams;
static Handles<Event> events;
static Handles<Graph> graphs;
static auto &default_streams = *new std::map<Context *, Stream *>;
static auto &thread_streams = *new std::map<std::pair<Context *, std::thread::id>, Stream *>;
static auto &captures = *new std::set<Capture *>;
static auto &host_clock = *new Clock; // what the host has waited for
static int stream_count = 0;
static thread_local int capture_mode = 0; // cuThreadExchangeStreamCaptureMode

static void join(Clock &clock, const Clock &other) {
    for (auto &each : other)
        if (clock[each.first] < each.second) clock[each.first] = each.second;
}

static Stream *new_stream(Context *context, unsigned flags, int priority) {
    return streams.make(Stream{context, flags, priority, stream_count++, nullptr, {}, {}});
}

static Stream *default_stream(Context *context) {
    Stream *&stream = default_streams[context];
    if (!stream) stream = new_stream(context, 0, 0);
    return stream;
}

// The stream of a handle: 0 and 1 are the legacy default stream, 2 the thread's.
static Stream *resolve(Stream *handle) {
    if ((u64)handle < 2) return default_stream(current());
    if ((u64)handle == 2) {
        Stream *&stream = thread_streams[{current(), std::this_thread::get_id()}];
        if (!stream) stream = new_stream(current(), 0, 0);
        return stream;
    }
    return streams.has(handle) && handle->context == current() ? handle : nullptr;
}

static bool is_default(Stream *stream) { return stream == default_stream(stream->context); }

// How the log names it: 0 for the default stream, else its address.
static std::string name(Stream *handle) {
    return (u64)handle < 3 ? format("%d", (int)(u64)handle) : format("%p", (void *)handle);
}

static bool thread_captures() {
    if (capture_mode == 2) return false;
    for (Capture *capture : captures)
        if (capture->mode == 0 || (capture->mode == 1 && capture->thread == std::this_thread::get_id())) return true;
    return false;
}

static void invalidate_captures() {
    for (Capture *capture : captures) capture->is_valid = false;
}

// Brings a stream's clock up to what its next operation comes after.
static void order(Stream *stream) {
    join(stream->clock, host_clock);
    if (!stream->is_blocking()) return;
    if (!is_default(stream)) return join(stream->clock, default_stream(stream->context)->clock);
    for (Stream *other : streams.all)
        if (other->context == stream->context && other->is_blocking()) join(stream->clock, other->clock);
}

static void touch(const Access &access, const Clock &clock); // memory.hpp

// Does work on a stream, or adds it to the graph that is being captured.
static int enqueue(Call &call, Stream *stream, int kind, std::vector<Access> accesses, std::function<void()> run) {
    for (Access &access : accesses) access.what = call.name + call.text;
    if (stream->capture) {
        if (!stream->capture->is_valid) return call.done(STREAM_CAPTURE_INVALIDATED);
        stream->capture->graph->nodes.push_back(new Node{kind, accesses, run});
        stream->captured[stream->number]++;
        return call.done(SUCCESS);
    }
    if (is_default(stream))
        for (Capture *capture : captures)
            if (capture->origin->context == stream->context && capture->origin->is_blocking()) {
                capture->is_valid = false;
                return call.misuse(STREAM_CAPTURE_IMPLICIT, "the default stream while a blocking one is captured");
            }
    order(stream);
    long at = ++stream->clock[stream->number];
    for (Access &access : accesses) {
        access.stream = stream->number;
        access.at = at;
        touch(access, stream->clock);
    }
    run();
    return call.done(SUCCESS);
}

// The host waits for a stream.
static void wait_for(Stream *stream) {
    order(stream);
    join(host_clock, stream->clock);
}

static void wait_for_all(Context *context) {
    for (Stream *stream : streams.all)
        if (stream->context == context) join(host_clock, stream->clock);
}

#define STREAM(stream, handle) \
    Stream *stream = resolve(handle); \
    if (!stream) return call.misuse(INVALID_HANDLE, "no stream of this context, or destroyed before")
// One that is not captured, for what waits.
#define IDLE_STREAM(stream, handle) \
    STREAM(stream, handle); \
    if (stream->capture) { \
        stream->capture->is_valid = false; \
        return call.done(STREAM_CAPTURE_UNSUPPORTED); \
    }
#define EVENT(event) \
    if (!events.has(event)) return call.misuse(INVALID_HANDLE, "no event, or destroyed before")

static int create_stream(Call &call, Stream **stream, unsigned flags, int priority) {
    REQUIRE(stream && flags < 2);
    *stream = new_stream(current(), flags, std::max(-5, std::min(0, priority)));
    call.says("-> %p", (void *)*stream);
    DONE;
}

API cuStreamCreate(Stream **stream, unsigned flags) {
    CALL(CURRENT, "flags %u", flags);
    return create_stream(call, stream, flags, 0);
}

API cuStreamCreateWithPriority(Stream **stream, unsigned flags, int priority) {
    CALL(CURRENT, "flags %u priority %d", flags, priority);
    return create_stream(call, stream, flags, priority);
}

API cuStreamDestroy_v2(Stream *stream) {
    CALL(CURRENT, "%s", name(stream).c_str());
    if ((u64)stream < 3 || !streams.has(stream)) return call.misuse(INVALID_HANDLE, "no stream, or destroyed before");
    if (stream->capture) stream->capture->is_valid = false;
    streams.remove(stream);
    DONE;
}

API cuStreamSynchronize(Stream *handle) {
    CALL(CURRENT, "%s", name(handle).c_str());
    IDLE_STREAM(stream, handle);
    wait_for(stream);
    DONE;
}

API cuStreamQuery(Stream *handle) {
    CALL(CURRENT, "%s", name(handle).c_str());
    IDLE_STREAM(stream, handle);
    wait_for(stream);
    DONE;
}

API cuCtxSynchronize() {
    QUIET_CALL(UNCAPTURED);
    wait_for_all(current());
    DONE;
}

API cuStreamGetPriority(Stream *handle, int *priority) {
    CALL(CURRENT, "%s", name(handle).c_str());
    REQUIRE(priority);
    STREAM(stream, handle);
    *priority = stream->priority;
    DONE;
}

API cuStreamGetFlags(Stream *handle, unsigned *flags) {
    CALL(CURRENT, "%s", name(handle).c_str());
    REQUIRE(flags);
    STREAM(stream, handle);
    *flags = stream->flags;
    DONE;
}

API cuStreamGetCtx(Stream *handle, Context **context) {
    CALL(CURRENT, "%s", name(handle).c_str());
    REQUIRE(context);
    if ((u64)handle > 2 && !streams.has(handle)) return call.misuse(INVALID_HANDLE, "no stream, or destroyed before");
    *context = (u64)handle > 2 ? handle->context : current();
    DONE;
}

API cuStreamGetId(Stream *handle, unsigned long long *number) {
    CALL(CURRENT, "%s", name(handle).c_str());
    REQUIRE(number);
    STREAM(stream, handle);
    *number = (unsigned long long)stream->number;
    DONE;
}

// Callbacks run on a thread of the driver's, which may call nothing of it.
static void call_back(std::function<void()> function) {
    std::thread([&] {
        in_callback = true;
        function();
    }).join();
}

API cuStreamAddCallback(Stream *handle, void (*function)(Stream *, CUresult, void *), void *data, unsigned flags) {
    CALL(CURRENT, "%s", name(handle).c_str());
    REQUIRE(function && flags == 0);
    IDLE_STREAM(stream, handle);
    return enqueue(call, stream, 3, {}, [=] { call_back([=] { function(handle, SUCCESS, data); }); });
}

API cuLaunchHostFunc(Stream *handle, void (*function)(void *), void *data) {
    CALL(CURRENT, "%s", name(handle).c_str());
    REQUIRE(function);
    STREAM(stream, handle);
    return enqueue(call, stream, 3, {}, [=] { call_back([=] { function(data); }); });
}

API cuEventCreate(Event **event, unsigned flags) {
    CALL(CURRENT, "flags %u", flags);
    REQUIRE(event && flags < 8);
    *event = events.make(Event{current(), flags, false, {}, {}, nullptr});
    call.says("-> %p", (void *)*event);
    DONE;
}

API cuEventDestroy_v2(Event *event) {
    CALL(CURRENT, "%p", (void *)event);
    if (!events.remove(event)) return call.misuse(INVALID_HANDLE, "no event, or destroyed before");
    DONE;
}

static int record(Call &call, Event *event, Stream *handle) {
    EVENT(event);
    STREAM(stream, handle);
    if (event->context != stream->context) return call.misuse(INVALID_HANDLE, "an event of another context");
    event->capture = stream->capture;
    if (stream->capture) {
        if (!stream->capture->is_valid) return call.done(STREAM_CAPTURE_INVALIDATED);
        event->clock = stream->captured;
        DONE;
    }
    order(stream);
    event->clock = stream->clock;
    event->time = std::chrono::steady_clock::now();
    event->is_recorded = true;
    DONE;
}

API cuEventRecord(Event *event, Stream *handle) {
    CALL(CURRENT, "%p stream %s", (void *)event, name(handle).c_str());
    return record(call, event, handle);
}

#ifndef OLD_DRIVER
API cuEventRecordWithFlags(Event *event, Stream *handle, unsigned flags) {
    CALL(CURRENT, "%p stream %s flags %u", (void *)event, name(handle).c_str(), flags);
    REQUIRE(flags < 2);
    return record(call, event, handle);
}
#endif

static int wait_for_event(Call &call, Event *event) {
    EVENT(event);
    if (event->capture && captures.count(event->capture)) return call.done(CAPTURED_EVENT);
    join(host_clock, event->clock);
    DONE;
}

API cuEventSynchronize(Event *event) {
    CALL(CURRENT, "%p", (void *)event);
    return wait_for_event(call, event);
}

API cuEventQuery(Event *event) {
    CALL(CURRENT, "%p", (void *)event);
    return wait_for_event(call, event);
}

static int elapsed(Call &call, float *milliseconds, Event *from, Event *to) {
    REQUIRE(milliseconds);
    EVENT(from);
    EVENT(to);
    if (((from->flags | to->flags) & 2) || !from->is_recorded || !to->is_recorded || from->context != to->context)
        return call.done(INVALID_HANDLE);
    *milliseconds = std::chrono::duration<float, std::milli>(to->time - from->time).count();
    DONE;
}

API cuEventElapsedTime(float *milliseconds, Event *from, Event *to) {
    CALL(CURRENT, "%p %p", (void *)from, (void *)to);
    return elapsed(call, milliseconds, from, to);
}

#ifndef OLD_DRIVER
API cuEventElapsedTime_v2(float *milliseconds, Event *from, Event *to) {
    CALL(CURRENT, "%p %p", (void *)from, (void *)to);
    return elapsed(call, milliseconds, from, to);
}
#endif

API cuStreamWaitEvent(Stream *handle, Event *event, unsigned flags) {
    CALL(CURRENT, "%s %p", name(handle).c_str(), (void *)event);
    REQUIRE(flags < 2);
    EVENT(event);
    STREAM(stream, handle);
    if (event->capture && captures.count(event->capture)) {
        if (is_default(stream)) return call.misuse(STREAM_CAPTURE_IMPLICIT, "the default stream cannot be captured");
        if (stream->capture && stream->capture != event->capture) return call.done(STREAM_CAPTURE_MERGE);
        stream->capture = event->capture;
        join(stream->captured, event->clock);
        DONE;
    }
    if (stream->capture) {
        if (event->is_recorded) {
            stream->capture->is_valid = false;
            return call.done(STREAM_CAPTURE_ISOLATION);
        }
        DONE;
    }
    order(stream);
    join(stream->clock, event->clock);
    DONE;
}
