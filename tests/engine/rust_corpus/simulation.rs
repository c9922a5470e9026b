// Simulations: bodies, a random walk, a Lorenz system, pi by darts, Ising, waves.
kernel_struct! {
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Body { x: f32, y: f32, vx: f32, vy: f32, mass: f32 }
}
impl Body {
    fn pull(&self, other: &Body) -> (f32, f32) {
        let (dx, dy) = (other.x - self.x, other.y - self.y);
        let d2 = dx * dx + dy * dy + 0.01;
        let f = other.mass / (d2 * d2.sqrt());
        (dx * f, dy * f)
    }
    fn describe(&self) -> String { format!("{self:?}") }
}
#[kernel]
fn bodies(from: &[Body], to: &mut [Body], dt: f32) {
    let i = thread::index();
    let Some(own) = from.get(i) else { return };
    let mut own = *own;
    let (ax, ay) = from.iter().map(|other| own.pull(other)).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    own.vx += ax * dt;
    own.vy += ay * dt;
    own.x += own.vx * dt;
    own.y += own.vy * dt;
    to[i] = own;
}
/// A generator of Marsaglia's.
struct Random(u32);
impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }
    fn uniform(&mut self) -> f32 {
        (self.next() >> 8) as f32 / (1u32 << 24) as f32
    }
}
impl Iterator for Random {
    type Item = f32;
    fn next(&mut self) -> Option<f32> {
        Some(self.uniform())
    }
}
#[kernel]
fn darts(hits: &mut [u32], each: usize) {
    let i = thread::index();
    let mut random = Random((i as u32).wrapping_mul(747_796_405) + 1);
    let mut count = 0;
    for _ in 0..each {
        let (x, y) = (random.uniform(), random.uniform());
        count += (x * x + y * y < 1.0) as u32;
    }
    hits[i] = count;
}
#[kernel]
fn walk(ends: &mut [i32], steps: usize) {
    let i = thread::index();
    let random = Random(i as u32 + 17);
    ends[i] = random.take(steps).map(|u| if u < 0.5 { -1 } else { 1 }).sum();
}
trait System<const N: usize> {
    fn slope(&self, at: [f64; N]) -> [f64; N];
    fn step(&self, at: [f64; N], h: f64) -> [f64; N] {
        let moved = |by: [f64; N], f: f64| std::array::from_fn(|k| at[k] + f * by[k]);
        let a = self.slope(at);
        let b = self.slope(moved(a, h / 2.0));
        let c = self.slope(moved(b, h / 2.0));
        let d = self.slope(moved(c, h));
        std::array::from_fn(|k| at[k] + h / 6.0 * (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]))
    }
}
struct Lorenz { sigma: f64, rho: f64, beta: f64 }
impl System<3> for Lorenz {
    fn slope(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        [self.sigma * (y - x), x * (self.rho - z) - y, x * y - self.beta * z]
    }
}
#[kernel]
fn lorenz(starts: &mut [[f64; 3]], steps: usize) {
    let system = Lorenz { sigma: 10.0, rho: 28.0, beta: 8.0 / 3.0 };
    if let Some(at) = starts.get_mut(thread::index()) {
        for _ in 0..steps {
            *at = system.step(*at, 0.01);
        }
    }
}
#[kernel]
fn ising(mut spins: MatrixMut<i8>, colour: usize, uniform: Matrix<f32>, beta: f32) {
    let (i, j) = (thread::index_y(), thread::index());
    let [h, w] = spins.shape();
    if i >= h || j >= w || (i + j) % 2 != colour {
        return;
    }
    let around = spins[((i + 1) % h, j)] + spins[((i + h - 1) % h, j)] + spins[(i, (j + 1) % w)] + spins[(i, (j + w - 1) % w)];
    let energy = 2.0 * (spins[(i, j)] * around) as f32;
    if energy <= 0.0 || uniform[(i, j)] < (-beta * energy).exp() {
        spins[(i, j)] = -spins[(i, j)];
    }
}
// %%
let b = |x, y| Body { x, y, vx: 0.0, vy: 0.0, mass: 1.0 };
let start = vec![b(-1.0, 0.0), b(1.0, 0.0), b(0.0, 3.0)];
let mut end = start.clone();
bodies.launch_for(3, (In(&start), Out(&mut end), 0.1f32))?;
assert!(end[0].vx > 0.0 && end[0].vx == -end[1].vx && end[2].vy < 0.0 && end[2].vx == 0.0);
// %%
let mut hits = zeros::<u32>(1024);
darts.launch(4, 256, (&mut hits, 1000usize))?;
let pi = 4.0 * hits.sum().item() as f64 / 1_024_000.0;
assert!((pi - std::f64::consts::PI).abs() < 0.02, "{pi}");
// %%
let mut ends = zeros::<i32>(256);
walk.launch(1, 256, (&mut ends, 100usize))?;
assert_eq!(ends[0].item(), Random(17).take(100).map(|u| if u < 0.5 { -1 } else { 1 }).sum::<i32>());
// %%
let mut starts = vec![[1.0, 1.0, 1.0], [1.0, 1.0, 1.001]];
lorenz.launch_for(2, (InOut(&mut starts), 100usize))?;
let system = Lorenz { sigma: 10.0, rho: 28.0, beta: 8.0 / 3.0 };
let right = (0..100).fold([1.0, 1.0, 1.0], |at, _| system.step(at, 0.01));
assert!((0..3).all(|k| (starts[0][k] - right[k]).abs() < 1e-9));
// %%
let mut spins = ones::<i8>((16, 16));
for colour in 0..2usize {
    ising.launch((1, 1), (16, 16), (&mut spins, colour, &zeros::<f32>((16, 16)), 0.0f32))?;
}
// Each spin turns, and those of the second colour have all others against them.
assert_eq!(spins.astype(i32).sum().item(), -256);
