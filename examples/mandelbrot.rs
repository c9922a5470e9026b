//! Draws the Mandelbrot set by an elementwise kernel, and counts the same steps in a loop on the host.

// %% The statement for an element: iterate z = z*z + c until it is farther away than 2
const LIMIT: i32 = 200;
let escape = ElementwiseKernel::new(
    "const double *re, const double *im, int *steps, int limit",
    "double x = 0, y = 0;
     int k = 0;
     while (k < limit && x * x + y * y <= 4) {
         double next = x * x - y * y + re[i];
         y = 2 * x * y + im[i];
         x = next;
         k++;
     }
     steps[i] = k",
    "escape",
)?
// Products and sums are rounded one by one, as on the host: a fused one would change a few counts.
.option("--fmad=false");

// %% Real parts are a row and imaginary parts a column: they broadcast to the picture
let (height, width) = (320_usize, 400_usize);
let re = linspace(-2.2, 0.8, width).reshape((1, width));
let im = linspace(1.25, -1.15, height).reshape((height, 1));
let mut steps = zeros::<i32>((height, width));
let (done, milliseconds) = timed(|| escape.call((&re, &im, &mut steps, LIMIT)))?;
done?;
println!("{height} by {width} pixels in {milliseconds:.1} ms, {} steps in all", steps.sum().item());

// %% On the host
fn steps_of(re: f64, im: f64) -> i32 {
    let (mut x, mut y) = (0.0, 0.0);
    for k in 0..LIMIT {
        if x * x + y * y > 4.0 {
            return k;
        }
        (x, y) = (x * x - y * y + re, 2.0 * x * y + im);
    }
    LIMIT
}
let (res, ims) = (re.to_vec(), im.to_vec());
let expected: Vec<i32> = ims.iter().flat_map(|&im| res.iter().map(move |&re| steps_of(re, im))).collect();
assert!(steps.to_vec() == expected, "the kernel counts otherwise");

// %% The share of pixels that never leave tells the area of the set, which is about 1.507
let inside = steps.eq(LIMIT).astype(f64).mean().item();
let area = inside * 3.0 * 2.4;
println!("area of the set: about {area:.2}");
assert!((area - 1.507).abs() < 0.05);

// %%
if let Some(path) = std::env::args().nth(1) {
    let colors = where_(&steps.eq(LIMIT), f64::NAN, &steps.astype(f64).log1p());
    imshow(&colors).colormap("twilight").extent(-2.2, 0.8, -1.15, 1.25).title("Mandelbrot set").save(path)?;
}
