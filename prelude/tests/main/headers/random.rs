//! `curand_kernel.h`: a seed gives cuRAND's numbers, and they are random.

use gpurepl_kernels::random::philox;
use gpurepl_prelude::*;

use super::kernel;

const BOTH: [&str; 2] = ["curandState", "curandStatePhilox4_32_10_t"];

/// The first numbers after `curand_init`.
fn words(state: &str, seed: u64, subsequence: u64, offset: u64) -> Vec<u32> {
    let source = r#"
        #include <curand_kernel.h>
        __global__ void k(unsigned int *out, unsigned long long seed, unsigned long long subsequence, unsigned long long offset)
        {
            STATE state;
            curand_init(seed, subsequence, offset, &state);
            for (int k = 0; k < 8; k++) out[k] = curand(&state);
        }
    "#;
    let mut out = vec![0_u32; 8];
    let kernel = kernel(&source.replace("STATE", state));
    kernel.launch(1, 1, (Out(&mut out), seed, subsequence, offset)).unwrap();
    out
}

#[test]
fn philox_is_that_of_its_authors() {
    for (seed, subsequence, offset) in
        [(0, 0, 0), (42, 7, 1001), (0x0123_4567_89ab_cdef, 123_456_789_012_345, 98_765_432_109_878)]
    {
        let all: Vec<u32> = (0..3).flat_map(|k| philox(offset / 4 + k, subsequence, seed)).collect();
        let start = (offset % 4) as usize;
        assert_eq!(words(BOTH[1], seed, subsequence, offset), all[start..start + 8], "{seed} {subsequence}");
    }
}

/// Numbers written down from cuRAND 10.4.
#[test]
fn xorwow_gives_curands_numbers() {
    let known = [
        (0, 0, 0, [3_179_217_846, 1_883_133_293, 2_220_552_389, 674_260_989, 306_521_119]),
        (42, 1, 0, [687_819_970, 2_592_620_328, 2_975_550_928, 2_672_029_660, 1_172_961_726]),
        (1234, 7, 1000, [4_260_177_750, 164_625_581, 3_073_114_716, 1_179_851_932, 2_179_597_131]),
        (1, 0xffff_ffff, 5, [2_798_796_780, 3_473_051_170, 537_691_727, 1_121_941, 1_215_810_722]),
        (
            0x0123_4567_89ab_cdef,
            123_456_789_012_345,
            98_765_432_109_876,
            [3_229_494_501, 2_612_825_864, 2_617_338_485, 177_315_833, 2_082_214_337],
        ),
    ];
    for (seed, subsequence, offset, expected) in known {
        assert_eq!(words(BOTH[0], seed, subsequence, offset)[..5], expected, "{seed} {subsequence} {offset}");
    }
}

#[test]
fn numbers_of_each_kind_are_curands() {
    let source = r#"
        #include <curand_kernel.h>
        __global__ void k(double *a, unsigned int *next)
        {
            STATE state;
            curand_init(1234, 5, 0, &state);
            for (int k = 0; k < 3; k++) a[k] = curand_uniform(&state);
            next[0] = curand(&state);
            curand_init(1234, 5, 0, &state);
            for (int k = 3; k < 6; k++) a[k] = curand_uniform_double(&state);
            next[1] = curand(&state);
            curand_init(1234, 5, 0, &state);
            for (int k = 6; k < 9; k++) a[k] = curand_normal(&state);
            next[2] = curand(&state);
            curand_init(1234, 5, 0, &state);
            for (int k = 9; k < 12; k++) a[k] = curand_normal_double(&state);
            next[3] = curand(&state);
            curand_init(1234, 5, 0, &state);
            curand(&state);
            skipahead(10ull, &state);
            next[4] = curand(&state);
            skipahead(1000000000000ull, &state);
            next[5] = curand(&state);
        }
    "#;
    let xorwow = (
        [
            0.868_978_858,
            0.501_245_737,
            0.214_081_854,
            0.501_245_671_107_604_1,
            0.380_287_236_636_417_67,
            0.629_326_548_202_187,
            -0.004_148_263_95,
            -0.529_958_308,
            1.199_608_45,
            0.802_997_111_871_765_9,
            -0.858_203_653_867_492_8,
            -0.945_035_208_703_038_5,
        ],
        [1_633_321_130, 2_956_155_405, 1_363_217_923, 3629609298_u32],
    );
    let philox = (
        [
            0.973_670_244,
            0.717_302_024,
            0.543_573_439,
            0.973_670_250_969_007_6,
            0.717_302_053_002_640_6,
            0.543_573_427_246_883_5,
            -0.226_150_9,
            -0.047_126_993_5,
            -1.102_225_78,
            -0.813_746_665_494_546_9,
            -0.048_297_734_992_461_76,
            0.532_385_515_682_402_3,
        ],
        [3_180_702_920, 3_180_702_920, 1_549_596_404, 648_658_203],
    );
    let skipped = [[689_711_927, 2_024_811_122], [3_521_664_514, 1_110_329_486]];
    for ((state, (numbers, next)), skipped) in BOTH.iter().zip([xorwow, philox]).zip(skipped) {
        let (mut a, mut found) = ([0.0_f64; 12], [0_u32; 6]);
        kernel(&source.replace("STATE", state)).launch(1, 1, (Out(&mut a), Out(&mut found))).unwrap();
        for (k, (a, expected)) in a.iter().zip(numbers).enumerate() {
            let allowed = if matches!(k, 3..6 | 9..12) { 1e-14 } else { 2e-6 };
            assert!((a - expected).abs() <= allowed, "{state} {k}: {a} {expected}");
        }
        assert_eq!((&found[..4], &found[4..]), (&next[..], &skipped[..]), "{state}");
    }
}

