//! The choices that a random program is made of, and making them fewer and smaller while a program still fails.

use shine_tui::lang::eval::inputs::Rng;

/// Numbers that a generator asks for, one after the other. Zero is always the simplest choice.
pub struct Choices {
    rng: Option<Rng>,
    given: Vec<u32>,
    /// What was chosen, for asking again.
    pub made: Vec<u32>,
}

impl Choices {
    pub fn random(seed: u64) -> Choices {
        Choices { rng: Some(Rng::new(seed)), given: vec![], made: vec![] }
    }

    /// The same choices again; after their end all are the simplest.
    pub fn again(given: &[u32]) -> Choices {
        Choices { rng: None, given: given.to_vec(), made: vec![] }
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u32) -> u32 {
        let n = n.max(1);
        let choice = match &mut self.rng {
            Some(rng) => rng.below(n.into()) as u32,
            None => self.given.get(self.made.len()).copied().unwrap_or(0) % n,
        };
        self.made.push(choice);
        choice
    }
}

/// Fewer and smaller choices that still fail.
pub fn shrink(mut made: Vec<u32>, mut budget: u32, mut fails: impl FnMut(&[u32]) -> bool) -> Vec<u32> {
    let mut attempt = |candidate: Vec<u32>, best: &mut Vec<u32>| {
        if budget == 0 || candidate == *best {
            return false;
        }
        budget -= 1;
        let good = fails(&candidate);
        if good {
            *best = candidate;
        }
        good
    };
    loop {
        let before = made.clone();
        for width in [32, 16, 8, 4, 2, 1] {
            let mut at = 0;
            while at < made.len() {
                let end = (at + width).min(made.len());
                let without = [&made[..at], &made[end..]].concat();
                let mut zeros = made.clone();
                zeros[at..end].fill(0);
                if !attempt(without, &mut made) && !attempt(zeros, &mut made) {
                    at += width;
                }
            }
        }
        for at in 0..made.len() {
            for smaller in [made[at] / 2, made[at].saturating_sub(1)] {
                if let Some(old) = made.get(at).copied()
                    && smaller < old
                {
                    let mut less = made.clone();
                    less[at] = smaller;
                    attempt(less, &mut made);
                }
            }
        }
        if made == before {
            return made;
        }
    }
}
