// Copies and fills.

static int copy(Call &call, Stream *handle, u64 to, u64 from, size_t bytes, std::vector<Access> accesses, bool waits) {
    STREAM(stream, handle);
    if (waits && stream->capture) return call.done(STREAM_CAPTURE_UNSUPPORTED);
    int code = enqueue(call, stream, 1, accesses, [=] { memmove((void *)to, (const void *)from, bytes); });
    if (waits && code == SUCCESS) wait_for(stream);
    return code;
}

// Memory of the host that the device does not know is read before a call
// returns, so it can be no hazard. What was registered can.
static void host_access(std::vector<Access> &accesses, u64 address, size_t bytes, char kind) {
    if (find(address, bytes)) accesses.push_back(access_to(address, bytes, kind));
}

static int to_device(Call &call, u64 to, const void *from, size_t bytes, Stream *handle, bool waits) {
    REQUIRE(from || bytes == 0);
    DEVICE_BYTES(to, bytes);
    std::vector<Access> accesses{access_to(to, bytes, 'w')};
    host_access(accesses, (u64)from, bytes, 'r');
    // Pageable memory is read before an asynchronous call returns.
    return copy(call, handle, to, (u64)from, bytes, accesses, waits);
}

static int from_device(Call &call, void *to, u64 from, size_t bytes, Stream *handle, bool waits) {
    REQUIRE(to || bytes == 0);
    DEVICE_BYTES(from, bytes);
    std::vector<Access> accesses{access_to(from, bytes, 'r')};
    host_access(accesses, (u64)to, bytes, 'w');
    return copy(call, handle, (u64)to, from, bytes, accesses, waits);
}

static int on_device(Call &call, u64 to, u64 from, size_t bytes, Stream *handle) {
    DEVICE_BYTES(to, bytes);
    DEVICE_BYTES(from, bytes);
    return copy(call, handle, to, from, bytes, {access_to(to, bytes, 'w'), access_to(from, bytes, 'r')}, false);
}

API cuMemcpyHtoD_v2(u64 to, const void *from, size_t bytes) {
    CALL(UNCAPTURED, "0x%llx %p %zu", (unsigned long long)to, from, bytes);
    return to_device(call, to, from, bytes, nullptr, true);
}

API cuMemcpyDtoH_v2(void *to, u64 from, size_t bytes) {
    CALL(UNCAPTURED, "%p 0x%llx %zu", to, (unsigned long long)from, bytes);
    return from_device(call, to, from, bytes, nullptr, true);
}

API cuMemcpyDtoD_v2(u64 to, u64 from, size_t bytes) {
    CALL(UNCAPTURED, "0x%llx 0x%llx %zu", (unsigned long long)to, (unsigned long long)from, bytes);
    return on_device(call, to, from, bytes, nullptr);
}

API cuMemcpyHtoDAsync_v2(u64 to, const void *from, size_t bytes, Stream *stream) {
    CALL(CURRENT, "0x%llx %p %zu stream %s", (unsigned long long)to, from, bytes, name(stream).c_str());
    return to_device(call, to, from, bytes, stream, false);
}

API cuMemcpyDtoHAsync_v2(void *to, u64 from, size_t bytes, Stream *stream) {
    CALL(CURRENT, "%p 0x%llx %zu stream %s", to, (unsigned long long)from, bytes, name(stream).c_str());
    return from_device(call, to, from, bytes, stream, false);
}

API cuMemcpyDtoDAsync_v2(u64 to, u64 from, size_t bytes, Stream *stream) {
    CALL(CURRENT, "0x%llx 0x%llx %zu stream %s", (unsigned long long)to, (unsigned long long)from, bytes,
         name(stream).c_str());
    return on_device(call, to, from, bytes, stream);
}

// Addresses of any kind: what is no device's is the host's.
static int copy_any(Call &call, u64 to, u64 from, size_t bytes, Stream *handle, bool waits) {
    std::vector<Access> accesses;
    for (u64 side : {to, from}) {
        if (!find(side, 1) && !freed.count(side)) continue;
        if (const char *why = trouble(side, bytes, true)) return call.misuse(INVALID_VALUE, why);
        accesses.push_back(access_to(side, bytes, side == to ? 'w' : 'r'));
    }
    return copy(call, handle, to, from, bytes, accesses, waits);
}

