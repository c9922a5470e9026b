// Captured work and graphs, and what is left at the end of the process.

struct GraphExec { Context *context; std::vector<Node *> nodes; };
static Handles<GraphExec> executables;

API cuThreadExchangeStreamCaptureMode(int *mode) {
    QUIET_CALL(INITIALISED);
    REQUIRE(mode && *mode >= 0 && *mode < 3);
    std::swap(*mode, capture_mode);
    DONE;
}

API cuStreamBeginCapture_v2(Stream *handle, int mode) {
    CALL(CURRENT, "%s mode %d", name(handle).c_str(), mode);
    REQUIRE(mode >= 0 && mode < 3);
    static u64 number = 0;
    if ((u64)handle < 2) return call.done(STREAM_CAPTURE_UNSUPPORTED);
    STREAM(stream, handle);
    if (stream->capture) return call.misuse(ILLEGAL_STATE, "the stream is being captured");
    stream->capture = new Capture{graphs.make(Graph{}), stream, mode, true, std::this_thread::get_id(), ++number};
    stream->captured.clear();
    captures.insert(stream->capture);
    DONE;
}

API cuStreamEndCapture(Stream *handle, Graph **graph) {
    CALL(CURRENT, "%s", name(handle).c_str());
    REQUIRE(graph);
    *graph = nullptr;
    STREAM(stream, handle);
    Capture *capture = stream->capture;
    if (!capture) return call.misuse(ILLEGAL_STATE, "the stream is not being captured");
    if (capture->origin != stream) return call.done(STREAM_CAPTURE_UNMATCHED);
    if (capture->mode != 2 && capture->thread != std::this_thread::get_id())
        return call.done(STREAM_CAPTURE_WRONG_THREAD);
    bool is_joined = true;
    for (Stream *other : streams.all)
        if (other->capture == capture) {
            is_joined = is_joined && stream->captured[other->number] >= other->captured[other->number];
            other->capture = nullptr;
        }
    captures.erase(capture);
    if (!capture->is_valid || !is_joined) {
        graphs.remove(capture->graph);
        return call.done(capture->is_valid ? STREAM_CAPTURE_UNJOINED : STREAM_CAPTURE_INVALIDATED);
    }
    *graph = capture->graph;
    call.says("-> %p nodes %zu", (void *)*graph, capture->graph->nodes.size());
    DONE;
}

API cuStreamIsCapturing(Stream *handle, int *status) {
    CALL(CURRENT, "%s", name(handle).c_str());
    REQUIRE(status);
    STREAM(stream, handle);
    *status = !stream->capture ? 0 : stream->capture->is_valid ? 1 : 2;
    DONE;
}

static int capture_info(Call &call, Stream *handle, int *status, u64 *number, Graph **graph, Node ***dependencies,
                        size_t *count) {
    REQUIRE(status);
    STREAM(stream, handle);
    *status = !stream->capture ? 0 : stream->capture->is_valid ? 1 : 2;
    if (*status == 1) {
        auto &nodes = stream->capture->graph->nodes;
        if (number) *number = stream->capture->number;
        if (graph) *graph = stream->capture->graph;
        if (dependencies) *dependencies = nodes.empty() ? nullptr : &nodes.back();
        if (count) *count = nodes.empty() ? 0 : 1;
    }
    DONE;
}

API cuStreamGetCaptureInfo_v2(Stream *handle, int *status, u64 *number, Graph **graph, Node ***dependencies,
                              size_t *count) {
    CALL(CURRENT, "%s", name(handle).c_str());
    return capture_info(call, handle, status, number, graph, dependencies, count);
}

API cuStreamGetCaptureInfo_v3(Stream *handle, int *status, u64 *number, Graph **graph, Node ***dependencies,
                              const void **edges, size_t *count) {
    CALL(CURRENT, "%s", name(handle).c_str());
    if (edges) *edges = nullptr;
    return capture_info(call, handle, status, number, graph, dependencies, count);
}

#define GRAPH(graph) \
    if (!graphs.has(graph)) return call.misuse(INVALID_VALUE, "no graph, or destroyed before")
#define EXECUTABLE(graph) \
    if (!executables.has(graph)) return call.misuse(INVALID_VALUE, "no executable graph, or destroyed before")

API cuGraphCreate(Graph **graph, unsigned flags) {
    CALL(INITIALISED, "%u", flags);
    REQUIRE(graph && flags == 0);
    *graph = graphs.make(Graph{});
    DONE;
}

