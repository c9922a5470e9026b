//! Finds edges by Sobel's operator, in a kernel that is written in Rust and whose indices are checked.

// %% The kernel takes matrices. At the border the nearest pixel stands for one that is missing
#[kernel]
fn sobel(image: Matrix<f32>, mut strength: MatrixMut<f32>) {
    let (row, column) = (thread::index_y(), thread::index());
    if !strength.contains((row, column)) {
        return;
    }
    let at = |down: usize, right: usize| {
        let y = (row + down).saturating_sub(1).min(image.rows() - 1);
        let x = (column + right).saturating_sub(1).min(image.columns() - 1);
        image[(y, x)]
    };
    let across = at(0, 2) + 2.0 * at(1, 2) + at(2, 2) - at(0, 0) - 2.0 * at(1, 0) - at(2, 0);
    let down = at(2, 0) + 2.0 * at(2, 1) + at(2, 2) - at(0, 0) - 2.0 * at(0, 1) - at(0, 2);
    strength[(row, column)] = (across * across + down * down).sqrt();
}

// %% A test image: a bright disc with a dark square in it
let (height, width) = (160_usize, 220_usize);
let (y, x) = (arange(0..160).astype(f32).reshape((160, 1)), arange(0..220).astype(f32));
let disc = ((&y - 80.0).square() + (&x - 110.0).square()).lt(65 * 65);
let square = (&y - 80.0).abs().lt(25) & (&x - 110.0).abs().lt(25);
let image: GpuArray<f32> = 0.2 + 0.6 * disc.astype(f32) - 0.5 * square.astype(f32);

let mut strength = zeros_like(&image);
sobel.launch((width.div_ceil(16), height.div_ceil(16)), (16, 16), (&image, &mut strength))?;

// %% The same on the host
let pixels = image.to_vec();
let expected = GpuArray::from_fn((height, width), |at| {
    let pixel = |down: i64, right: i64| {
        let y = (at[0] as i64 + down).clamp(0, height as i64 - 1) as usize;
        let x = (at[1] as i64 + right).clamp(0, width as i64 - 1) as usize;
        pixels[y * width + x]
    };
    let (mut across, mut down) = (0.0, 0.0);
    for (k, weight) in [(-1, 1.0), (0, 2.0), (1, 1.0)] {
        across += weight * (pixel(k, 1) - pixel(k, -1));
        down += weight * (pixel(1, k) - pixel(-1, k));
    }
    f32::hypot(across, down)
});
let off = (&strength - &expected).abs().max().item();
println!("largest difference from the host: {off:.1e}");
assert!(off < 1e-5);

// %% An upright edge has four times its step as its strength, and a uniform area none
let upright = strength[s![80, 85]].item();
println!("at the square's left edge {upright:.2}, in its middle {:.2}", strength[s![80, 110]].item());
assert!((upright - 4.0 * 0.5).abs() < 1e-5);
assert!(strength[s![80, 110]].item() == 0.0);
println!("{:.1} % of the pixels lie at an edge", 100.0 * strength.gt(0.5).astype(f32).mean().item());

// %%
if let Some(path) = std::env::args().nth(1) {
    let panels = subplots(1, 2).size(900, 340);
    panels[0].imshow(&image).colormap("gray").title("image");
    panels[1].imshow(&strength).colormap("magma").title("edges");
    panels.save(path)?;
}
