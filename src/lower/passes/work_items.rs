//! Shares the iterations of parallel loops among work-items: work-item `g` of `G` runs `g`, `g + G`, `g + 2*G`, …
//! Where it is said how many work-items there are, their numbers stand in the code.

use super::workers;
use crate::dpia::{Imperative, Kind, LoopKind, Names, Phrase};
use crate::lang::diag::Diagnostic;
use crate::target::Launch;

/// # Errors
/// Loops whose iterations cannot run at once (`workers::check`).
pub fn run(mut p: Imperative, _: &mut Names) -> Result<Imperative, Diagnostic> {
    workers::check(&p)?;
    p.body = share(&p.body, p.launch.as_ref());
    Ok(p)
}

fn share(c: &Phrase, launch: Option<&Launch>) -> Phrase {
    let Ok(c) = c.map_children::<std::convert::Infallible>(&mut |d| Ok(share(d, launch)));
    let Kind::For(l) = c.kind() else { return c };
    let LoopKind::Parallel(workers) = l.kind else { return c };
    let Some((id, size)) = workers.share() else { return c };
    let mut l = (**l).clone();
    l.init = id.nat();
    l.step = launch.and_then(|l| l.number(size)).unwrap_or_else(|| size.nat());
    Phrase::for_loop(l)
}
