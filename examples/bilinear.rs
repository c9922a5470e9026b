//! Enlarges an image by bilinear interpolation, once by its formula and once by a texture.

// %% A pixel of the result lies between four of the image. `lerp` mixes two numbers
let module = SourceModule::new("
__device__ float lerp(float a, float b, float part) { return a + part * (b - a); }

__global__ void by_formula(float *out, const float *in, int height, int width, int times)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= times * width || y >= times * height) return;
    float u = (x + 0.5f) / times - 0.5f, v = (y + 0.5f) / times - 0.5f;
    int left = max(0, (int)floorf(u)), right = min((int)floorf(u) + 1, width - 1);
    int top = max(0, (int)floorf(v)), bottom = min((int)floorf(v) + 1, height - 1);
    float above = lerp(in[top * width + left], in[top * width + right], u - floorf(u));
    float below = lerp(in[bottom * width + left], in[bottom * width + right], u - floorf(u));
    out[y * times * width + x] = lerp(above, below, v - floorf(v));
}

__global__ void by_texture(float *out, cudaTextureObject_t in, int height, int width, int times)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= times * width || y >= times * height) return;
    out[y * times * width + x] = tex2D<float>(in, (x + 0.5f) / times, (y + 0.5f) / times);
}")?;

// %% A small image of random numbers, 13 times as large
let (height, width, times) = (9_usize, 14_usize, 13_usize);
let image = rng(7).random::<f32>((height, width));
let linear = TextureDescriptor { filter_mode: FilterMode::Linear, ..Default::default() };
let texture = TextureObject::new(&gpuarray_to_array(&image, Order::C, ArrayFlags::NONE)?, linear)?;
let mut formula = zeros::<f32>((height * times, width * times));
let mut textured = zeros_like(&formula);
let grid = ((width * times).div_ceil(16), (height * times).div_ceil(16));
module.get_function("by_formula")?.launch(grid, (16, 16), (&mut formula, &image, height, width, times))?;
module.get_function("by_texture")?.launch(grid, (16, 16), (&mut textured, &texture, height, width, times))?;

// %% On the host, in double precision: a mean of four pixels, each as much as it is near
let pixels = image.to_vec();
let expected = GpuArray::from_fn((height * times, width * times), |at| {
    let [v, u] = [0, 1].map(|k| (at[k] as f64 + 0.5) / times as f64 - 0.5);
    let mut mean = 0.0;
    for (row, near) in [(v.floor(), 1.0 - v + v.floor()), (v.floor() + 1.0, v - v.floor())] {
        for (column, nearer) in [(u.floor(), 1.0 - u + u.floor()), (u.floor() + 1.0, u - u.floor())] {
            let y = row.clamp(0.0, height as f64 - 1.0) as usize;
            let x = column.clamp(0.0, width as f64 - 1.0) as usize;
            mean += near * nearer * f64::from(pixels[y * width + x]);
        }
    }
    mean
});
let of_formula = (formula.astype(f64) - &expected).abs().max().item();
let of_texture = (textured.astype(f64) - &expected).abs().max().item();
println!("largest error by the formula {of_formula:.1e}, by the texture {of_texture:.1e}");
assert!(of_formula < 1e-5);
assert!(of_texture < 0.01);          // a texture knows places to 1/256 of a pixel

// %%
if let Some(path) = std::env::args().nth(1) {
    let panels = subplots(1, 3).size(1100, 300);
    panels[0].imshow(&image).title("image");
    panels[1].imshow(&formula).title("by the formula");
    panels[2].imshow(&textured).title("by a texture");
    panels.save(path)?;
}
