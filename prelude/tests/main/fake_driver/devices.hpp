// Devices: two alike, of compute capability 9.0, with 1 GiB each.

static const size_t DEVICE_MEMORY = size_t(1) << 30;
static const unsigned GRID_LIMITS[] = {0x7fffffff, 65535, 65535};
static const unsigned BLOCK_LIMITS[] = {1024, 1024, 64};
static const unsigned MOST_THREADS = 1024;
static const unsigned SHARED_MEMORY = 48 << 10, MOST_SHARED_MEMORY = 227 << 10;

API cuDeviceGetCount(int *count) {
    QUIET_CALL(INITIALISED);
    REQUIRE(count);
    *count = device_count();
    DONE;
}

API cuDeviceGet(CUdevice *device, int number) {
    CALL(INITIALISED, "%d", number);
    REQUIRE(device);
    if (!is_device(number)) return call.done(INVALID_DEVICE);
    *device = number;
    DONE;
}

API cuDeviceGetName(char *name, int length, CUdevice device) {
    CALL(INITIALISED, "%d", device);
    REQUIRE(name && length > 0);
    if (!is_device(device)) return call.misuse(INVALID_DEVICE, "no such device");
    snprintf(name, length, "Fake GPU %d", device);
    DONE;
}

API cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
    CALL(INITIALISED, "%d", device);
    REQUIRE(bytes);
    if (!is_device(device)) return call.misuse(INVALID_DEVICE, "no such device");
    *bytes = DEVICE_MEMORY;
    DONE;
}

static int get_uuid(Call &call, unsigned char *uuid, CUdevice device) {
    REQUIRE(uuid);
    if (!is_device(device)) return call.misuse(INVALID_DEVICE, "no such device");
    for (int i = 0; i < 16; i++) uuid[i] = (unsigned char)(0xf0 + i);
    uuid[15] = (unsigned char)device;
    DONE;
}

API cuDeviceGetUuid(unsigned char *uuid, CUdevice device) {
    CALL(INITIALISED, "%d", device);
    return get_uuid(call, uuid, device);
}

#ifndef OLD_DRIVER
API cuDeviceGetUuid_v2(unsigned char *uuid, CUdevice device) {
    CALL(INITIALISED, "%d", device);
    return get_uuid(call, uuid, device);
}
#endif

API cuDeviceGetPCIBusId(char *text, int length, CUdevice device) {
    CALL(INITIALISED, "%d", device);
    REQUIRE(text && length > 12);
    if (!is_device(device)) return call.misuse(INVALID_DEVICE, "no such device");
    snprintf(text, length, "0000:%02X:00.0", device + 1);
    DONE;
}

API cuDeviceGetByPCIBusId(CUdevice *device, const char *text) {
    CALL(INITIALISED, "%s", text ? text : "null");
    REQUIRE(device && text);
    unsigned domain = 0, bus = 0, slot = 0;
    if (sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3) return call.done(INVALID_VALUE);
    if (!is_device((int)bus - 1)) return call.done(INVALID_DEVICE);
    *device = (int)bus - 1;
    DONE;
}

API cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
    CALL(INITIALISED, "%d %d", device, peer);
    REQUIRE(can);
    if (!is_device(device) || !is_device(peer)) return call.misuse(INVALID_DEVICE, "no such device");
    *can = device != peer;
    DONE;
}

API cuDeviceGetP2PAttribute(int *value, int attribute, CUdevice device, CUdevice peer) {
    CALL(INITIALISED, "%d %d %d", attribute, device, peer);
    REQUIRE(value);
    if (!is_device(device) || !is_device(peer)) return call.misuse(INVALID_DEVICE, "no such device");
    *value = attribute == 2 || attribute == 3;
    DONE;
}

API cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
    CALL(INITIALISED, "%d", device);
    REQUIRE(major && minor);
    if (!is_device(device)) return call.misuse(INVALID_DEVICE, "no such device");
    *major = 9, *minor = 0;
    DONE;
}

API cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
    CALL(INITIALISED, "%d %d", attribute, device);
    REQUIRE(value);
    if (!is_device(device)) return call.misuse(INVALID_DEVICE, "no such device");
    static const auto &known = *new std::map<int, int>{
        {1, MOST_THREADS}, {2, BLOCK_LIMITS[0]}, {3, BLOCK_LIMITS[1]}, {4, BLOCK_LIMITS[2]},
        {5, GRID_LIMITS[0]}, {6, GRID_LIMITS[1]}, {7, GRID_LIMITS[2]}, {8, SHARED_MEMORY}, {9, 65536}, {10, 32},
        {11, 0x7fffffff}, {12, 65536}, {13, 1980000}, {14, 512}, {15, 1}, {16, 4}, {17, 0}, {18, 0}, {19, 1},
        {20, 0}, {21, 131072}, {22, 131072}, {23, 65536}, {24, 16384}, {25, 16384}, {26, 16384}, {27, 32768},
        {28, 32768}, {29, 2048}, {30, 512}, {31, 1}, {32, 1}, {34, 0}, {35, 0}, {36, 2619000}, {37, 5120},
        {38, 50 << 20}, {39, 2048}, {40, 3}, {41, 1}, {42, 32768}, {43, 2048}, {50, 0}, {51, 32}, {75, 9},
        {76, 0}, {78, 1}, {79, 1}, {80, 1}, {81, 228 << 10}, {82, 65536}, {83, 1}, {84, 0}, {85, 0}, {86, 0},
        {87, 2}, {88, 0}, {89, 1}, {90, 1}, {91, 0}, {95, 1}, {96, 1}, {97, MOST_SHARED_MEMORY}, {106, 32},
#ifndef OLD_DRIVER
        {115, 1}, // memory pools
#endif
    };
    if (attribute == 33) { // the number of its PCI bus
        *value = device + 1;
        DONE;
    }
    auto found = known.find(attribute);
#ifdef OLD_DRIVER
    const int last = 110;
#else
    const int last = 150;
#endif
    if (attribute < 1 || attribute > last) return call.done(INVALID_VALUE);
    *value = found == known.end() ? 0 : found->second;
    DONE;
}