API cuMemcpy(u64 to, u64 from, size_t bytes) {
    CALL(UNCAPTURED, "0x%llx 0x%llx %zu", (unsigned long long)to, (unsigned long long)from, bytes);
    return copy_any(call, to, from, bytes, nullptr, true);
}

API cuMemcpyAsync(u64 to, u64 from, size_t bytes, Stream *stream) {
    CALL(CURRENT, "0x%llx 0x%llx %zu stream %s", (unsigned long long)to, (unsigned long long)from, bytes,
         name(stream).c_str());
    return copy_any(call, to, from, bytes, stream, false);
}

static int copy_peer(Call &call, u64 to, Context *there, u64 from, Context *here, size_t bytes, Stream *stream) {
    if (!contexts.has(there) || !contexts.has(here)) return call.misuse(INVALID_CONTEXT, "no context");
    Context *owners[] = {there, here};
    u64 sides[] = {to, from};
    for (int i = 0; i < 2; i++) {
        if (const char *why = trouble(sides[i], bytes, true)) return call.misuse(INVALID_VALUE, why);
        if (bytes && find(sides[i], bytes)->context != owners[i])
            return call.misuse(INVALID_VALUE, "memory of another context than is said");
    }
    return copy(call, stream, to, from, bytes, {access_to(to, bytes, 'w'), access_to(from, bytes, 'r')}, false);
}

API cuMemcpyPeer(u64 to, Context *there, u64 from, Context *here, size_t bytes) {
    CALL(UNCAPTURED, "0x%llx %p 0x%llx %p %zu", (unsigned long long)to, (void *)there, (unsigned long long)from,
         (void *)here, bytes);
    return copy_peer(call, to, there, from, here, bytes, nullptr);
}

API cuMemcpyPeerAsync(u64 to, Context *there, u64 from, Context *here, size_t bytes, Stream *stream) {
    CALL(CURRENT, "0x%llx %p 0x%llx %p %zu stream %s", (unsigned long long)to, (void *)there,
         (unsigned long long)from, (void *)here, bytes, name(stream).c_str());
    return copy_peer(call, to, there, from, here, bytes, stream);
}

// Fills: elements of 1, 2 or 4 bytes, in rows.
static int fill(Call &call, u64 to, size_t pitch, unsigned value, unsigned size, size_t width, size_t height,
                Stream *handle) {
    STREAM(stream, handle);
    REQUIRE(to % size == 0 && (height < 2 || (pitch >= width * size && pitch % size == 0)));
    if (width == 0 || height == 0) DONE;
    size_t bytes = (height - 1) * pitch + width * size;
    DEVICE_BYTES(to, bytes);
    return enqueue(call, stream, 2, {access_to(to, bytes, 'w')}, [=] {
        for (size_t y = 0; y < height; y++)
            for (size_t x = 0; x < width; x++) memcpy((char *)to + y * pitch + x * size, &value, size);
    });
}

API cuMemsetD8_v2(u64 to, unsigned char value, size_t count) {
    CALL(UNCAPTURED, "0x%llx 0x%x %zu", (unsigned long long)to, value, count);
    return fill(call, to, 0, value, 1, count, 1, nullptr);
}

API cuMemsetD8Async(u64 to, unsigned char value, size_t count, Stream *stream) {
    CALL(CURRENT, "0x%llx 0x%x %zu stream %s", (unsigned long long)to, value, count, name(stream).c_str());
    return fill(call, to, 0, value, 1, count, 1, stream);
}

API cuMemsetD2D8_v2(u64 to, size_t pitch, unsigned char value, size_t width, size_t height) {
    CALL(UNCAPTURED, "0x%llx %zu 0x%x %zu %zu", (unsigned long long)to, pitch, value, width, height);
    return fill(call, to, pitch, value, 1, width, height, nullptr);
}

API cuMemsetD2D8Async(u64 to, size_t pitch, unsigned char value, size_t width, size_t height, Stream *stream) {
    CALL(CURRENT, "0x%llx %zu 0x%x %zu %zu stream %s", (unsigned long long)to, pitch, value, width, height,
         name(stream).c_str());
    return fill(call, to, pitch, value, 1, width, height, stream);
}

