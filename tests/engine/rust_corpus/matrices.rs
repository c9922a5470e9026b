// Matrices: products plain and by tiles, transposes, LU, Cholesky, Kronecker, sparse and banded products.
#[kernel]
fn product(a: Matrix<f32>, b: Matrix<f32>, mut c: MatrixMut<f32>) {
    let (i, j) = (thread::index_y(), thread::index());
    if !c.contains((i, j)) {
        return;
    }
    c[(i, j)] = (0..a.columns()).map(|k| a[(i, k)] * b[(k, j)]).sum();
}
#[kernel]
fn tiled<const T: usize>(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    let (ta, tb) = (shared!([[f32; T]; T]), shared!([[f32; T]; T]));
    let (x, y) = (thread::x(), thread::y());
    let (row, column) = (block::y() * T + y, block::x() * T + x);
    let mut sum = 0.0;
    for tile in 0..n.div_ceil(T) {
        let (k, l) = (tile * T + x, tile * T + y);
        ta[y][x] = if row < n && k < n { a[row * n + k] } else { 0.0 };
        tb[y][x] = if l < n && column < n { b[l * n + column] } else { 0.0 };
        block::sync();
        for k in 0..T {
            sum += ta[y][k] * tb[k][x];
        }
        block::sync();
    }
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}
#[kernel]
fn transpose(from: Matrix<i64>, mut to: MatrixMut<i64>) {
    let tile = shared!([[i64; 17]; 16]);
    let (x, y) = (thread::x(), thread::y());
    let (i, j) = (block::y() * 16 + y, block::x() * 16 + x);
    if from.contains((i, j)) {
        tile[y][x] = from[(i, j)];
    }
    block::sync();
    let (i, j) = (block::x() * 16 + y, block::y() * 16 + x);
    if to.contains((i, j)) {
        to[(i, j)] = tile[x][y];
    }
}
#[kernel]
fn lu(mut a: MatrixMut<f64>) {
    let n = a.rows();
    let t = thread::x();
    for k in 0..n {
        if t > k && t < n {
            a[(t, k)] /= a[(k, k)];
        }
        block::sync();
        if t > k && t < n {
            for j in k + 1..n {
                let v = a[(t, k)] * a[(k, j)];
                a[(t, j)] -= v;
            }
        }
        block::sync();
    }
}
#[kernel]
fn kronecker(a: Matrix<i32>, b: Matrix<i32>, mut out: MatrixMut<i32>) {
    let (i, j) = (thread::index_y(), thread::index());
    if let [rows, columns] = out.shape() && i < rows && j < columns {
        out[[i, j]] = a[[i / b.rows(), j / b.columns()]] * b[[i % b.rows(), j % b.columns()]];
    }
}
#[kernel]
fn sparse(values: &[f64], columns: &[u32], starts: &[u32], x: &[f64], y: &mut [f64]) {
    let row = thread::index();
    if row < y.len() {
        let range = starts[row] as usize..starts[row + 1] as usize;
        y[row] = values[range.clone()].iter().zip(&columns[range]).map(|(v, c)| v * x[*c as usize]).sum();
    }
}
#[kernel]
fn cube(from: View<f32, 3>, mut to: ViewMut<f32, 3>) {
    let at = (thread::index_z(), thread::index_y(), thread::index());
    if to.contains(at) {
        to[at] = from[(at.2, at.1, at.0)] * 2.0;
    }
}
// %%
let a = (arange(0..12).astype(f32)).reshape((3, 4));
let mut c = zeros::<f32>((3, 3));
product.launch((1, 1), (4, 4), (&a, &a.t(), &mut c))?;
assert!(array_equal(&c, &a.matmul(&a.t())));
// %%
let n = 50usize;
let (x, y) = (rand((n, n)), rand((n, n)));
let mut z = zeros::<f32>((n, n));
tiled::<16>.launch((4, 4), (16, 16), (&x, &y, &mut z, n))?;
assert!(allclose(&z, &x.matmul(&y)));
// %%
let m = arange(0..30 * 20).astype(i64).reshape((30, 20));
let mut t = zeros::<i64>((20, 30));
transpose.launch((2, 2), (16, 16), (&m, &mut t))?;
assert!(array_equal(&t, &m.t()));
// Into a part of a larger array, of every second column of another.
let mut large = zeros::<i64>((40, 40));
transpose.launch((1, 2), (16, 16), (&m.slice(s![.., ..;2]), &mut large.slice(s![5..15, 7..37])))?;
assert!(array_equal(&large.slice(s![5..15, 7..37]), &m.slice(s![.., ..;2]).t()));
assert_eq!(large.sum().item(), m.slice(s![.., ..;2]).sum().item());
// %%
let a = gpu![[4.0, 3.0, 2.0], [2.0, 4.0, 1.0], [1.0, 2.0, 5.0]];
let mut f = a.copy();
lu.launch(1, 4, (&mut f,))?;
let l = f.tril(-1) + eye::<f64>(3);
assert!(allclose(&l.matmul(&f.triu(0)), &a));
// %%
let (p, q) = (gpu![[1, 2], [3, 4]], gpu![[0, 5], [6, 7]]);
let mut k = zeros::<i32>((4, 4));
kronecker.launch((1, 1), (4, 4), (&p, &q, &mut k))?;
assert!(array_equal(&k, &p.kron(&q)));
// %%
let mut y = zeros::<f64>(3);
sparse.launch_for(3, (&gpu![1.0, 2.0, 3.0, 4.0], &gpu![u32; 0, 2, 1, 2], &gpu![u32; 0, 2, 2, 4], &gpu![1.0, 10.0, 100.0], &mut y))?;
assert_eq!(y.to_vec(), [201.0, 0.0, 430.0]);
// %%
let v = arange(0..24).astype(f32).reshape((2, 3, 4));
let mut w = zeros::<f32>((4, 3, 2));
cube.launch((1, 1, 1), (2, 3, 4), (&v, &mut w))?;
assert!(array_equal(&w, &(v.t() * 2.0f32)));
