// Launches. Kernels do nothing, but for a few that are known by name:
//
//   twice(float *a [, int n])          doubles n elements, or one for each thread
//   fill(float *a, float value, int n) sets n elements

struct Launch {
    Function *function;
    unsigned grid[3], block[3];
    size_t shared;
    std::vector<std::string> arguments;

    size_t threads() const { return size_t(grid[0]) * grid[1] * grid[2] * block[0] * block[1] * block[2]; }

    template <class T> T argument(size_t which) const {
        T value{};
        if (which < arguments.size()) memcpy(&value, arguments[which].data(), std::min(sizeof value, arguments[which].size()));
        return value;
    }
};

static bool is_known(const Launch &launch, const char *name, size_t least) {
    return launch.function->name == name && launch.arguments.size() >= least &&
           plain_name(launch.function->symbol) != launch.function->symbol && // has its types in its name
           launch.function->symbol.find("Pf") != std::string::npos;
}

// A kernel that is known uses these floats; others what their arguments name.
static u64 known_floats(const Launch &launch, size_t &count) {
    if (is_known(launch, "twice", 1))
        count = launch.arguments.size() > 1 ? (size_t)std::max(0, launch.argument<int>(1)) : launch.threads();
    else if (is_known(launch, "fill", 3))
        count = (size_t)std::max(0, launch.argument<int>(2));
    else
        return 0;
    return launch.argument<u64>(0);
}

static void run(const Launch &launch) {
    size_t count = 0;
    u64 address = known_floats(launch, count);
    if (!address || !count) return;
    if (trouble(address, 4 * count)) {
        remark("lost %s: an illegal access", launch.function->name.c_str());
        lost = ILLEGAL_ADDRESS;
        return;
    }
    float *a = (float *)address;
    for (size_t i = 0; i < count; i++) a[i] = launch.function->name == "fill" ? launch.argument<float>(1) : 2 * a[i];
}

static std::vector<Access> accesses_of(const Launch &launch) {
    std::vector<Access> accesses;
    size_t count = 0;
    if (u64 address = known_floats(launch, count)) {
        accesses.push_back(access_to(address, 4 * count, 'w'));
        return accesses;
    }
    auto told = pairs(setting("FAKE_CUDA_WRITES"), ';');
    auto found = told.find(launch.function->name);
    std::vector<size_t> written = found == told.end() ? std::vector<size_t>() : numbers(found->second);
    for (size_t i = 0; i < launch.arguments.size(); i++) {
        if (launch.arguments[i].size() != 8) continue;
        Allocation *allocation = ::find(launch.argument<u64>(i), 1);
        if (!allocation) continue;
        char kind = found == told.end() ? '?' : std::count(written.begin(), written.end(), i) ? 'w' : 'r';
        accesses.push_back(access_to(allocation->address, allocation->bytes, kind));
    }
    return accesses;
}

// `8:0x7f01,4:0x3e8`; what is no number is shown byte by byte.
static std::string shown(const std::vector<std::string> &arguments) {
    std::string text;
    for (auto &argument : arguments) {
        size_t size = argument.size();
        text += format("%s%zu:", text.empty() ? "" : ",", size);
        if (size == 1 || size == 2 || size == 4 || size == 8) {
            unsigned long long value = 0;
            memcpy(&value, argument.data(), size);
            text += format("0x%llx", value);
        } else {
            for (unsigned char byte : argument) text += format("%02x", byte);
        }
    }
    return text.empty() ? "none" : text;
}