API cuMemsetD16_v2(u64 to, unsigned short value, size_t count) {
    CALL(UNCAPTURED, "0x%llx 0x%x %zu", (unsigned long long)to, value, count);
    return fill(call, to, 0, value, 2, count, 1, nullptr);
}

API cuMemsetD16Async(u64 to, unsigned short value, size_t count, Stream *stream) {
    CALL(CURRENT, "0x%llx 0x%x %zu stream %s", (unsigned long long)to, value, count, name(stream).c_str());
    return fill(call, to, 0, value, 2, count, 1, stream);
}

API cuMemsetD2D16_v2(u64 to, size_t pitch, unsigned short value, size_t width, size_t height) {
    CALL(UNCAPTURED, "0x%llx %zu 0x%x %zu %zu", (unsigned long long)to, pitch, value, width, height);
    return fill(call, to, pitch, value, 2, width, height, nullptr);
}

API cuMemsetD2D16Async(u64 to, size_t pitch, unsigned short value, size_t width, size_t height, Stream *stream) {
    CALL(CURRENT, "0x%llx %zu 0x%x %zu %zu stream %s", (unsigned long long)to, pitch, value, width, height,
         name(stream).c_str());
    return fill(call, to, pitch, value, 2, width, height, stream);
}

API cuMemsetD32_v2(u64 to, unsigned value, size_t count) {
    CALL(UNCAPTURED, "0x%llx 0x%x %zu", (unsigned long long)to, value, count);
    return fill(call, to, 0, value, 4, count, 1, nullptr);
}

API cuMemsetD32Async(u64 to, unsigned value, size_t count, Stream *stream) {
    CALL(CURRENT, "0x%llx 0x%x %zu stream %s", (unsigned long long)to, value, count, name(stream).c_str());
    return fill(call, to, 0, value, 4, count, 1, stream);
}

API cuMemsetD2D32_v2(u64 to, size_t pitch, unsigned value, size_t width, size_t height) {
    CALL(UNCAPTURED, "0x%llx %zu 0x%x %zu %zu", (unsigned long long)to, pitch, value, width, height);
    return fill(call, to, pitch, value, 4, width, height, nullptr);
}

API cuMemsetD2D32Async(u64 to, size_t pitch, unsigned value, size_t width, size_t height, Stream *stream) {
    CALL(CURRENT, "0x%llx %zu 0x%x %zu %zu stream %s", (unsigned long long)to, pitch, value, width, height,
         name(stream).c_str());
    return fill(call, to, pitch, value, 4, width, height, stream);
}

// Boxes

struct Array {
    Context *context;
    size_t width, height, depth; // bytes of a row, rows, layers
    std::vector<char> *data;
};

static Handles<Array> arrays;

struct Copy2D {
    size_t from_x, from_y;
    int from_kind;
    const void *from_host;
    u64 from_device;
    Array *from_array;
    size_t from_pitch;
    size_t to_x, to_y;
    int to_kind;
    void *to_host;
    u64 to_device;
    Array *to_array;
    size_t to_pitch;
    size_t width, height;
};

struct Copy3D {
    size_t from_x, from_y, from_z, from_level;
    int from_kind;
    const void *from_host;
    u64 from_device;
    Array *from_array;
    void *reserved0;
    size_t from_pitch, from_height;
    size_t to_x, to_y, to_z, to_level;
    int to_kind;
    void *to_host;
    u64 to_device;
    Array *to_array;
    void *reserved1;
    size_t to_pitch, to_height;
    size_t width, height, depth;
};

// One side of a copy: where its first byte lies, and its strides in bytes.
struct Side {
    char *start;
    size_t pitch, slice;
    std::vector<Access> accesses;
};

