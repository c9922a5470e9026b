//! How a space is searched.
//!
//! Which algorithm finds the fastest kernels depends on the number of tries: Schoonhoven, van Werkhoven and
//! Batenburg compare sixteen on 26 spaces in "Benchmarking optimization algorithms for auto-tuning GPU kernels" (IEEE
//! Transactions on Evolutionary Computation, 2022). Of their kinds local search that begins again, and a genetic algorithm, are
//! here. The first is the default because it needs fewer tries on the space that the tests plant.

use std::collections::HashMap;

use crate::space::Space;

/// In which order variants are tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum TuningStrategy {
    /// All of them, in random order; if the time is over before, as many as it allows.
    All,
    /// As [`TuningStrategy::All`], also of a space that is too large to be listed.
    Random,
    /// From one that is good to a better one in which one value differs, and from the best one to
    /// others in which a few do, until all have been tried.
    #[default]
    Climb,
    /// Values of good ones are combined, and some changed.
    Evolve,
}

/// What a try has come to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tried {
    /// The variant's time, in seconds; none if it failed.
    Time(Option<f64>),
    /// The search is to end.
    Stop,
}

/// A random number generator, splitmix64: the search is the same each time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below another one, which is not zero.
    fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for k in (1..items.len()).rev() {
            items.swap(k, self.below(k + 1));
        }
    }
}

/// How often a random combination is drawn before a search gives up finding one that is allowed.
pub const DRAWS: usize = 10_000;

struct Search<'s> {
    space: &'s Space,
    size: u64,
    /// The first one that is allowed, where they are listed.
    first: u64,
    /// Those that are allowed and have not been tried, if the space is small.
    left: Option<Vec<u64>>,
    known: HashMap<u64, Option<f64>>,
    best: Option<(f64, u64)>,
    random: Random,
    tries: &'s mut dyn FnMut(u64) -> Tried,
}

/// The search has ended: everything was tried, or it was stopped.
struct Over;

/// Tries combinations of a space in the order of a strategy, the first one of all before any other, until
/// a try says that it is to end or nothing is left. Nothing is tried twice. `listed` is [`Space::listed`].
pub fn search(
    strategy: TuningStrategy,
    space: &Space,
    mut listed: Option<Vec<u64>>,
    tries: &mut dyn FnMut(u64) -> Tried,
) {
    let size = space.size().unwrap_or(u64::MAX);
    let first = listed.as_ref().and_then(|all| all.first()).copied().unwrap_or(0);
    let mut random = Random(size);
    if let Some(all) = &mut listed {
        random.shuffle(all);
    }
    let known = HashMap::new();
    let mut search = Search { space, size, first, left: listed, known, best: None, random, tries };
    let _ = match strategy {
        TuningStrategy::All | TuningStrategy::Random => search.anything(),
        TuningStrategy::Climb => search.climb(),
        TuningStrategy::Evolve => search.evolve(),
    };
}

