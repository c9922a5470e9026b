//! Lets heat spread in a plate with a cold rim, and compares it with waves whose decay is known exactly.

// %% A step of time: each inner point moves towards the mean of its four neighbours
let spread = SourceModule::new("
__global__ void spread(double *next, const double *now, int rows, int columns, double rate)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows) return;
    int at = y * columns + x;
    next[at] = 0;
    if (x == 0 || y == 0 || x == columns - 1 || y == rows - 1) return;
    double around = now[at - 1] + now[at + 1] + now[at - columns] + now[at + columns];
    next[at] = now[at] + rate * (around - 4 * now[at]);
}")?
.get_function("spread")?;

fn after(spread: &Function, start: &GpuArray<f64>, steps: usize, rate: f64) -> Result<GpuArray<f64>> {
    let (rows, columns) = (start.shape()[0], start.shape()[1]);
    let (mut now, mut next) = (start.copy(), zeros_like(start));
    let grid = (columns.div_ceil(16), rows.div_ceil(16));
    for _ in 0..steps {
        spread.launch(grid, (16, 16), (&mut next, &now, rows, columns, rate))?;
        std::mem::swap(&mut now, &mut next);
    }
    Ok(now)
}

// %% A wave with k halves across and l halves down keeps its shape: each step multiplies it by a factor
use std::f64::consts::PI;
let (rows, columns, rate) = (91_usize, 121_usize, 0.2);
for (k, l, steps) in [(1.0, 1.0, 500), (3.0, 2.0, 200), (8.0, 5.0, 50)] {
    let slowness = (PI * k / 240.0).sin().powi(2) + (PI * l / 180.0).sin().powi(2);
    let factor = (1.0 - 4.0 * rate * slowness).powi(steps);
    let wave = |factor: f64| GpuArray::from_fn((rows, columns), |at| {
        factor * (PI * l * at[0] as f64 / 90.0).sin() * (PI * k * at[1] as f64 / 120.0).sin()
    });
    let later = after(&spread, &wave(1.0), steps as usize, rate)?;
    let off = (later - wave(factor)).abs().max().item();
    println!("{k} by {l} halves: {factor:.5} is left after {steps} steps, largest error {off:.1e}");
    assert!(factor < 0.99 && off < 1e-12);
}

// %% A hot square in a cold plate. Heat flows out over the rim alone, so that there is ever less of it
let mut plate = zeros::<f64>((rows, columns));
set!(plate[30..60, 20..60] = 100.0);
let later = after(&spread, &plate, 600, rate)?;
let (first, last) = (plate.sum().item(), later.sum().item());
println!("heat {first:.0} at the start, {last:.0} later; hottest {:.1}", later.max().item());
assert!(last < first && last > 0.5 * first);
assert!(later.max().item() < 100.0 && later.min().item() >= 0.0);

// %%
if let Some(path) = std::env::args().nth(1) {
    let panels = subplots(1, 2).size(900, 330);
    panels[0].imshow(&plate).colormap("inferno").clim(0.0, 100.0).title("start");
    panels[1].imshow(&later).colormap("inferno").clim(0.0, 100.0).title("600 steps later");
    panels.save(path)?;
}
