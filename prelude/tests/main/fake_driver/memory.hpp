// Memory of devices and of the host. Addresses are never given out twice and
// memory that was freed cannot be touched, so that a use of it is seen.

enum Kind { LINEAR, POOLED, MANAGED, PINNED, REGISTERED, VARIABLE };

struct Pool {
    CUdevice device;
    bool is_default;
    u64 threshold, reserved, used, most_reserved, most_used;
    int settings[4];
};

struct Allocation {
    u64 address;
    size_t bytes;
    Kind kind;
    Context *context;
    Pool *pool;
    std::vector<Access> accesses;
    u64 end() const { return address + bytes; }
};

static auto &allocations = *new std::map<u64, Allocation>;
static auto &freed = *new std::map<u64, size_t>;
static Handles<Pool> pools;
static size_t device_used[MOST_DEVICES]; // with what the pools keep

static const size_t PAGE = 4096;

// Fresh pages with an empty one behind them.
static u64 fresh(size_t bytes) {
    static u64 next = 0, end = 0;
    size_t size = (bytes + PAGE - 1) / PAGE * PAGE;
    if (next + size + PAGE > end) {
        size_t reserve = std::max(size_t(64) << 30, size + PAGE);
        void *room = mmap(nullptr, reserve, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (room == MAP_FAILED) return 0;
        next = (u64)room;
        end = next + reserve;
    }
    u64 address = next;
    next += size + PAGE;
    if (mprotect((void *)address, size, PROT_READ | PROT_WRITE)) return 0;
    // New memory holds anything; only little of it, so that large arrays cost nothing.
    memset((void *)address, 0xcd, std::min(bytes, size_t(1) << 16));
    return address;
}

static void discard(u64 address, size_t bytes) {
    size_t size = (bytes + PAGE - 1) / PAGE * PAGE;
    madvise((void *)address, size, MADV_DONTNEED);
    mprotect((void *)address, size, PROT_NONE);
    freed[address] = bytes;
}

static Allocation *find(u64 address, size_t bytes) {
    auto after = allocations.upper_bound(address);
    if (after == allocations.begin()) return nullptr;
    Allocation *found = &std::prev(after)->second;
    return address >= found->address && address + bytes <= found->end() && address + bytes >= address ? found : nullptr;
}

// Why some bytes cannot be used on the device, or nothing.
static const char *trouble(u64 address, size_t bytes, bool any_context = false) {
    if (bytes == 0) return nullptr;
    Allocation *found = find(address, bytes);
    if (!found) {
        auto after = freed.upper_bound(address);
        if (after != freed.begin() && address < std::prev(after)->first + std::prev(after)->second)
            return "memory that has been freed";
        return find(address, 1) ? "beyond the end of an allocation" : "no memory of a device";
    }
    if (!any_context && found->context != current() && found->kind != PINNED && found->kind != REGISTERED &&
        found->kind != MANAGED && !current()->peers.count(found->context))
        return "memory of another context";
    return nullptr;
}

#define DEVICE_BYTES(address, bytes) \
    if (const char *why = trouble(address, bytes)) return call.misuse(INVALID_VALUE, why)

static Access access_to(u64 address, size_t bytes, char kind) { return Access{address, address + bytes, kind, 0, 0, ""}; }

static bool conflict(char one, char other) { return (one == 'w' && other != 0) || (other == 'w' && one != 0); }

static void touch(const Access &access, const Clock &clock) {
    Allocation *allocation = find(access.first, access.end - access.first);
    if (!allocation) return;
    std::vector<Access> kept;
    for (const Access &earlier : allocation->accesses) {
        auto known = clock.find(earlier.stream);
        bool is_before = known != clock.end() && known->second >= earlier.at;
        bool overlaps = access.first < earlier.end && earlier.first < access.end;
        if (overlaps && !is_before && conflict(access.kind, earlier.kind))
            remark("hazard %s: not after %s", access.what.c_str(), earlier.what.c_str());
        // What lies before needs no remembering where this covers it.
        bool is_covered = is_before && access.first <= earlier.first && earlier.end <= access.end &&
                          (access.kind == 'w' || access.kind == earlier.kind);
        if (!is_covered) kept.push_back(earlier);
    }
    kept.push_back(access);
    if (kept.size() > 64) kept.erase(kept.begin());
    allocation->accesses = std::move(kept);
}

static void add(u64 address, size_t bytes, Kind kind, Pool *pool) {
    allocations[address] = Allocation{address, bytes, kind, current(), pool, {}};
}

static bool is_room(CUdevice device, size_t bytes) { return bytes <= DEVICE_MEMORY - device_used[device]; }

// Memory that is the device's for good, until it is freed.
static int allocate(Call &call, u64 *address, size_t bytes, Kind kind) {
    REQUIRE(address && bytes > 0);
    CUdevice device = current()->device;
    if (!is_room(device, bytes)) return call.done(OUT_OF_MEMORY);
    if (!(*address = fresh(bytes))) return call.done(OUT_OF_MEMORY);
    device_used[device] += bytes;
    add(*address, bytes, kind, nullptr);
    call.says("-> 0x%llx", (unsigned long long)*address);
    DONE;
}

API cuMemAlloc_v2(u64 *address, size_t bytes) {
    CALL(UNCAPTURED, "%zu", bytes);
    return allocate(call, address, bytes, LINEAR);
}

API cuMemAllocManaged(u64 *address, size_t bytes, unsigned flags) {
    CALL(UNCAPTURED, "%zu flags %u", bytes, flags);
    REQUIRE(flags == 1 || flags == 2);
    return allocate(call, address, bytes, MANAGED);
}

API cuMemAllocPitch_v2(u64 *address, size_t *pitch, size_t width, size_t height, unsigned element) {
    CALL(UNCAPTURED, "%zu %zu %u", width, height, element);
    REQUIRE(pitch && width > 0 && height > 0 && (element == 4 || element == 8 || element == 16));
    *pitch = (width + 511) / 512 * 512;
    return allocate(call, address, *pitch * height, LINEAR);
}

static void forget(std::map<u64, Allocation>::iterator place) {
    Allocation &allocation = place->second;
    if (allocation.kind == POOLED) {
        allocation.pool->used -= allocation.bytes;
    } else if (allocation.kind != PINNED && allocation.kind != REGISTERED) {
        device_used[allocation.context->device] -= allocation.bytes;
    }
    if (allocation.kind != REGISTERED) discard(allocation.address, allocation.bytes);
    allocations.erase(place);
}

// Memory that the device may free, at its own address.
static int to_free(Call &call, u64 address, std::map<u64, Allocation>::iterator &place) {
    place = allocations.find(address);
    if (place == allocations.end() || place->second.kind >= PINNED)
        return call.misuse(INVALID_VALUE, freed.count(address) ? "freed before" : "no address of an allocation");
    if (place->second.context != current()) return call.misuse(INVALID_VALUE, "memory of another context");
    return SUCCESS;
}

API cuMemFree_v2(u64 address) {
    CALL(UNCAPTURED, "0x%llx", (unsigned long long)address);
    if (address == 0) DONE;
    std::map<u64, Allocation>::iterator place;
    if (int code = to_free(call, address, place)) return code;
    wait_for_all(current());
    forget(place);
    DONE;
}

API cuMemGetInfo_v2(size_t *free, size_t *total) {
    QUIET_CALL(CURRENT);
    REQUIRE(free && total);
    *total = DEVICE_MEMORY;
    *free = DEVICE_MEMORY - device_used[current()->device];
    DONE;
}

API cuMemGetAddressRange_v2(u64 *base, size_t *bytes, u64 address) {
    CALL(CURRENT, "0x%llx", (unsigned long long)address);
    Allocation *found = find(address, 1);
    if (!found) return call.done(INVALID_VALUE);
    if (base) *base = found->address;
    if (bytes) *bytes = found->bytes;
    DONE;
}

#ifndef OLD_DRIVER
static Pool *default_pools[MOST_DEVICES];

static Pool *default_pool(CUdevice device) {
    Pool *&pool = default_pools[device];
    if (!pool) pool = pools.make(Pool{device, true, 0, 0, 0, 0, 0, {0, 1, 1, 1}});
    return pool;
}

#define POOL(pool) \
    if (!pools.has(pool)) return call.misuse(INVALID_VALUE, "no pool, or destroyed before")

API cuDeviceGetDefaultMemPool(Pool **pool, CUdevice device) {
    CALL(INITIALISED, "%d", device);
    REQUIRE(pool);
    if (!is_device(device)) return call.misuse(INVALID_DEVICE, "no such device");
    *pool = default_pool(device);
    DONE;
}

API cuDeviceGetMemPool(Pool **pool, CUdevice device) {
    CALL(INITIALISED, "%d", device);
    REQUIRE(pool);
    if (!is_device(device)) return call.misuse(INVALID_DEVICE, "no such device");
    *pool = default_pool(device);
    DONE;
}

struct PoolProperties {
    int allocation_type, handle_types, location_type, location;
    void *security;
    size_t most;
    unsigned char reserved[56];
};

API cuMemPoolCreate(Pool **pool, const PoolProperties *properties) {
    QUIET_CALL(INITIALISED);
    REQUIRE(pool && properties && properties->allocation_type == 1 && properties->location_type == 1);
    if (!is_device(properties->location)) return call.misuse(INVALID_DEVICE, "no such device");
    *pool = pools.make(Pool{properties->location, false, 0, 0, 0, 0, 0, {0, 1, 1, 1}});
    call.says("device %d -> %p", properties->location, (void *)*pool);
    DONE;
}

// Gives what the pool holds and nobody uses back to the device.
static void trim(Pool *pool, u64 keep) {
    u64 reserved = std::max(pool->used, std::min(pool->reserved, keep));
    device_used[pool->device] -= pool->reserved - reserved;
    pool->reserved = reserved;
}

API cuMemPoolDestroy(Pool *pool) {
    CALL(INITIALISED, "%p", (void *)pool);
    POOL(pool);
    if (pool->is_default) return call.misuse(INVALID_VALUE, "a device's default pool");
    trim(pool, 0);
    pools.remove(pool);
    DONE;
}

API cuMemPoolTrimTo(Pool *pool, size_t keep) {
    CALL(INITIALISED, "%p %zu", (void *)pool, keep);
    POOL(pool);
    trim(pool, keep);
    DONE;
}

API cuMemPoolGetAttribute(Pool *pool, int which, void *value) {
    CALL(INITIALISED, "%p %d", (void *)pool, which);
    POOL(pool);
    REQUIRE(value && which >= 1 && which <= 8);
    if (which < 4) *(int *)value = pool->settings[which];
    else {
        const u64 values[] = {pool->threshold, pool->reserved, pool->most_reserved, pool->used, pool->most_used};
        *(u64 *)value = values[which - 4];
    }
    DONE;
}

API cuMemPoolSetAttribute(Pool *pool, int which, void *value) {
    CALL(INITIALISED, "%p %d", (void *)pool, which);
    POOL(pool);
    REQUIRE(value && (which <= 4 || *(u64 *)value == 0) && which >= 1 && which <= 8);
    if (which < 4) pool->settings[which] = *(int *)value;
    else if (which == 4) pool->threshold = *(u64 *)value;
    else if (which == 6) pool->most_reserved = pool->reserved;
    else if (which == 8) pool->most_used = pool->used;
    else return call.misuse(INVALID_VALUE, "an attribute that is read only");
    DONE;
}

static int allocate_in(Call &call, u64 *address, size_t bytes, Pool *pool, Stream *handle) {
    REQUIRE(address && bytes > 0);
    STREAM(stream, handle);
    if (pool->used + bytes > pool->reserved) {
        u64 more = pool->used + bytes - pool->reserved;
        if (!is_room(pool->device, more)) return call.done(OUT_OF_MEMORY);
        device_used[pool->device] += more;
        pool->reserved += more;
    }
    if (!(*address = fresh(bytes))) return call.done(OUT_OF_MEMORY);
    pool->used += bytes;
    pool->most_used = std::max(pool->most_used, pool->used);
    pool->most_reserved = std::max(pool->most_reserved, pool->reserved);
    add(*address, bytes, POOLED, pool);
    call.says("-> 0x%llx", (unsigned long long)*address);
    // It may be used after this place in the stream.
    return enqueue(call, stream, 10, {access_to(*address, bytes, 'w')}, [] {});
}

API cuMemAllocAsync(u64 *address, size_t bytes, Stream *handle) {
    CALL(CURRENT, "%zu stream %s", bytes, name(handle).c_str());
    return allocate_in(call, address, bytes, default_pool(current()->device), handle);
}

API cuMemAllocFromPoolAsync(u64 *address, size_t bytes, Pool *pool, Stream *handle) {
    CALL(CURRENT, "%zu pool %p stream %s", bytes, (void *)pool, name(handle).c_str());
    POOL(pool);
    return allocate_in(call, address, bytes, pool, handle);
}

API cuMemFreeAsync(u64 address, Stream *handle) {
    CALL(CURRENT, "0x%llx stream %s", (unsigned long long)address, name(handle).c_str());
    REQUIRE(address);
    STREAM(stream, handle);
    std::map<u64, Allocation>::iterator place;
    if (int code = to_free(call, address, place)) return code;
    size_t bytes = place->second.bytes;
    return enqueue(call, stream, 11, {access_to(address, bytes, 'w')}, [=] {
        auto found = allocations.find(address);
        if (found != allocations.end()) forget(found);
    });
}
#endif

// The host's memory, from here or the program's own.

static int allocate_host(Call &call, void **address, size_t bytes) {
    REQUIRE(address && bytes > 0);
    if (!(*address = (void *)fresh(bytes))) return call.done(OUT_OF_MEMORY);
    add((u64)*address, bytes, PINNED, nullptr);
    call.says("-> %p", *address);
    DONE;
}

API cuMemAllocHost_v2(void **address, size_t bytes) {
    CALL(UNCAPTURED, "%zu", bytes);
    return allocate_host(call, address, bytes);
}

API cuMemHostAlloc(void **address, size_t bytes, unsigned flags) {
    CALL(UNCAPTURED, "%zu flags %u", bytes, flags);
    REQUIRE(flags < 8);
    return allocate_host(call, address, bytes);
}

API cuMemFreeHost(void *address) {
    CALL(UNCAPTURED, "%p", address);
    auto place = allocations.find((u64)address);
    if (place == allocations.end() || place->second.kind != PINNED)
        return call.misuse(INVALID_VALUE, freed.count((u64)address) ? "freed before" : "no memory of cuMemHostAlloc");
    wait_for_all(current());
    forget(place);
    DONE;
}

API cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags) {
    CALL(UNCAPTURED, "%p %zu flags %u", address, bytes, flags);
    REQUIRE(address && bytes > 0 && flags < 16);
    auto after = allocations.lower_bound((u64)address + bytes);
    if (after != allocations.begin() && std::prev(after)->second.end() > (u64)address)
        return call.done(HOST_MEMORY_ALREADY_REGISTERED);
    add((u64)address, bytes, REGISTERED, nullptr);
    DONE;
}

