//! Rotates an image through a texture, which interpolates between pixels and reads zeros outside.

// %% For each pixel of the result the kernel asks where in the image it comes from
let rotate = SourceModule::new("
__global__ void rotate(float *out, cudaTextureObject_t image, int height, int width, float angle)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float dx = x + 0.5f - 0.5f * width, dy = y + 0.5f - 0.5f * height;      // from the middle of the image
    float u = cosf(angle) * dx + sinf(angle) * dy + 0.5f * width;
    float v = cosf(angle) * dy - sinf(angle) * dx + 0.5f * height;
    out[y * width + x] = tex2D<float>(image, u, v);
}")?
.get_function("rotate")?;

// %% Stripes under a soft light; the texture has a copy of them
let (height, width) = (180_usize, 240_usize);
let (y, x) = (arange(0..180).astype(f32).reshape((180, 1)), arange(0..240).astype(f32));
let image: GpuArray<f32> = (0.5 + 0.5 * (&x / 9.0).sin()) * (1.0 - &y / 250.0);
let descriptor = TextureDescriptor {
    address_mode: [AddressMode::Border; 3],
    filter_mode: FilterMode::Linear,
    ..Default::default()
};
let texture = TextureObject::new(&gpuarray_to_array(&image, Order::C, ArrayFlags::NONE)?, descriptor)?;

let angle = 0.5_f32;
let grid = (width.div_ceil(16), height.div_ceil(16));
let mut rotated = zeros_like(&image);
rotate.launch(grid, (16, 16), (&mut rotated, &texture, height, width, angle))?;

// %% Bilinear interpolation on the host. A texture knows places to 1/256 of a pixel, hence the tolerance
fn on_host(image: &[f32], height: usize, width: usize, angle: f32) -> Vec<f32> {
    let pixel = |row: f32, column: f32| {
        let inside = row >= 0.0 && column >= 0.0 && row < height as f32 && column < width as f32;
        if inside { image[row as usize * width + column as usize] } else { 0.0 }
    };
    let (sin, cos) = angle.sin_cos();
    (0..height * width).map(|k| {
        let dx = (k % width) as f32 + 0.5 - 0.5 * width as f32;
        let dy = (k / width) as f32 + 0.5 - 0.5 * height as f32;
        let u = cos * dx + sin * dy + 0.5 * width as f32 - 0.5;
        let v = cos * dy - sin * dx + 0.5 * height as f32 - 0.5;
        let (left, top) = (u.floor(), v.floor());
        let above = pixel(top, left) * (1.0 - (u - left)) + pixel(top, left + 1.0) * (u - left);
        let below = pixel(top + 1.0, left) * (1.0 - (u - left)) + pixel(top + 1.0, left + 1.0) * (u - left);
        above * (1.0 - (v - top)) + below * (v - top)
    }).collect()
}
let expected = to_gpu(&on_host(&image.to_vec(), height, width, angle)).reshape((height, width));
let off = (&rotated - &expected).abs().max().item();
println!("largest difference from the host: {off:.4}");
assert!(off < 0.02);

// %% No rotation changes nothing, and the corners come from outside
let mut same = zeros_like(&image);
rotate.launch(grid, (16, 16), (&mut same, &texture, height, width, 0.0))?;
assert!(array_equal(&same, &image));
println!("a corner of the result: {}", rotated[s![0, 0]].item());
assert_eq!(rotated[s![0, 0]].item(), 0.0);

// %%
if let Some(path) = std::env::args().nth(1) {
    let panels = subplots(1, 2).size(900, 340);
    panels[0].imshow(&image).colormap("gray").title("image");
    panels[1].imshow(&rotated).colormap("gray").title("rotated by 0.5 radians");
    panels.save(path)?;
}