#[test]
fn four_at_a_time() {
    let source = r#"
        #include <curand_kernel.h>
        __global__ void k(unsigned int *words, float *f, double *d)
        {
            curandStatePhilox4_32_10_t state;
            curand_init(1234, 5, 0, &state);
            words[0] = curand(&state);
            uint4 x = curand4(&state);
            words[1] = x.x; words[2] = x.y; words[3] = x.z; words[4] = x.w; words[5] = curand(&state);
            curand_init(1234, 5, 0, &state);
            float4 u = curand_uniform4(&state);
            f[0] = u.x; f[1] = u.w;
            curand_init(1234, 5, 0, &state);
            float4 n = curand_normal4(&state);
            f[2] = n.x; f[3] = n.w;
            curand_init(1234, 5, 0, &state);
            double2 v = curand_uniform2_double(&state);
            d[0] = v.x; d[1] = v.y;
        }
    "#;
    let (mut words, mut f, mut d) = ([0_u32; 6], [0.0_f32; 4], [0.0_f64; 2]);
    kernel(source).launch(1, 1, (Out(&mut words), Out(&mut f), Out(&mut d))).unwrap();
    let expected = [4_181_881_884, 3_080_788_858, 2_334_630_092, 3_180_702_920, 1_549_596_404, 1_069_600_344];
    assert_eq!(words, expected);
    let near = f.iter().zip([0.973_670_24, 0.740_565_1, -0.226_150_9, -0.065_417_536]);
    assert!(near.into_iter().all(|(f, expected)| (f - expected).abs() < 2e-6), "{f:?}");
    assert_eq!(d, [0.717_302_124_965_161_4, 0.740_564_856_966_579_9]);
}

#[test]
fn a_state_goes_on_in_the_next_launch() {
    let source = r#"
        #include <curand_kernel.h>
        extern "C" __global__ void start(curandState *states, int *bytes)
        {
            int i = threadIdx.x;
            bytes[0] = sizeof(curandState);
            curand_init(99, i, 0, &states[i]);
        }
        extern "C" __global__ void next(curandState *states, unsigned int *out)
        {
            curandState state = states[threadIdx.x];
            out[threadIdx.x] = curand(&state);
            states[threadIdx.x] = state;
        }
    "#;
    let module = SourceModule::new(source).unwrap();
    let (mut states, mut bytes, mut out) = (zeros::<u64>(64 * 8), zeros::<i32>(1), zeros::<u32>(64));
    module.get_function("start").unwrap().launch(1, 64, (&mut states, &mut bytes)).unwrap();
    assert!(bytes.item() <= 64, "{}", bytes.item());
    let next = module.get_function("next").unwrap();
    let found: Vec<u32> = (0..8)
        .map(|_| {
            next.launch(1, 64, (&mut states, &mut out)).unwrap();
            out.to_vec()[63]
        })
        .collect();
    assert_eq!(found, words(BOTH[0], 99, 63, 0));
}

/// The mean and the variance.
fn moments(x: &[f64]) -> (f64, f64) {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    (mean, x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64)
}

#[test]
fn distributions_have_their_mean_and_variance() {
    let source = r#"
        #include <curand_kernel.h>
        __global__ void k(double *out)
        {
            int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
            STATE state;
            curand_init(2024, i, 0, &state);
            for (int k = 0; k < 16; k++) {
                double *o = out + (k * n + i) * 9;
                o[0] = curand_uniform(&state);
                o[1] = curand_uniform_double(&state);
                o[2] = curand_normal(&state);
                o[3] = curand_normal_double(&state);
                o[4] = log(curand_log_normal(&state, 0.5f, 0.25f));
                o[5] = curand_poisson(&state, 3.0);
                o[6] = curand_poisson(&state, 50.0);
                float2 pair = curand_normal2(&state);
                o[7] = pair.x * pair.y;
                o[8] = curand_poisson(&state, 10000.0);
            }
        }
    "#;
    let count = 16 * 64 * 128;
    let expected = [
        (0.5, 1.0 / 12.0),
        (0.5, 1.0 / 12.0),
        (0.0, 1.0),
        (0.0, 1.0),
        (0.5, 0.0625),
        (3.0, 3.0),
        (50.0, 50.0),
        // Both of a pair are independent.
        (0.0, 1.0),
        (10_000.0, 10_000.0),
    ];
    for state in BOTH {
        let mut out = vec![0.0_f64; 9 * count];
        kernel(&source.replace("STATE", state)).launch(64, 128, Out(&mut out)).unwrap();
        for (k, (mean, variance)) in expected.into_iter().enumerate() {
            let column: Vec<f64> = out.iter().skip(k).step_by(9).copied().collect();
            let found = moments(&column);
            // Five standard errors of the mean; the variance within 4 %.
            let error = 5.0 * (variance / count as f64).sqrt();
            assert!((found.0 - mean).abs() < error, "{state} {k}: mean {} not {mean}", found.0);
            assert!((found.1 / variance - 1.0).abs() < 0.04, "{state} {k}: variance {}", found.1);
            if k < 2 {
                assert!(column.iter().all(|x| *x > 0.0 && *x <= 1.0), "{state} {k}");
            }
        }
    }
}