static const char *side(Side &side, char access, int kind, const void *host, u64 device, Array *array, size_t pitch,
                        size_t rows, size_t x, size_t y, size_t z, const Copy3D &box) {
    if (kind < 1 || kind > 4) return "no kind of memory";
    if (kind == 3) {
        if (!arrays.has(array)) return "no array, or destroyed before";
        if (array->context != current()) return "an array of another context";
        if (x + box.width > array->width || y + box.height > array->height || z + box.depth > array->depth)
            return "beyond the end of an array";
        pitch = array->width, rows = array->height;
        side.start = array->data->data();
    } else {
        if (box.height > 1 && pitch && pitch < x + box.width) return "a pitch below the width";
        if (!pitch) pitch = x + box.width;
        if (!rows) rows = y + box.height;
        side.start = kind == 1 ? (char *)host : (char *)device;
        if (!side.start) return "a null address";
    }
    side.pitch = pitch, side.slice = pitch * rows;
    side.start += z * side.slice + y * pitch + x;
    if (kind == 2 || (kind == 4 && find((u64)side.start, 1))) {
        size_t bytes = (box.depth - 1) * side.slice + (box.height - 1) * pitch + box.width;
        if (const char *why = trouble((u64)side.start, bytes)) return why;
        side.accesses.push_back(access_to((u64)side.start, bytes, access));
    }
    return nullptr;
}

static int copy_box(Call &call, const Copy3D &box, Stream *handle, bool waits) {
    STREAM(stream, handle);
    if (box.width == 0 || box.height == 0 || box.depth == 0) DONE;
    Side from{}, to{};
    const char *why = side(from, 'r', box.from_kind, box.from_host, box.from_device, box.from_array, box.from_pitch,
                           box.from_height, box.from_x, box.from_y, box.from_z, box);
    if (!why)
        why = side(to, 'w', box.to_kind, box.to_host, box.to_device, box.to_array, box.to_pitch, box.to_height, box.to_x,
                   box.to_y, box.to_z, box);
    if (why) return call.misuse(INVALID_VALUE, why);
    std::vector<Access> accesses = from.accesses;
    accesses.insert(accesses.end(), to.accesses.begin(), to.accesses.end());
    size_t width = box.width, height = box.height, depth = box.depth;
    int code = enqueue(call, stream, 1, accesses, [=] {
        for (size_t z = 0; z < depth; z++)
            for (size_t y = 0; y < height; y++)
                memmove(to.start + z * to.slice + y * to.pitch, from.start + z * from.slice + y * from.pitch, width);
    });
    if (waits && code == SUCCESS) wait_for(stream);
    return code;
}

static Copy3D flat(const Copy2D *c) {
    return Copy3D{c->from_x, c->from_y, 0, 0, c->from_kind, c->from_host, c->from_device, c->from_array, nullptr,
                  c->from_pitch, 0, c->to_x, c->to_y, 0, 0, c->to_kind, c->to_host, c->to_device, c->to_array, nullptr,
                  c->to_pitch, 0, c->width, c->height, 1};
}

#define BOX(box, depth) \
    if (!box) return call.misuse(INVALID_VALUE, "not a box"); \
    call.says("kinds %d %d extent %zu %zu %zu", box->from_kind, box->to_kind, box->width, box->height, (size_t)(depth)); \
    REQUIRE(box->from_kind)

API cuMemcpy2D_v2(const Copy2D *box) {
    QUIET_CALL(UNCAPTURED);
    BOX(box, 1);
    return copy_box(call, flat(box), nullptr, true);
}

API cuMemcpy2DUnaligned_v2(const Copy2D *box) {
    QUIET_CALL(UNCAPTURED);
    BOX(box, 1);
    return copy_box(call, flat(box), nullptr, true);
}

API cuMemcpy2DAsync_v2(const Copy2D *box, Stream *stream) {
    QUIET_CALL(CURRENT);
    BOX(box, 1);
    call.says("stream %s", name(stream).c_str());
    return copy_box(call, flat(box), stream, false);
}

API cuMemcpy3D_v2(const Copy3D *box) {
    QUIET_CALL(UNCAPTURED);
    BOX(box, box->depth);
    return copy_box(call, *box, nullptr, true);
}

API cuMemcpy3DAsync_v2(const Copy3D *box, Stream *stream) {
    QUIET_CALL(CURRENT);
    BOX(box, box->depth);
    call.says("stream %s", name(stream).c_str());
    return copy_box(call, *box, stream, false);
}
