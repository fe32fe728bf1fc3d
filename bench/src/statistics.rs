//! The statistics, pure: numbers in, numbers out, no clock and no hidden randomness.

use std::collections::BTreeMap;

use statrs::distribution::{ContinuousCDF, StudentsT};

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
    let launches = ratios_by_launch(pairs);
    let ratio = median(&flat(&launches))?;
    let mut random = fastrand::Rng::with_seed(seed);
    interval(ratio, || median_of_resample(&launches, &mut random))
}

/// The ratio of the medians of two sets of figures that were not measured in turns, with its
/// bootstrap percentile interval (95 %). Each figure comes with its launch. `None` without figures
/// on both sides.
pub fn unpaired_ratio(a: &[(u32, f64)], b: &[(u32, f64)], seed: u64) -> Option<Ratio> {
    let (a, b) = (by_launch(a), by_launch(b));
    let ratio = median(&flat(&a))? / median(&flat(&b))?;
    let mut random = fastrand::Rng::with_seed(seed);
    interval(ratio, || {
        Some(median_of_resample(&a, &mut random)? / median_of_resample(&b, &mut random)?)
    })
}

/// How probable ratios at least this far from 1 are if the arms are equally fast: two-sided
/// one-sample t test on the launches' mean logarithms, as the rounds of one launch share their
/// memory layout and are not independent of each other. `None` with fewer than two launches.
pub fn probability_if_equal(pairs: &[Pair]) -> Option<f64> {
    let means: Vec<f64> = ratios_by_launch(pairs)
        .values()
        .map(|rounds| mean(&rounds.iter().map(|ratio| ratio.ln()).collect::<Vec<_>>()))
        .collect();
    let count = means.len() as f64;
    if means.len() < 2 {
        return None;
    }
    let centre = mean(&means);
    let squares: Vec<f64> = means.iter().map(|value| (value - centre).powi(2)).collect();
    let error = (squares.iter().sum::<f64>() / (count - 1.0) / count).sqrt();
    if error == 0.0 {
        return Some(if centre == 0.0 { 1.0 } else { 0.0 });
    }
    let distribution = StudentsT::new(0.0, 1.0, count - 1.0).ok()?;
    Some(2.0 * distribution.cdf(-(centre / error).abs()))
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

type Launches = BTreeMap<u32, Vec<f64>>;

fn ratios_by_launch(pairs: &[Pair]) -> Launches {
    let ratios = pairs.iter().map(|pair| (pair.launch, pair.a / pair.b));
    by_launch(&ratios.collect::<Vec<_>>())
}

fn by_launch(figures: &[(u32, f64)]) -> Launches {
    let mut launches = Launches::new();
    for &(launch, figure) in figures {
        if figure.is_finite() && figure > 0.0 {
            launches.entry(launch).or_default().push(figure);
        }
    }
    launches
}

fn flat(launches: &Launches) -> Vec<f64> {
    launches.values().flatten().copied().collect()
}

fn median_of_resample(launches: &Launches, random: &mut fastrand::Rng) -> Option<f64> {
    let mut resample = Vec::new();
    for rounds in launches.values() {
        resample.extend((0..rounds.len()).map(|_| rounds[random.usize(..rounds.len())]));
    }
    median(&resample)
}

fn interval(ratio: f64, resample: impl FnMut() -> Option<f64>) -> Option<Ratio> {
    let mut found: Vec<f64> = std::iter::repeat_with(resample)
        .take(RESAMPLES)
        .collect::<Option<_>>()?;
    found.sort_by(f64::total_cmp);
    Some(Ratio {
        ratio,
        low: percentile_of_sorted(&found, 0.025)?,
        high: percentile_of_sorted(&found, 0.975)?,
    })
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
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
    fn unpaired_ratio_of_constant_figures() {
        let found = unpaired_ratio(&[(0, 6.0), (1, 6.0)], &[(0, 2.0), (1, 2.0)], 1).unwrap();
        assert_eq!((found.ratio, found.low, found.high), (3.0, 3.0, 3.0));
        assert_eq!(unpaired_ratio(&[], &[(0, 2.0)], 1), None);
    }

    /// Logarithms 0.1 0.2 0.3: mean 0.2, standard error 0.1/sqrt(3), so t = 3.4641 with two degrees
    /// of freedom, whose two-sided probability is 1 - t / sqrt(t^2 + 2) = 0.0741799.
    #[test]
    fn the_t_test_of_three_launches() {
        let three: Vec<(u32, f64, f64)> = (0..3)
            .map(|launch| (launch, (0.1 * f64::from(launch + 1)).exp(), 1.0))
            .collect();
        let found = probability_if_equal(&pairs(&three)).unwrap();
        assert!((found - 0.074_179_9).abs() < 1e-6, "{found}");
    }

    #[test]
    fn rounds_of_one_launch_are_no_evidence_by_themselves() {
        let one_launch = pairs(&[(0, 2.0, 1.0), (0, 2.1, 1.0), (0, 2.0, 1.0)]);
        assert_eq!(probability_if_equal(&one_launch), None);
        let equal = pairs(&[(0, 1.0, 1.0), (1, 1.0, 1.0)]);
        assert_eq!(probability_if_equal(&equal), Some(1.0));
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
