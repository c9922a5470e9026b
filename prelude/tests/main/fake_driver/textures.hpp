// Arrays for textures, and the objects over them. Nothing reads them: they
// hold what is copied to them, and are counted.

struct Array3D {
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};

struct Array2D {
    size_t width, height;
    int format;
    unsigned channels;
};

static size_t format_size(int format) {
    switch (format) {
    case 1: case 8: return 1;
    case 2: case 9: case 16: return 2;
    case 3: case 10: case 32: return 4;
    default: return 0;
    }
}

static int create_array(Call &call, Array **array, const Array3D &shape) {
    REQUIRE(array && shape.width > 0 && format_size(shape.format) > 0);
    REQUIRE(shape.channels == 1 || shape.channels == 2 || shape.channels == 4);
    size_t row = shape.width * shape.channels * format_size(shape.format);
    size_t height = std::max(shape.height, size_t(1)), depth = std::max(shape.depth, size_t(1));
    size_t bytes = row * height * depth;
    if (!is_room(current()->device, bytes)) return call.done(OUT_OF_MEMORY);
    device_used[current()->device] += bytes;
    *array = arrays.make(Array{current(), row, height, depth, new std::vector<char>(bytes)});
    call.says("-> %p", (void *)*array);
    DONE;
}

API cuArray3DCreate_v2(Array **array, const Array3D *shape) {
    QUIET_CALL(UNCAPTURED);
    REQUIRE(shape);
    call.says("%zu %zu %zu format %d channels %u flags %u", shape->width, shape->height, shape->depth, shape->format,
              shape->channels, shape->flags);
    return create_array(call, array, *shape);
}

API cuArrayCreate_v2(Array **array, const Array2D *shape) {
    QUIET_CALL(UNCAPTURED);
    REQUIRE(shape);
    call.says("%zu %zu format %d channels %u", shape->width, shape->height, shape->format, shape->channels);
    return create_array(call, array, Array3D{shape->width, shape->height, 0, shape->format, shape->channels, 0});
}

API cuArrayDestroy(Array *array) {
    CALL(UNCAPTURED, "%p", (void *)array);
    if (!arrays.remove(array)) return call.misuse(INVALID_HANDLE, "no array, or destroyed before");
    device_used[array->context->device] -= array->data->size();
    delete array->data;
    DONE;
}

struct Resource {
    int kind; // 0 an array, 2 linear memory, 3 rows of it
    union {
        Array *array;
        struct { u64 address; int format; unsigned channels; size_t bytes; } linear;
        int reserved[32];
    };
    unsigned flags;
};

static std::set<u64> *const objects = new std::set<u64>[2]; // textures, surfaces
static size_t objects_made = 0;

static int create_object(Call &call, u64 *object, const Resource *resource, int which) {
    REQUIRE(object && resource && (resource->kind == 0 || (which == 0 && (resource->kind == 2 || resource->kind == 3))));
    if (resource->kind == 0) {
        if (!arrays.has(resource->array)) return call.misuse(INVALID_HANDLE, "no array, or destroyed before");
    } else if (resource->kind == 2) {
        DEVICE_BYTES(resource->linear.address, resource->linear.bytes);
    }
    *object = ++objects_made;
    objects[which].insert(*object);
    call.says("-> %llu", (unsigned long long)*object);
    DONE;
}

API cuTexObjectCreate(u64 *object, const Resource *resource, const void *texture, const void *) {
    QUIET_CALL(CURRENT);
    REQUIRE(texture);
    return create_object(call, object, resource, 0);
}

API cuSurfObjectCreate(u64 *object, const Resource *resource) {
    QUIET_CALL(CURRENT);
    return create_object(call, object, resource, 1);
}

API cuTexObjectDestroy(u64 object) {
    CALL(CURRENT, "%llu", (unsigned long long)object);
    if (!objects[0].erase(object)) return call.misuse(INVALID_VALUE, "no texture, or destroyed before");
    DONE;
}

API cuSurfObjectDestroy(u64 object) {
    CALL(CURRENT, "%llu", (unsigned long long)object);
    if (!objects[1].erase(object)) return call.misuse(INVALID_VALUE, "no surface, or destroyed before");
    DONE;
}
