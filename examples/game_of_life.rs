//! Plays Conway's game of life on a torus, a thread for each cell, and the same on the host.

// %% A cell lives if it has three neighbours, or two and lives already
#[kernel]
fn generation(rows: usize, columns: usize, now: &[u8], next: &mut [u8]) {
    let (y, x) = (thread::index_y(), thread::index());
    if y >= rows || x >= columns {
        return;
    }
    let mut neighbours = 0;
    for down in [rows - 1, 0, 1] {
        for right in [columns - 1, 0, 1] {
            neighbours += now[(y + down) % rows * columns + (x + right) % columns];
        }
    }
    let alive = now[y * columns + x];
    neighbours -= alive;
    next[y * columns + x] = (neighbours == 3 || (neighbours == 2 && alive == 1)) as u8;
}

fn play(world: &GpuArray<u8>, generations: usize) -> Result<GpuArray<u8>> {
    let (rows, columns) = (world.shape()[0], world.shape()[1]);
    let (mut now, mut next) = (world.copy(), zeros_like(world));
    let grid = (columns.div_ceil(16), rows.div_ceil(16));
    for _ in 0..generations {
        generation.launch(grid, (16, 16), (rows, columns, &now, &mut next))?;
        std::mem::swap(&mut now, &mut next);
    }
    Ok(now)
}

// %% A glider moves by one cell down and to the right in four generations, also over the edge
let mut world = zeros::<u8>((20, 30));
set!(world[0..3, 0..3] = gpu![u8; 0, 1, 0, 0, 0, 1, 1, 1, 1].reshape((3, 3)));
assert!(array_equal(&play(&world, 4)?, &world.roll_axis((1, 1), (0, 1))));
assert!(array_equal(&play(&world, 4 * 60)?, &world));          // 60 cells on: three times down, twice across
println!("the glider is back after 240 generations");

// %% A random world, a hundred generations, and the same on the host
fn next_on_host(world: &[u8], rows: usize, columns: usize) -> Vec<u8> {
    let mut next = Vec::new();
    for k in 0..rows * columns {
        let (y, x) = (k / columns + rows, k % columns + columns);
        let row = |y: usize| (x - 1..=x + 1).map(|x| world[y % rows * columns + x % columns]).sum::<u8>();
        let with_itself = row(y - 1) + row(y) + row(y + 1);
        next.push((with_itself == 3 || (with_itself == 4 && world[k] == 1)) as u8);
    }
    next
}
let start = rng(6).random::<f32>((120, 180)).lt(0.3).astype(u8);
let end = play(&start, 100)?;
let mut expected = start.to_vec();
for _ in 0..100 {
    expected = next_on_host(&expected, 120, 180);
}
assert!(end.to_vec() == expected, "the host plays otherwise");
println!("{} cells live at the start, {} after 100 generations", start.sum().item(), end.sum().item());

// %%
if let Some(path) = std::env::args().nth(1) {
    let panels = subplots(1, 2).size(900, 360);
    panels[0].imshow(&start).colormap("Greys").title("start");
    panels[1].imshow(&end).colormap("Greys").title("100 generations later");
    panels.save(path)?;
}