API cuMemHostUnregister(void *address) {
    CALL(UNCAPTURED, "%p", address);
    auto place = allocations.find((u64)address);
    if (place == allocations.end() || place->second.kind != REGISTERED)
        return call.misuse(HOST_MEMORY_NOT_REGISTERED, "not registered, or unregistered before");
    forget(place);
    DONE;
}

API cuMemHostGetDevicePointer_v2(u64 *address, void *host, unsigned flags) {
    CALL(CURRENT, "%p", host);
    REQUIRE(address && flags == 0);
    Allocation *found = find((u64)host, 1);
    if (!found || (found->kind != PINNED && found->kind != REGISTERED))
        return call.misuse(INVALID_VALUE, "no memory of the host that the device knows");
    *address = (u64)host;
    DONE;
}

API cuMemHostGetFlags(unsigned *flags, void *host) {
    CALL(CURRENT, "%p", host);
    REQUIRE(flags && find((u64)host, 1) && find((u64)host, 1)->kind >= PINNED);
    *flags = 2;
    DONE;
}

// Managed memory

struct Location { int type, id; };

static int for_managed(Call &call, u64 address, size_t bytes) {
    Allocation *found = find(address, bytes);
    if (!found || found->kind != MANAGED) return call.misuse(INVALID_VALUE, "no managed memory");
    DONE;
}

