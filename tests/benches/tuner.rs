// What the tuner finds for four kernels, beside their first variants: `gpurepl tests/benches/tuner.rs`.
// On the host device the sizes are small, since a simulated grid is slow.
let large = device().kind() == DeviceKind::Cuda;
let seconds = if large { 25.0 } else { 5.0 };
let told = |tuned: &Tuned| {
    let first = tuned.first_time().unwrap_or(f64::NAN);
    println!("{tuned}\n{:.3} ms, the first one {:.3} ms: {:.2} times\n", tuned.time() * 1e3, first * 1e3, first / tuned.time());
};

// %%
// A product of matrices by tiles in shared memory, each thread a small matrix of results.
let text = "
__global__ void matmul(float *c, const float *a, const float *b, int n)
{
    __shared__ float ta[DEPTH][ROWS * EACH_ROW + 4], tb[DEPTH][COLUMNS * EACH_COLUMN];
    const int tx = threadIdx.x, ty = threadIdx.y, t = ty * COLUMNS + tx, threads = COLUMNS * ROWS;
    const int row = blockIdx.y * ROWS * EACH_ROW, column = blockIdx.x * COLUMNS * EACH_COLUMN;
    float sum[EACH_ROW][EACH_COLUMN] = {};
    for (int k = 0; k < n; k += DEPTH) {
        for (int i = t; i < ROWS * EACH_ROW * DEPTH; i += threads)
            ta[i % DEPTH][i / DEPTH] = a[(size_t)(row + i / DEPTH) * n + k + i % DEPTH];
        for (int i = t; i < COLUMNS * EACH_COLUMN * DEPTH; i += threads)
            tb[i / (COLUMNS * EACH_COLUMN)][i % (COLUMNS * EACH_COLUMN)] =
                b[(size_t)(k + i / (COLUMNS * EACH_COLUMN)) * n + column + i % (COLUMNS * EACH_COLUMN)];
        __syncthreads();
        #pragma unroll
        for (int d = 0; d < DEPTH; d++) {
            float x[EACH_ROW], y[EACH_COLUMN];
            #pragma unroll
            for (int i = 0; i < EACH_ROW; i++) x[i] = ta[d][ty * EACH_ROW + i];
            #pragma unroll
            for (int j = 0; j < EACH_COLUMN; j++) y[j] = tb[d][j * COLUMNS + tx];
            #pragma unroll
            for (int i = 0; i < EACH_ROW; i++)
                #pragma unroll
                for (int j = 0; j < EACH_COLUMN; j++) sum[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < EACH_ROW; i++)
        for (int j = 0; j < EACH_COLUMN; j++)
            c[(size_t)(row + ty * EACH_ROW + i) * n + column + j * COLUMNS + tx] = sum[i][j];
}";
let n: usize = if large { 4096 } else { 128 };
let (a, b) = (rand::<f32>((n, n)), rand::<f32>((n, n)));
let mut c = zeros::<f32>((n, n));
let tuned = tune("matmul", text)
    .parameter("COLUMNS", [16, 8, 32])
    .parameter("ROWS", [16, 8, 32])
    .parameter("EACH_COLUMN", [1, 2, 4, 8])
    .parameter("EACH_ROW", [1, 2, 4, 8])
    .parameter("DEPTH", [8, 16, 32])
    .restrict(move |v| {
        let (w, h) = (v["COLUMNS"] * v["EACH_COLUMN"], v["ROWS"] * v["EACH_ROW"]);
        n % w == 0 && n % h == 0 && (w + h + 4) * v["DEPTH"] * 4 <= 48 << 10 && v["EACH_ROW"] * v["EACH_COLUMN"] <= 64
    })
    .block(|v| (v["COLUMNS"], v["ROWS"]))
    .grid(move |v| (n / (v["COLUMNS"] * v["EACH_COLUMN"]), n / (v["ROWS"] * v["EACH_ROW"])))
    .flops(2.0 * (n as f64).powi(3))
    .seconds(seconds)
    .again()
    .run((&mut c, &a, &b, n as i32))?;
told(&tuned);

// %%
let text = "
__global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[TILE][TILE + PAD];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    #pragma unroll
    for (int k = 0; k < TILE; k += ROWS) tile[threadIdx.y + k][threadIdx.x] = in[(size_t)(y + k) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x; y = blockIdx.x * TILE + threadIdx.y;
    #pragma unroll
    for (int k = 0; k < TILE; k += ROWS) out[(size_t)(y + k) * n + x] = tile[threadIdx.x][threadIdx.y + k];
}";
let n: usize = if large { 16384 } else { 512 };
let a = rand::<f32>((n, n));
let mut b = empty_like(&a);
let tuned = tune("transpose", text)
    .parameter("TILE", [16, 32, 64])
    .parameter("ROWS", [16, 8, 4, 2])
    .parameter("PAD", [0, 1])
    .restrict(|v| v["TILE"] * v["ROWS"] <= 1024)
    .block(|v| (v["TILE"], v["ROWS"]))
    .grid(move |v| (n / v["TILE"], n / v["TILE"]))
    .bytes(8 * n * n)
    .seconds(seconds)
    .again()
    .run((&mut b, &a, n as i32))?;
told(&tuned);

// %%
// Heat on a plane: each thread goes down some rows, and keeps three of them.
let text = "
__global__ void heat(float *to, const float *from, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = (blockIdx.y * blockDim.y + threadIdx.y) * ROWS;
    if (x < 1 || x >= n - 1) return;
    float above = y > 0 ? from[(size_t)(y - 1) * n + x] : 0, here = y < n ? from[(size_t)y * n + x] : 0;
    #if UNROLL
    #pragma unroll
    #endif
    for (int k = 0; k < ROWS; k++) {
        int row = y + k;
        if (row >= n - 1) return;
        float below = from[(size_t)(row + 1) * n + x];
        if (row > 0) {
            float left = from[(size_t)row * n + x - 1], right = from[(size_t)row * n + x + 1];
            to[(size_t)row * n + x] = here + 0.2f * (above + below + left + right - 4 * here);
        }
        above = here; here = below;
    }
}";
let n: usize = if large { 16384 } else { 512 };
let a = rand::<f32>((n, n));
let mut b = zeros_like(&a);
let tuned = tune("heat", text)
    .parameter("WIDTH", [16, 32, 64, 128, 256])
    .parameter("HEIGHT", [16, 8, 4, 2, 1])
    .parameter("ROWS", [1, 2, 4, 8, 16])
    .parameter("UNROLL", [false, true])
    .restrict(|v| v["WIDTH"] * v["HEIGHT"] <= 1024)
    .block(|v| (v["WIDTH"], v["HEIGHT"]))
    .grid(move |v| (n.div_ceil(v["WIDTH"]), n.div_ceil(v["HEIGHT"] * v["ROWS"])))
    .bytes(8 * n * n)
    .seconds(seconds)
    .again()
    .run((&mut b, &a, n as i32))?;
told(&tuned);

// %%
let text = "
__global__ void sum(float *out, const float *in, size_t n)
{
    __shared__ float parts[32];
    float own = 0;
    #if WIDE
    const float4 *four = (const float4 *)in;
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < n / 4; k += (size_t)gridDim.x * blockDim.x * EACH) {
        float4 v[EACH];
        #pragma unroll
        for (int j = 0; j < EACH; j++) {
            size_t at = k + j * (size_t)gridDim.x * blockDim.x;
            v[j] = at < n / 4 ? four[at] : make_float4(0, 0, 0, 0);
        }
        #pragma unroll
        for (int j = 0; j < EACH; j++) own += (v[j].x + v[j].y) + (v[j].z + v[j].w);
    }
    #else
    for (size_t k = blockIdx.x * (size_t)blockDim.x + threadIdx.x; k < n; k += (size_t)gridDim.x * blockDim.x * EACH)
        #pragma unroll
        for (int j = 0; j < EACH; j++) {
            size_t at = k + j * (size_t)gridDim.x * blockDim.x;
            own += at < n ? in[at] : 0;
        }
    #endif
    for (int step = 16; step > 0; step /= 2) own += __shfl_down_sync(0xffffffff, own, step);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x < 32) {
        own = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
        for (int step = 16; step > 0; step /= 2) own += __shfl_down_sync(0xffffffff, own, step);
        if (threadIdx.x == 0) atomicAdd(out, own);
    }
}";
let n: usize = if large { 1 << 28 } else { 1 << 18 };
let a = rand::<f32>(n);
let mut total = zeros::<f32>(1);
let tuned = tune("sum", text)
    .parameter("BLOCK", [128, 256, 512, 1024])
    .parameter("GRID", [132, 264, 528, 1056, 2112, 8448])
    .parameter("EACH", [1, 2, 4, 8])
    .parameter("WIDE", [false, true])
    .block(|v| v["BLOCK"])
    .grid(|v| v["GRID"])
    .bytes(4 * n)
    .seconds(seconds)
    .again()
    .run((&mut total, &a, n))?;
told(&tuned);
println!("the library's sum: {:.3} ms", { a.sum().item(); let mut t: Vec<f32> = (0..9).map(|_| timed(|| a.sum()).unwrap().1).collect(); t.sort_by(f32::total_cmp); t[4] });
