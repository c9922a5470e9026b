//! Blurs an image along its rows and then along its columns, with the filter's weights in constant memory.

// %% One kernel for both directions: `step` is the distance of neighbours in memory
const RADIUS: usize = 8;
let module = SourceModule::builder("
__constant__ float weights[2 * RADIUS + 1];

__global__ void convolve(float *out, const float *in, int height, int width, int down)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    int at = down ? y : x, last = (down ? height : width) - 1, step = down ? width : 1;
    const float *line = in + (down ? x : y * width);
    float sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += weights[k + RADIUS] * line[min(max(at + k, 0), last) * step];
    out[y * width + x] = sum;
}")
.option(&format!("-DRADIUS={RADIUS}"))
.compile()?;
let convolve = module.get_function("convolve")?;

// %% A bell whose sum is 1
let bell: Vec<f32> = (0..=2 * RADIUS).map(|k| (-(k as f32 - 8.0).powi(2) / 32.0).exp()).collect();
let total: f32 = bell.iter().sum();
let weights: Vec<f32> = bell.iter().map(|weight| weight / total).collect();
memcpy_htod(&mut module.get_global("weights")?, &weights)?;

// %% A checkerboard with noise
let (height, width) = (180_usize, 260_usize);
let (y, x) = (arange(0..180).reshape((180, 1)), arange(0..260));
let squares = ((y / 30.0).floor() + (x / 30.0).floor()) % 2;
let image = squares.astype(f32) + 0.3 * rng(4).standard_normal::<f32>((height, width));

let (mut rows, mut blurred) = (zeros_like(&image), zeros_like(&image));
let grid = (width.div_ceil(16), height.div_ceil(16));
convolve.launch(grid, (16, 16), (&mut rows, &image, height, width, 0))?;
convolve.launch(grid, (16, 16), (&mut blurred, &rows, height, width, 1))?;
println!("standard deviation {:.3} before, {:.3} after", image.std().item(), blurred.std().item());

// %% On the host both directions at once: 17 by 17 products for each pixel, where the kernels need 17 and 17
fn on_host(image: &[f32], height: usize, width: usize, weights: &[f32]) -> Vec<f32> {
    let mut blurred = vec![0.0; height * width];
    for y in 0..height {
        for x in 0..width {
            for (i, down) in weights.iter().enumerate() {
                let row = (y + i).saturating_sub(RADIUS).min(height - 1);
                for (j, across) in weights.iter().enumerate() {
                    let column = (x + j).saturating_sub(RADIUS).min(width - 1);
                    blurred[y * width + x] += down * across * image[row * width + column];
                }
            }
        }
    }
    blurred
}
let expected = to_gpu(&on_host(&image.to_vec(), height, width, &weights)).reshape((height, width));
let off = (&blurred - &expected).abs().max().item();
println!("largest difference from the host: {off:.1e}");
assert!(off < 1e-5);

// %%
if let Some(path) = std::env::args().nth(1) {
    let panels = subplots(1, 2).size(900, 340);
    panels[0].imshow(&image).colormap("gray").title("image");
    panels[1].imshow(&blurred).colormap("gray").title("blurred");
    panels.save(path)?;
}