static int prefetch(Call &call, u64 address, size_t bytes, bool is_place, Stream *handle) {
    STREAM(stream, handle);
    (void)stream;
    if (!is_place) return call.misuse(INVALID_DEVICE, "no such device");
    return for_managed(call, address, bytes);
}

API cuMemPrefetchAsync(u64 address, size_t bytes, CUdevice device, Stream *handle) {
    CALL(CURRENT, "0x%llx %zu device %d stream %s", (unsigned long long)address, bytes, device, name(handle).c_str());
    return prefetch(call, address, bytes, device == -1 || is_device(device), handle);
}

API cuMemAdvise(u64 address, size_t bytes, int advice, CUdevice device) {
    CALL(CURRENT, "0x%llx %zu advice %d device %d", (unsigned long long)address, bytes, advice, device);
    REQUIRE(advice >= 1 && advice <= 6);
    if (device != -1 && !is_device(device)) return call.misuse(INVALID_DEVICE, "no such device");
    return for_managed(call, address, bytes);
}

#ifndef OLD_DRIVER
// The host is kinds 2 to 4 of location.
static bool is_location(Location place) {
    return place.type == 1 ? is_device(place.id) : place.type >= 2 && place.type <= 4;
}

API cuMemPrefetchAsync_v2(u64 address, size_t bytes, Location place, unsigned flags, Stream *handle) {
    CALL(CURRENT, "0x%llx %zu location %d:%d stream %s", (unsigned long long)address, bytes, place.type, place.id,
         name(handle).c_str());
    REQUIRE(flags == 0);
    return prefetch(call, address, bytes, is_location(place), handle);
}