impl Search<'_> {
    /// The time of a combination, tried now if it was not; none if it fails or is not allowed.
    fn time(&mut self, number: u64) -> Result<Option<f64>, Over> {
        if let Some(known) = self.known.get(&number) {
            return Ok(*known);
        }
        if !self.space.allows(number) {
            return Ok(None);
        }
        let Tried::Time(time) = (self.tries)(number) else { return Err(Over) };
        self.known.insert(number, time);
        if let Some(time) = time
            && self.best.is_none_or(|(best, _)| time < best)
        {
            self.best = Some((time, number));
        }
        Ok(time)
    }

    /// A combination that is allowed and has not been tried.
    fn another(&mut self) -> Result<u64, Over> {
        if let Some(left) = &mut self.left {
            while let Some(number) = left.pop() {
                if !self.known.contains_key(&number) {
                    return Ok(number);
                }
            }
            return Err(Over);
        }
        for _ in 0..DRAWS {
            let number = ((u128::from(self.random.next()) * u128::from(self.size)) >> 64) as u64;
            if !self.known.contains_key(&number) && self.space.allows(number) {
                return Ok(number);
            }
        }
        Err(Over)
    }

    fn first(&mut self) -> Result<(), Over> {
        self.time(self.first).map(drop)
    }

    fn anything(&mut self) -> Result<(), Over> {
        self.first()?;
        loop {
            let number = self.another()?;
            self.time(number)?;
        }
    }

    fn climb(&mut self) -> Result<(), Over> {
        self.first()?;
        let mut turn = 0_usize;
        loop {
            // Every third climb begins anywhere, so that the search is not caught in one valley.
            let start = match self.best {
                Some((_, best)) if !turn.is_multiple_of(3) => self.changed(best, 2),
                _ => self.another()?,
            };
            turn += 1;
            let before = self.known.len();
            self.climb_from(start)?;
            if self.known.len() == before {
                let number = self.another()?;
                self.climb_from(number)?;
            }
        }
    }

    /// Goes on to the first neighbour that is better, as long as there is one.
    fn climb_from(&mut self, mut number: u64) -> Result<(), Over> {
        let Some(mut time) = self.time(number)? else { return Ok(()) };
        'climbing: loop {
            let mut neighbours = self.neighbours(number);
            self.random.shuffle(&mut neighbours);
            // Values that stand next to each other come first.
            neighbours.sort_by_key(|(distance, _)| *distance > 1);
            for (_, neighbour) in neighbours {
                if let Some(other) = self.time(neighbour)?
                    && other < time
                {
                    (number, time) = (neighbour, other);
                    continue 'climbing;
                }
            }
            return Ok(());
        }
    }

    /// Combinations in which one value is another, and how far away that is in its list.
    fn neighbours(&self, number: u64) -> Vec<(usize, u64)> {
        let choices = self.space.choices(number);
        let mut neighbours = Vec::new();
        for (k, (_, values)) in self.space.parameters().enumerate() {
            for other in (0..values.len()).filter(|other| *other != choices[k]) {
                let mut changed = choices.clone();
                changed[k] = other;
                neighbours.push((other.abs_diff(choices[k]), self.space.number(&changed)));
            }
        }
        neighbours
    }

    /// A combination in which a few values are others.
    fn changed(&mut self, number: u64, count: usize) -> u64 {
        let mut choices = self.space.choices(number);
        let lengths: Vec<usize> = self.space.parameters().map(|(_, values)| values.len()).collect();
        for _ in 0..count.min(lengths.len()) {
            let k = self.random.below(lengths.len());
            choices[k] = self.random.below(lengths[k]);
        }
        self.space.number(&choices)
    }

    fn evolve(&mut self) -> Result<(), Over> {
        const POPULATION: usize = 16;
        self.first()?;
        let mut all: Vec<(f64, u64)> = self.best.into_iter().collect();
        loop {
            // Few are alive at the start, or too alike.
            while all.len() < POPULATION {
                let number = self.another()?;
                if let Some(time) = self.time(number)? {
                    all.push((time, number));
                }
            }
            let before = self.known.len();
            for _ in 0..POPULATION {
                let (a, b) = (self.winner(&all), self.winner(&all));
                let child = self.child(a, b);
                if let Some(time) = self.time(child)? {
                    all.push((time, child));
                }
            }
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            all.dedup_by_key(|(_, number)| *number);
            all.truncate(if self.known.len() == before { POPULATION / 2 } else { POPULATION });
        }
    }

    /// The better one of two.
    fn winner(&mut self, all: &[(f64, u64)]) -> u64 {
        let (a, b) = (all[self.random.below(all.len())], all[self.random.below(all.len())]);
        if a.0 <= b.0 { a.1 } else { b.1 }
    }

    /// Each value from one of two parents, one in so many as there are changed.
    fn child(&mut self, a: u64, b: u64) -> u64 {
        let (a, b) = (self.space.choices(a), self.space.choices(b));
        let lengths: Vec<usize> = self.space.parameters().map(|(_, values)| values.len()).collect();
        let mut choices = Vec::with_capacity(a.len());
        for (k, length) in lengths.iter().enumerate() {
            choices.push(match self.random.below(2 * lengths.len()) {
                0 => self.random.below(*length),
                odd if odd % 2 == 1 => a[k],
                _ => b[k],
            });
        }
        self.space.number(&choices)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [TuningStrategy; 4] =
        [TuningStrategy::All, TuningStrategy::Random, TuningStrategy::Climb, TuningStrategy::Evolve];

    fn space(lengths: &[i64]) -> Space {
        let mut space = Space::default();
        for (k, length) in lengths.iter().enumerate() {
            space.add(&format!("p{k}"), (0..*length).map(Into::into).collect());
        }
        space
    }

    /// What a search tries of a space whose times a function says.
    fn tried(
        strategy: TuningStrategy,
        space: &Space,
        limit: usize,
        time: impl Fn(&[usize]) -> Option<f64>,
    ) -> Vec<u64> {
        let mut tried = Vec::new();
        search(strategy, space, space.listed(), &mut |number| {
            if tried.len() == limit {
                return Tried::Stop;
            }
            tried.push(number);
            Tried::Time(time(&space.choices(number)))
        });
        tried
    }

    #[test]
    fn each_strategy_tries_everything_once_if_it_may() {
        let mut space = space(&[3, 4, 5]);
        space.restrict(Box::new(|v| v["p0"] + v["p1"] < 4));
        let mut all: Vec<u64> = (0..60).filter(|number| space.allows(*number)).collect();
        for strategy in ALL {
            // One in four fails.
            let time = |choices: &[usize]| (choices[2] != 3).then(|| choices.iter().sum::<usize>() as f64);
            let mut found = tried(strategy, &space, usize::MAX, time);
            assert_eq!(found[0], 0, "{strategy:?}");
            found.sort_unstable();
            all.sort_unstable();
            assert_eq!(found, all, "{strategy:?}");
        }
    }

    #[test]
    fn searches_find_the_planted_best_of_a_large_space_in_few_tries() {
        // 10^7 combinations; one best, and a hundredth of the space has failed.
        let space = space(&[10; 7]);
        let best = [3, 1, 4, 1, 5, 9, 2];
        let time = |choices: &[usize]| {
            let far: usize = choices.iter().zip(best).map(|(a, b)| a.abs_diff(b)).sum();
            (choices[0] != 9 || choices[1] != 9).then_some(1.0 + far as f64)
        };
        for (strategy, tries) in [(TuningStrategy::Climb, 600), (TuningStrategy::Evolve, 3000)] {
            let found = tried(strategy, &space, tries, time);
            assert!(found.contains(&space.number(&best)), "{strategy:?}");
        }
        let found = tried(TuningStrategy::Random, &space, 600, time);
        let nearest =
            found.iter().filter_map(|number| time(&space.choices(*number))).fold(f64::MAX, f64::min);
        assert!(found.len() == 600 && nearest > 1.0, "random search is not that lucky: {nearest}");
    }

    #[test]
    fn a_space_in_which_nothing_is_allowed_or_works_ends() {
        let mut nothing = space(&[4, 4]);
        nothing.restrict(Box::new(|_| false));
        for strategy in ALL {
            assert!(tried(strategy, &nothing, usize::MAX, |_| Some(1.0)).is_empty(), "{strategy:?}");
            assert_eq!(tried(strategy, &space(&[4, 4]), usize::MAX, |_| None).len(), 16, "{strategy:?}");
            assert_eq!(tried(strategy, &space(&[]), usize::MAX, |_| Some(1.0)), [0], "{strategy:?}");
        }
        let mut vast = space(&[1000; 6]);
        vast.restrict(Box::new(|_| false));
        assert!(tried(TuningStrategy::Climb, &vast, usize::MAX, |_| Some(1.0)).is_empty());
    }
}