static int launch(Call &call, Function *function, const unsigned *grid, const unsigned *block, size_t shared,
                  Stream *handle, void **arguments, void **extra) {
    FUNCTION(function);
    Launch made{function, {grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, shared, {}};
    call.says("%s grid %u %u %u block %u %u %u shared %zu stream %s", function->name.c_str(), grid[0], grid[1], grid[2],
              block[0], block[1], block[2], shared, name(handle).c_str());
    if (extra) return call.misuse(NOT_SUPPORTED, "arguments as `extra`");
    if (function->has_sizes) {
        if (!function->sizes.empty() && !arguments) return call.misuse(INVALID_VALUE, "no arguments");
        for (size_t i = 0; i < function->sizes.size(); i++) {
            if (!arguments[i]) return call.misuse(INVALID_VALUE, "a null argument");
            made.arguments.push_back(std::string((const char *)arguments[i], function->sizes[i]));
        }
        call.says("args %s", shown(made.arguments).c_str());
    } else {
        call.says("args ?");
    }
    STREAM(stream, handle);
    size_t threads = size_t(block[0]) * block[1] * block[2];
    for (int axis = 0; axis < 3; axis++) {
        if (!grid[axis] || grid[axis] > GRID_LIMITS[axis]) return call.misuse(INVALID_VALUE, "a grid beyond the limits");
        if (!block[axis] || block[axis] > BLOCK_LIMITS[axis]) return call.misuse(INVALID_VALUE, "a block beyond the limits");
    }
    if (threads > MOST_THREADS) return call.misuse(INVALID_VALUE, "more threads than a block can have");
    if (threads > (size_t)function->most_threads)
        return call.misuse(INVALID_VALUE, "more threads than a block of this kernel can have");
    if (shared > (size_t)function->dynamic_shared)
        return call.misuse(INVALID_VALUE, "more shared memory than has been asked for");
    return enqueue(call, stream, 0, accesses_of(made), [=] { run(made); });
}

API cuLaunchKernel(Function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared, Stream *stream, void **arguments, void **extra) {
    Call call(__func__, CURRENT);
    if (call.code) {
        call.says("%s", functions.has(function) ? function->name.c_str() : "?");
        return call.done(call.code);
    }
    const unsigned grid[] = {grid_x, grid_y, grid_z}, block[] = {block_x, block_y, block_z};
    return launch(call, function, grid, block, shared, stream, arguments, extra);
}

API cuLaunchCooperativeKernel(Function *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                              unsigned block_y, unsigned block_z, unsigned shared, Stream *stream, void **arguments) {
    QUIET_CALL(CURRENT);
    const unsigned grid[] = {grid_x, grid_y, grid_z}, block[] = {block_x, block_y, block_z};
    // Two full blocks on each of four multiprocessors.
    size_t threads = size_t(block_x) * block_y * block_z;
    if (threads && size_t(grid_x) * grid_y * grid_z > 4 * (2048 / threads)) return call.done(COOPERATIVE_LAUNCH_TOO_LARGE);
    return launch(call, function, grid, block, shared, stream, arguments, nullptr);
}

#ifndef OLD_DRIVER
struct LaunchConfig {
    unsigned grid[3], block[3], shared;
    Stream *stream;
    void *attributes;
    unsigned count;
};

API cuLaunchKernelEx(const LaunchConfig *config, Function *function, void **arguments, void **extra) {
    QUIET_CALL(CURRENT);
    REQUIRE(config && (config->attributes || !config->count));
    return launch(call, function, config->grid, config->block, config->shared, config->stream, arguments, extra);
}
#endif

static int occupancy(Call &call, int *blocks, Function *function, int threads, size_t shared) {
    REQUIRE(blocks && threads > 0);
    FUNCTION(function);
    *blocks = threads > function->most_threads ? 0 : std::min(32, 2048 / ((threads + 31) / 32 * 32));
    if (shared + (size_t)function->shared > 0)
        *blocks = std::min(*blocks, (int)((228 << 10) / (shared + (size_t)function->shared + 1024)));
    DONE;
}

API cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Function *function, int threads, size_t shared) {
    CALL(CURRENT, "%d %zu", threads, shared);
    return occupancy(call, blocks, function, threads, shared);
}

API cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, Function *function, int threads, size_t shared,
                                                         unsigned flags) {
    CALL(CURRENT, "%d %zu flags %u", threads, shared, flags);
    return occupancy(call, blocks, function, threads, shared);
}

API cuOccupancyMaxPotentialBlockSize(int *grid, int *block, Function *function, size_t (*)(int), size_t shared,
                                     int limit) {
    CALL(CURRENT, "%zu limit %d", shared, limit);
    REQUIRE(grid && block);
    FUNCTION(function);
    *block = limit > 0 ? std::min(limit, function->most_threads) : function->most_threads;
    *grid = 4 * (2048 / *block);
    DONE;
}