API cuMemAdvise_v2(u64 address, size_t bytes, int advice, Location place) {
    CALL(CURRENT, "0x%llx %zu advice %d location %d:%d", (unsigned long long)address, bytes, advice, place.type,
         place.id);
    REQUIRE(advice >= 1 && advice <= 6);
    if (advice >= 3 && !is_location(place)) return call.misuse(INVALID_DEVICE, "no such device");
    return for_managed(call, address, bytes);
}
#endif

API cuPointerGetAttribute(void *data, int which, u64 address) {
    CALL(CURRENT, "%d 0x%llx", which, (unsigned long long)address);
    REQUIRE(data);
    Allocation *found = find(address, 1);
    if (!found) return call.done(INVALID_VALUE);
    bool is_host = found->kind == PINNED || found->kind == REGISTERED;
    switch (which) {
    case 1: *(Context **)data = found->context; break;
    case 2: *(unsigned *)data = is_host ? 1 : 2; break;
    case 3: *(u64 *)data = address; break;
    case 4:
        if (!is_host && found->kind != MANAGED) return call.done(INVALID_VALUE);
        *(u64 *)data = address;
        break;
    case 7: *(u64 *)data = found->address; break;
    case 8: *(unsigned *)data = found->kind == MANAGED; break;
    case 9: *(int *)data = found->context->device; break;
    case 11: *(u64 *)data = found->address; break;
    case 12: *(size_t *)data = found->bytes; break;
    case 13: *(unsigned *)data = 1; break;
    case 17: *(Pool **)data = found->pool; break;
    default: return call.done(INVALID_VALUE);
    }
    DONE;
}

// What a context owns goes with it.
static void modules_go(Context *context); // modules.hpp

static void context_goes(Context *context) {
    for (auto place = allocations.begin(); place != allocations.end();) {
        auto next = std::next(place);
        if (place->second.context == context) forget(place);
        place = next;
    }
    for (Stream *stream : std::set<Stream *>(streams.all))
        if (stream->context == context) streams.remove(stream);
    for (Event *event : std::set<Event *>(events.all))
        if (event->context == context) events.remove(event);
    default_streams.erase(context);
    modules_go(context);
}
