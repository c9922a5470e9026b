// Sorts: bitonic, odd-even, by rank, by counting, radix; merges, selection, tables.
#[kernel]
fn bitonic(keys: &mut [f32]) {
    let s = shared!([f32; 256]);
    let t = thread::x();
    s[t] = keys[t];
    block::sync();
    let mut size = 2;
    while size <= 256 {
        let mut stride = size / 2;
        while stride > 0 {
            let other = t ^ stride;
            if other > t {
                let ascending = t & size == 0;
                if (s[t] > s[other]) == ascending {
                    s.swap(t, other);
                }
            }
            block::sync();
            stride /= 2;
        }
        size *= 2;
    }
    keys[t] = s[t];
}
#[kernel]
fn odd_even(keys: &mut [i32]) {
    let t = thread::x();
    for phase in 0..keys.len() {
        let i = 2 * t + phase % 2;
        if i + 1 < keys.len() && keys[i] > keys[i + 1] {
            keys.swap(i, i + 1);
        }
        block::sync();
    }
}
#[kernel]
fn rank_sort(keys: &[u16], sorted: &mut [u16]) {
    let i = thread::index();
    if i >= keys.len() {
        return;
    }
    let own = keys[i];
    let rank = keys.iter().enumerate().filter(|&(j, &other)| other < own || (other == own && j < i)).count();
    sorted[rank] = own;
}
#[kernel]
fn histogram<const BINS: usize>(x: &[u8], bins: &mut [u32]) {
    let own = shared!([u32; BINS]);
    let t = thread::x();
    let mut k = t;
    while k < BINS {
        own[k] = 0;
        k += block::width();
    }
    block::sync();
    for i in thread::range(x.len()) {
        atomic::add(&mut own[x[i] as usize % BINS], 1);
    }
    block::sync();
    let mut k = t;
    while k < BINS {
        atomic::add(&mut bins[k], own[k]);
        k += block::width();
    }
}
#[kernel]
fn merge<T: Copy + PartialOrd>(a: &[T], b: &[T], out: &mut [T]) {
    let i = thread::index();
    if i < a.len() {
        out[i + b.partition_point(|v| *v < a[i])] = a[i];
    }
    if i < b.len() {
        out[i + a.partition_point(|v| *v <= b[i])] = b[i];
    }
}
#[kernel]
fn insert(keys: &[u32], table: &mut [u32], probes: &mut [u32]) {
    let i = thread::index();
    if i >= keys.len() {
        return;
    }
    let mut place = (keys[i].wrapping_mul(2_654_435_769) as usize) % table.len();
    let mut count = 1;
    loop {
        let before = atomic::compare_exchange(&mut table[place], u32::MAX, keys[i]);
        if before == u32::MAX || before == keys[i] {
            break;
        }
        place = (place + 1) % table.len();
        count += 1;
    }
    probes[i] = count;
}
// %%
let keys = (arange(0..256) * 97 % 256).astype(f32);
let mut sorted = keys.copy();
bitonic.launch(1, 256, (&mut sorted,))?;
assert!(array_equal(&sorted, &keys.sort()));
// %%
let mut small = (arange(0..101) * 31 % 101).astype(i32);
odd_even.launch(1, 64, (&mut small,))?;
assert!(array_equal(&small, &arange(0..101).astype(i32)));
// %%
let keys = (arange(0..300) * 7 % 50).astype(u16);
let mut sorted = zeros::<u16>(300);
rank_sort.launch_for(300, (&keys, &mut sorted))?;
assert!(array_equal(&sorted, &keys.sort()));
// %%
let bytes = (arange(0..10000) % 256).astype(u8);
let mut bins = zeros::<u32>(64);
histogram::<64>.launch(8, 128, (&bytes, &mut bins))?;
assert_eq!(bins.sum().item(), 10000);
assert_eq!(bins[0].item(), 157);
// %%
let (a, b) = (arange(0..50) * 3, arange(0..80) * 2);
let mut merged = zeros::<i32>(130);
let (a, b) = (a.astype(i32), b.astype(i32));
merge::<i32>.launch_for(80, (&a, &b, &mut merged))?;
assert!(array_equal(&merged, &concatenate(&[&a, &b]).sort()));
// %%
let keys = (arange(0..200) * 12_345 % 1_000).astype(u32);
let mut table = full(512, u32::MAX);
let mut probes = zeros::<u32>(200);
insert.launch_for(200, (&keys, &mut table, &mut probes))?;
assert_eq!(table.filter(|k| k != u32::MAX).sort().to_vec(), keys.unique().to_vec());
// %%
let order = gpu![3.0f32, -1.0, 2.0, -4.0].sort_by_key(|v| v.abs());
assert_eq!(order.to_vec(), [-1.0, 2.0, 3.0, -4.0]);
