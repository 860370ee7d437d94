//! Shares the iterations of parallel loops among work-items: work-item `g` of `G` runs `g`, `g + G`, `g + 2*G`, …

use super::workers;
use crate::lang::diag::Diagnostic;
use crate::lang::nat::Worker;
use crate::lower::dpia::{Imperative, Kind, LoopKind, Names, Phrase, Workers};

/// # Errors
/// Loops whose iterations cannot run at once (`workers::check`).
pub fn run(mut p: Imperative, _: &mut Names) -> Result<Imperative, Diagnostic> {
    workers::check(&p)?;
    p.body = share(&p.body);
    Ok(p)
}

fn share(c: &Phrase) -> Phrase {
    let Ok(c) = c.map_children::<std::convert::Infallible>(&mut |d| Ok(share(d)));
    let Kind::For(l) = c.kind() else { return c };
    let LoopKind::Parallel(workers) = l.kind else { return c };
    let (id, size) = match workers {
        Workers::Global(d) => (Worker::GlobalId(d), Worker::GlobalSize(d)),
        Workers::WorkGroup(d) => (Worker::GroupId(d), Worker::Groups(d)),
        Workers::Local(d) => (Worker::LocalId(d), Worker::LocalSize(d)),
        Workers::Threads => return c,
    };
    let mut l = (**l).clone();
    l.init = id.nat();
    l.step = size.nat();
    Phrase::for_loop(l)
}
