// Spheres, seen along parallel rays and lit by a lamp.
struct Vector {
    float x, y, z;

    __device__ Vector(float x, float y, float z) : x(x), y(y), z(z) {}
    __device__ Vector operator+(const Vector &v) const { return Vector(x + v.x, y + v.y, z + v.z); }
    __device__ Vector operator-(const Vector &v) const { return Vector(x - v.x, y - v.y, z - v.z); }
    __device__ Vector operator*(float s) const { return Vector(x * s, y * s, z * s); }
    __device__ float dot(const Vector &v) const { return x * v.x + y * v.y + z * v.z; }
    __device__ Vector unit() const { return *this * (1 / sqrtf(dot(*this))); }
};

struct Sphere {
    float3 centre;
    float radius, brightness;

    // The distance to the nearer hit of a ray, or a negative number.
    __device__ float hit(const Vector &origin, const Vector &direction) const
    {
        Vector to = Vector(centre.x, centre.y, centre.z) - origin;
        float along = to.dot(direction), square = radius * radius - (to.dot(to) - along * along);
        return square > 0 ? along - sqrtf(square) : -1;
    }
};

__global__ void render(const Sphere *spheres, int count, float *out, int width, int height)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= width || row >= height)
        return;
    const Vector eye((column + 0.5f) / width * 2 - 1, 1 - (row + 0.5f) / height * 2, -4), forward(0, 0, 1);
    const Sphere *seen = nullptr;
    float nearest = 1e30f;
    for (const Sphere *sphere = spheres; sphere != spheres + count; ++sphere) {
        float distance = sphere->hit(eye, forward);
        if (distance >= 0 && distance < nearest) {
            nearest = distance;
            seen = sphere;
        }
    }
    float light = 0;
    if (seen) {
        Vector at = eye + forward * nearest;
        Vector normal = (at - Vector(seen->centre.x, seen->centre.y, seen->centre.z)).unit();
        light = seen->brightness * fmaxf(normal.dot(Vector(-1, 2, -2).unit()), 0.1f);
    }
    out[row * width + column] = light;
}
