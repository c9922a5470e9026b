//! Shows which thread of which block computes which element of a matrix: each writes its numbers down.

// %% Each thread finds its element from its place in the block and the place of its block in the grid
let who = SourceModule::new("
__global__ void who(int *block, int *thread, int rows, int columns)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= columns || y >= rows) return;                    // the last blocks reach beyond the matrix
    block[y * columns + x] = blockIdx.y * gridDim.x + blockIdx.x;
    thread[y * columns + x] = threadIdx.y * blockDim.x + threadIdx.x;
}")?
.get_function("who")?;

// %% A matrix of 7 by 10 elements, blocks of 4 by 3 threads (x before y)
let (rows, columns) = (7_usize, 10_usize);
let (wide, high) = (4_usize, 3_usize);
let grid = (columns.div_ceil(wide), rows.div_ceil(high));
let mut block = zeros::<i32>((rows, columns));
let mut thread = zeros_like(&block);
who.launch(grid, (wide, high), (&mut block, &mut thread, rows, columns))?;
println!("a grid of {} by {} blocks of {wide} by {high} threads", grid.0, grid.1);
println!("the block of each element:\n{block}");
println!("its thread within the block:\n{thread}");

// %% The same by arithmetic
let expected_block = GpuArray::from_fn((rows, columns), |at| (at[0] / high * grid.0 + at[1] / wide) as i32);
let expected_thread = GpuArray::from_fn((rows, columns), |at| (at[0] % high * wide + at[1] % wide) as i32);
assert!(array_equal(&block, &expected_block));
assert!(array_equal(&thread, &expected_thread));

// %% Blocks at the edge have threads without an element
let of_block = block.ravel().bincount();
println!("elements of each block: {of_block}");
assert_eq!(of_block.to_vec(), [12, 12, 6, 12, 12, 6, 4, 4, 2]);

// %%
if let Some(path) = std::env::args().nth(1) {
    let panels = subplots(1, 2).size(900, 360);
    panels[0].imshow(&block).colormap("turbo").title("blocks");
    panels[1].imshow(&thread).colormap("viridis").title("threads within a block");
    panels.save(path)?;
}
