//! The statistics, pure: numbers in, numbers out, no clock and no hidden randomness.

use std::collections::BTreeMap;

/// Middle value; the mean of the two middle ones for an even count. `None` for no values.
pub fn median(values: &[f64]) -> Option<f64> {
    percentile(values, 0.5)
}

/// Median absolute deviation from the median, unscaled. `None` for no values.
pub fn median_absolute_deviation(values: &[f64]) -> Option<f64> {
    let middle = median(values)?;
    let deviations: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    median(&deviations)
}

/// The value below which the share `rank` (0 to 1) of the values lies, interpolated linearly
/// between neighbours. `None` for no values.
pub fn percentile(values: &[f64], rank: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    percentile_of_sorted(&sorted, rank)
}

/// One round of a pair of arms: both measured within seconds of each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Which process launch the round belongs to.
    pub launch: u32,
    /// The figure of the arm in question.
    pub a: f64,
    /// The figure of the arm it is compared with.
    pub b: f64,
}

/// How many times faster one arm is than another, with the uncertainty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// Median of the paired rounds' ratios `a / b`.
    pub ratio: f64,
    /// Lower end of the bootstrap 95 % interval.
    pub low: f64,
    /// Upper end of the bootstrap 95 % interval.
    pub high: f64,
}

/// Resamples behind every interval.
pub const RESAMPLES: usize = 10_000;

/// The ratio of paired rounds with its bootstrap percentile interval (95 %).
///
/// Rounds are resampled with replacement within their launch, so that a launch which happened to
/// get a lucky memory layout keeps its weight in every resample. The same pairs and seed give the
/// same interval. `None` without a pair of positive finite figures.
pub fn paired_ratio(pairs: &[Pair], seed: u64) -> Option<Ratio> {
    let mut launches: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for pair in pairs {
        let ratio = pair.a / pair.b;
        if ratio.is_finite() && ratio > 0.0 {
            launches.entry(pair.launch).or_default().push(ratio);
        }
    }
    let all: Vec<f64> = launches.values().flatten().copied().collect();
    let ratio = median(&all)?;

    let mut random = fastrand::Rng::with_seed(seed);
    let mut resample = Vec::with_capacity(all.len());
    let mut medians = Vec::with_capacity(RESAMPLES);
    for _ in 0..RESAMPLES {
        resample.clear();
        for rounds in launches.values() {
            resample.extend((0..rounds.len()).map(|_| rounds[random.usize(..rounds.len())]));
        }
        resample.sort_by(f64::total_cmp);
        medians.extend(percentile_of_sorted(&resample, 0.5));
    }
    medians.sort_by(f64::total_cmp);
    Some(Ratio {
        ratio,
        low: percentile_of_sorted(&medians, 0.025)?,
        high: percentile_of_sorted(&medians, 0.975)?,
    })
}

/// Holm's step-down correction: the p value of each hypothesis adjusted for the whole family, in
/// the order given.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&x, &y| p_values[x].total_cmp(&p_values[y]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (rank, &index) in order.iter().enumerate() {
        let remaining = (p_values.len() - rank) as f64;
        largest = largest.max((p_values[index] * remaining).min(1.0));
        adjusted[index] = largest;
    }
    adjusted
}

fn percentile_of_sorted(sorted: &[f64], rank: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let position = rank.clamp(0.0, 1.0) * last as f64;
    let below = position.floor() as usize;
    let above = position.ceil() as usize;
    let share = position - below as f64;
    Some(sorted[below] + (sorted[above] - sorted[below]) * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_odd_even_and_none() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn deviation_ignores_one_wild_value() {
        // Median 3, absolute deviations 2 1 0 1 97, their median 1.
        let mad = median_absolute_deviation(&[1.0, 2.0, 3.0, 4.0, 100.0]);
        assert_eq!(mad, Some(1.0));
    }

    #[test]
    fn percentiles_interpolate() {
        let values = [10.0, 20.0, 30.0, 40.0, 50.0];
        assert_eq!(percentile(&values, 0.0), Some(10.0));
        assert_eq!(percentile(&values, 1.0), Some(50.0));
        assert_eq!(percentile(&values, 0.95), Some(48.0));
    }

    #[test]
    fn a_constant_ratio_has_no_width() {
        let pairs = pairs(&[(1, 30.0, 10.0), (1, 60.0, 20.0), (2, 15.0, 5.0)]);
        let found = paired_ratio(&pairs, 7).unwrap();
        assert_eq!((found.ratio, found.low, found.high), (3.0, 3.0, 3.0));
    }

    #[test]
    fn pairing_removes_common_drift() {
        // The machine slows down by half over the run; the ratio stays 1.1 throughout.
        let drifting: Vec<Pair> = (0..10)
            .map(|round| {
                let speed = 100.0 - 5.0 * f64::from(round);
                Pair {
                    launch: 0,
                    a: speed * 1.1,
                    b: speed,
                }
            })
            .collect();
        let found = paired_ratio(&drifting, 1).unwrap();
        assert!((found.low - 1.1).abs() < 1e-9 && (found.high - 1.1).abs() < 1e-9);
    }

    #[test]
    fn the_interval_is_reproducible_and_holds_the_ratio() {
        let noisy: Vec<Pair> = (0..20)
            .map(|round| Pair {
                launch: round % 2,
                a: 100.0 + f64::from(round * 7 % 11),
                b: 100.0 + f64::from(round * 5 % 13),
            })
            .collect();
        let first = paired_ratio(&noisy, 42).unwrap();
        assert_eq!(paired_ratio(&noisy, 42).unwrap(), first);
        assert!(first.low <= first.ratio && first.ratio <= first.high);
        assert!(first.low < first.high);
    }

    /// The sampling distribution of the median of three from {1, 2, 4}: it is 1 when at least two
    /// of the three draws are 1, which has probability 7/27, far above 2.5 %; likewise for 4.
    #[test]
    fn the_interval_of_three_rounds_spans_them() {
        let found =
            paired_ratio(&pairs(&[(0, 1.0, 1.0), (0, 2.0, 1.0), (0, 4.0, 1.0)]), 3).unwrap();
        assert_eq!((found.ratio, found.low, found.high), (2.0, 1.0, 4.0));
    }

    /// Draws never cross launches: with one round each there is only one possible resample.
    #[test]
    fn rounds_are_resampled_within_their_launch() {
        let found =
            paired_ratio(&pairs(&[(0, 1.0, 1.0), (1, 2.0, 1.0), (2, 4.0, 1.0)]), 3).unwrap();
        assert_eq!((found.ratio, found.low, found.high), (2.0, 2.0, 2.0));
    }

    #[test]
    fn no_pair_no_ratio() {
        assert_eq!(paired_ratio(&[], 1), None);
        assert_eq!(paired_ratio(&pairs(&[(0, 1.0, 0.0)]), 1), None);
    }

    #[test]
    fn holm_known_answer() {
        // Sorted 0.005 0.01 0.03 0.04 times 4 3 2 1, made monotone: 0.02 0.03 0.06 0.06.
        let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (got, want) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!((got - want).abs() < 1e-12, "{adjusted:?}");
        }
    }

    fn pairs(rounds: &[(u32, f64, f64)]) -> Vec<Pair> {
        rounds
            .iter()
            .map(|&(launch, a, b)| Pair { launch, a, b })
            .collect()
    }
}
