// The forces of all bodies on each other: every block walks over all bodies, a
// tile at a time, which its threads have put into shared memory together.
#define TILE 128
#define SOFTENING 1e-2f

__device__ float3 pull(float3 sum, float4 at, float4 of)
{
    float3 d = make_float3(of.x - at.x, of.y - at.y, of.z - at.z);
    float square = d.x * d.x + d.y * d.y + d.z * d.z + SOFTENING;
    float scale = of.w / (square * sqrtf(square));
    sum.x += d.x * scale;
    sum.y += d.y * scale;
    sum.z += d.z * scale;
    return sum;
}

// A body is its place and, as the fourth number, its mass.
__global__ void __launch_bounds__(TILE) accelerations(const float4 *bodies, float3 *out, int n)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 own = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
    float3 sum = make_float3(0, 0, 0);
    for (int start = 0; start < n; start += TILE) {
        int k = start + threadIdx.x;
        tile[threadIdx.x] = k < n ? bodies[k] : make_float4(0, 0, 0, 0);
        __syncthreads();
        #pragma unroll 4
        for (int j = 0; j < TILE; j++)
            sum = pull(sum, own, tile[j]);
        __syncthreads();
    }
    if (i < n)
        out[i] = sum;
}

// Leapfrog: half a kick and a drift; the second half follows with new forces.
__global__ void kick_and_drift(float4 *bodies, float3 *velocities, const float3 *accelerations, int n, float dt,
                               bool drift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float3 v = velocities[i], a = accelerations[i];
    v.x += 0.5f * dt * a.x;
    v.y += 0.5f * dt * a.y;
    v.z += 0.5f * dt * a.z;
    velocities[i] = v;
    if (drift) {
        bodies[i].x += dt * v.x;
        bodies[i].y += dt * v.y;
        bodies[i].z += dt * v.z;
    }
}
