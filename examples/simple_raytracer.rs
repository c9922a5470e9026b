//! Draws spheres before a wall, with a light and shadows: each thread follows the ray of one pixel.

// %% The scene: rays go along -z, the wall is at z = 0
kernel_struct! {
    #[derive(Clone, Copy, Debug)]
    struct Sphere { center: [f64; 3], radius: f64, color: [f64; 3] }
}
let spheres = vec![
    Sphere { center: [-0.6, 0.1, 0.7], radius: 0.5, color: [0.9, 0.3, 0.2] },
    Sphere { center: [0.1, -0.3, 1.3], radius: 0.3, color: [0.2, 0.7, 0.3] },
    Sphere { center: [0.7, 0.25, 0.5], radius: 0.4, color: [0.2, 0.4, 0.9] },
];

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// How far a ray goes until it meets a sphere; infinitely far if it does not.
fn distance(sphere: &Sphere, from: [f64; 3], along: [f64; 3]) -> f64 {
    let to = [0, 1, 2].map(|k| sphere.center[k] - from[k]);
    let nearest = dot(to, along);
    let square = sphere.radius * sphere.radius - (dot(to, to) - nearest * nearest);
    let distance = if square < 0.0 { f64::INFINITY } else { nearest - square.sqrt() };
    if distance > 1e-6 { distance } else { f64::INFINITY }
}

// %% A pixel is as bright as its surface faces the light, if nothing stands between
#[kernel]
fn trace(width: usize, height: usize, spheres: &[Sphere], picture: &mut [f64], depth: &mut [f64]) {
    let (column, row) = (thread::index(), thread::index_y());
    if column >= width || row >= height {
        return;
    }
    let x = (column as f64 + 0.5 - 0.5 * width as f64) / (0.5 * height as f64);
    let y = -(row as f64 + 0.5 - 0.5 * height as f64) / (0.5 * height as f64);
    let (mut z, mut normal) = (0.0, [0.0, 0.0, 1.0]);
    let mut color = if ((x * 4.0).floor() + (y * 4.0).floor()) as i64 % 2 == 0 { [0.8; 3] } else { [0.6; 3] };
    for sphere in spheres {
        let height = 3.0 - distance(sphere, [x, y, 3.0], [0.0, 0.0, -1.0]);
        if height > z {
            z = height;
            normal = [0, 1, 2].map(|k| ([x, y, z][k] - sphere.center[k]) / sphere.radius);
            color = sphere.color;
        }
    }
    let light = [-0.48, 0.6, 0.64];                               // a direction, of length 1
    let shadow = spheres.iter().any(|sphere| distance(sphere, [x, y, z], light).is_finite());
    let brightness = 0.15 + if shadow { 0.0 } else { 0.85 * dot(normal, light).max(0.0) };
    for k in 0..3 {
        picture[3 * (row * width + column) + k] = brightness * color[k];
    }
    depth[row * width + column] = z;
}

let (height, width) = (240_usize, 320_usize);
let (mut picture, mut depth) = (zeros::<f64>((height, width, 3)), zeros::<f64>((height, width)));
let grid = (width.div_ceil(16), height.div_ceil(16));
trace.launch(grid, (16, 16), (width, height, In(&spheres), &mut picture, &mut depth))?;

// %% How near each pixel is follows from the equation of a sphere, without rays: on the host
let expected = GpuArray::from_fn((height, width), |at| {
    let (x, y) = ((at[1] as f64 - 159.5) / 120.0, (119.5 - at[0] as f64) / 120.0);
    let heights = spheres.iter().map(|Sphere { center: [left, up, near], radius, .. }| {
        let square = radius * radius - (x - left).powi(2) - (y - up).powi(2);
        if square > 0.0 { near + square.sqrt() } else { 0.0 }
    });
    heights.fold(0.0, f64::max)
});
let off = (&depth - &expected).abs().max().item();
let covered = depth.gt(0).astype(f64).mean().item();
println!("largest error of the depth {off:.1e}; spheres cover {:.1} % of the picture", 100.0 * covered);
assert!(off < 1e-6);

// %% On the wall lies a shadow where a line towards the light goes through the middle of a sphere
for k in [0, 2] {
    let [left, up, near] = spheres[k].center;
    let (x, y) = (left + 0.48 * near / 0.64, up - 0.6 * near / 0.64);
    let at = s![(120.0 - 120.0 * y) as i64, (160.0 + 120.0 * x) as i64];
    assert_eq!(depth.slice(at.clone()).item(), 0.0);
    assert!(picture.slice(at).max().item() < 0.15);
}
assert!(picture[s![0, 0]].max().item() > 0.4);

// %%
if let Some(path) = std::env::args().nth(1) {
    imshow(&picture).title("Spheres").save(path)?;
}