API cuGraphGetNodes(Graph *graph, Node **nodes, size_t *count) {
    CALL(INITIALISED, "%p", (void *)graph);
    REQUIRE(count);
    GRAPH(graph);
    size_t room = *count, all = graph->nodes.size();
    if (nodes)
        for (size_t i = 0; i < room; i++) nodes[i] = i < all ? graph->nodes[i] : nullptr;
    *count = nodes ? std::min(room, all) : all;
    DONE;
}

API cuGraphNodeGetType(Node *node, int *type) {
    QUIET_CALL(INITIALISED);
    REQUIRE(node && type);
    *type = node->kind;
    DONE;
}

#ifndef OLD_DRIVER
API cuGraphInstantiateWithFlags(GraphExec **executable, Graph *graph, unsigned long long flags) {
    CALL(CURRENT, "%p flags %llu", (void *)graph, flags);
    REQUIRE(executable);
    GRAPH(graph);
    *executable = executables.make(GraphExec{current(), graph->nodes});
    call.says("-> %p", (void *)*executable);
    DONE;
}

struct UpdateResult { int result; Node *node, *from; };

API cuGraphExecUpdate_v2(GraphExec *executable, Graph *graph, UpdateResult *result) {
    CALL(CURRENT, "%p %p", (void *)executable, (void *)graph);
    EXECUTABLE(executable);
    GRAPH(graph);
    bool is_alike = executable->nodes.size() == graph->nodes.size();
    for (size_t i = 0; is_alike && i < graph->nodes.size(); i++)
        is_alike = executable->nodes[i]->kind == graph->nodes[i]->kind;
    if (result) *result = UpdateResult{is_alike ? 0 : 2, nullptr, nullptr};
    if (!is_alike) return call.done(GRAPH_EXEC_UPDATE_FAILURE);
    executable->nodes = graph->nodes;
    DONE;
}
#endif

API cuGraphLaunch(GraphExec *executable, Stream *handle) {
    CALL(CURRENT, "%p stream %s", (void *)executable, name(handle).c_str());
    EXECUTABLE(executable);
    STREAM(stream, handle);
    std::vector<Access> accesses;
    for (Node *node : executable->nodes)
        for (Access access : node->accesses) accesses.push_back(access);
    // What the graph uses must be there when it is launched.
    for (Node *node : executable->nodes)
        for (Access &access : node->accesses)
            if (node->kind < 10 && !find(access.first, access.end - access.first)) {
                remark("misuse cuGraphLaunch: memory that has been freed, in %s", access.what.c_str());
                lost = ILLEGAL_ADDRESS;
                DONE;
            }
    std::vector<Node *> nodes = executable->nodes;
    return enqueue(call, stream, 4, accesses, [=] { for (Node *node : nodes) node->run(); });
}

API cuGraphUpload(GraphExec *executable, Stream *handle) {
    CALL(CURRENT, "%p stream %s", (void *)executable, name(handle).c_str());
    EXECUTABLE(executable);
    STREAM(stream, handle);
    (void)stream;
    DONE;
}

API cuGraphExecDestroy(GraphExec *executable) {
    CALL(INITIALISED, "%p", (void *)executable);
    if (!executables.remove(executable)) return call.misuse(INVALID_VALUE, "no executable graph, or destroyed before");
    DONE;
}

API cuGraphDestroy(Graph *graph) {
    CALL(INITIALISED, "%p", (void *)graph);
    if (!graphs.remove(graph)) return call.misuse(INVALID_VALUE, "no graph, or destroyed before");
    DONE;
}

// The last line of the log: what nobody gave back.
__attribute__((destructor)) static void report() {
    std::unique_lock<std::recursive_mutex> lock(state_lock, std::try_to_lock);
    if (!lock) return;
    size_t bytes = 0, memory = 0, host = 0, made_streams = 0;
    for (auto &each : allocations) {
        if (each.second.kind == VARIABLE) continue;
        if (each.second.kind >= PINNED) host++;
        else memory++, bytes += each.second.bytes;
    }
    for (Stream *stream : streams.all) {
        bool is_made = true;
        for (auto &each : default_streams) is_made = is_made && each.second != stream;
        for (auto &each : thread_streams) is_made = is_made && each.second != stream;
        made_streams += is_made;
    }
    remark("left allocations %zu bytes %zu host %zu streams %zu events %zu modules %zu arrays %zu objects %zu "
           "graphs %zu executables %zu contexts %zu",
           memory, bytes, host, made_streams, events.all.size(), modules.all.size(), arrays.all.size(),
           objects[0].size() + objects[1].size(), graphs.all.size(), executables.all.size(), contexts.all.size());
}
