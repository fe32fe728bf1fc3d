//! In which order the arms take their turns: pure, decided by a seed.

/// The order of the arms (as indices below `arms`) in each of `rounds` rounds.
///
/// Rounds come in pairs: a random order, then the same order backwards (A B B A for two arms), so
/// that a machine which slows down or speeds up steadily favours nobody. An odd last round stands
/// alone.
pub fn rounds(arms: usize, rounds: usize, random: &mut fastrand::Rng) -> Vec<Vec<usize>> {
    let mut schedule: Vec<Vec<usize>> = Vec::with_capacity(rounds);
    while schedule.len() < rounds {
        let mut order: Vec<usize> = (0..arms).collect();
        random.shuffle(&mut order);
        let backwards = order.iter().rev().copied().collect();
        schedule.push(order);
        if schedule.len() < rounds {
            schedule.push(backwards);
        }
    }
    schedule
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_arm_once_a_round_and_each_pair_mirrored() {
        let schedule = rounds(5, 6, &mut fastrand::Rng::with_seed(9));
        assert_eq!(schedule.len(), 6);
        for pair in schedule.chunks(2) {
            let mut sorted = pair[0].clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3, 4]);
            let backwards: Vec<usize> = pair[0].iter().rev().copied().collect();
            assert_eq!(pair[1], backwards);
        }
    }

    #[test]
    fn the_first_arm_is_random_and_the_seed_decides() {
        let first = |seed| rounds(2, 1, &mut fastrand::Rng::with_seed(seed))[0][0];
        let starts: Vec<usize> = (0..64).map(first).collect();
        assert!(starts.contains(&0) && starts.contains(&1));
        assert_eq!(starts, (0..64).map(first).collect::<Vec<_>>());
    }
}
