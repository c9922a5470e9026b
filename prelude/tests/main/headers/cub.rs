//! CUB's primitives of blocks and warps: the kernels of `cub.cu` check
//! themselves against plain loops.

use gpurepl_prelude::*;

/// Runs the tests of these names, each in a module of its own: one with all of
/// them compiles for a minute.
fn run(names: &[&str]) {
    let text = include_str!("cub.cu");
    let (tests, common): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with("TEST("));
    let common = common.join("\n");
    let mut wrong = Vec::new();
    for test in tests {
        let words = test.split_once("// @test ").expect("each says its name and its block").1;
        let (name, block) = words.split_once(' ').expect("as above");
        if !names.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        let block: Vec<u32> = block.split(' ').take(3).map(|word| word.trim().parse().unwrap()).collect();
        let module = SourceModule::new(&format!("{common}\n{test}\n"))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let (mut errors, mut work) = (zeros::<i32>(1024), zeros::<u8>(3 * 65536));
        let kernel = module.get_function(name).unwrap();
        kernel.launch(3, (block[0], block[1], block[2]), (&mut errors, &mut work)).unwrap();
        let errors = errors.to_vec();
        if errors[0] != 0 {
            wrong.push(format!("{name}, line {}", errors[1]));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn reductions_of_blocks() {
    run(&["reduce_"]);
}

#[test]
fn scans_of_blocks() {
    run(&["scan_"]);
}

#[test]
fn reductions_and_scans_of_warps() {
    run(&["warp_"]);
}

#[test]
fn items_that_are_moved() {
    run(&["exchange_", "move_"]);
}

#[test]
fn blocks_that_sort() {
    run(&["radix_", "merge_"]);
}

#[test]
fn histograms_neighbours_and_runs() {
    run(&["histo_", "neighbours_", "decode_", "others_"]);
}

#[test]
fn what_the_host_would_call_is_refused() {
    let source = "#include <cub/cub.cuh>\n\
                  __global__ void k(int *a) { size_t n = 0; cub::DeviceReduce::Sum((void *)0, n, a, a, 5); }";
    let error = SourceModule::new(source).and_then(|module| module.get_function("k")).unwrap_err();
    if crate::is_on_host() {
        assert!(error.to_string().contains("sum"), "{error}");
    }
}
