//! A function in C that chooses one of several kernels of the same program by its sizes.
//!
//! In: kernels that keep all sizes as parameters, and when each is to be chosen. Out: a kernel that calls them. What must hold: a
//! kernel is called only with sizes that it can have, so the last one has to be of all sizes that the program can have.

use super::host::{broken, count};
use super::kernel::Kernel;
use super::names::Namer;
use super::{Language, ParamKind};
use crate::lang::constraint::SizeConstraint;
use crate::lang::nat::{Atom, Coefficient, Monomial, Nat};
use num_traits::Signed;
use std::fmt::Write;

/// When a kernel is chosen.
#[derive(Clone, PartialEq, Debug)]
pub struct Way<'a> {
    pub kernel: &'a Kernel,
    /// From this value of the size on, and below that one.
    pub from: Option<i64>,
    pub below: Option<i64>,
    /// What else must hold of the sizes, besides what must hold for the program itself.
    pub needs: Vec<SizeConstraint>,
}

impl Way<'_> {
    /// Whether C can ask when this one is to be chosen.
    ///
    /// # Errors
    /// What it cannot ask.
    pub fn can_be_asked(&self) -> Result<(), Refusal> {
        conditions(self, "").map(drop)
    }
}

/// Why there is no such function, as a sentence.
pub type Refusal = String;

/// The kernel that calls the first of these whose condition holds, by the size of this name.
///
/// # Errors
/// The kernels take other parameters than each other, C cannot ask for what one needs, or none is there for all other sizes.
pub fn dispatch(name: &str, size: &str, ways: &[Way<'_>], about: &[String]) -> Result<Kernel, Refusal> {
    let Some(last) = ways.last().map(|way| way.kernel) else {
        return Err("There is nothing to choose from.".to_owned());
    };
    if ways.iter().any(|way| !alike(way.kernel, last)) {
        return Err("The kernels do not take the same parameters.".to_owned());
    }
    let of_size = |p: &&super::KernelParam| matches!(&p.kind, ParamKind::Size(x) if **x == *size);
    let Some(size) = last.params.iter().find(of_size).map(|p| p.name.clone()) else {
        return Err(format!("The kernels have no parameter for the size {size}."));
    };
    let name = Namer::new(Language::C).function(name);
    let arguments: Vec<&str> = last.params.iter().map(|p| p.name.as_str()).collect();
    let arguments = arguments.join(", ");
    // One that divides integers tells where there is no result, and so does what calls it.
    let like = ways.iter().map(|way| way.kernel).find(|kernel| kernel.divides).unwrap_or(last);
    let prototype = like.prototype.replacen(&format!("{}(", like.name), &format!("{name}("), 1);
    let mut declared: Vec<&str> = ways.iter().map(|way| way.kernel.prototype.as_str()).collect();
    declared.sort_unstable();
    declared.dedup();
    let mut function = format!("{prototype} {{\n");
    for (i, way) in ways.iter().enumerate() {
        let conditions = conditions(way, &size)?;
        let call = format!("{}({arguments});", way.kernel.name);
        let call = |indent: &str| match (like.divides, way.kernel.divides) {
            (_, true) => format!("{indent}return {call}\n"),
            (true, false) => format!("{indent}{call}\n{indent}return 0;\n"),
            (false, false) => format!("{indent}{call}\n"),
        };
        let open = match (i, conditions.is_empty()) {
            (0, true) => call("  "),
            (0, false) => format!("  if ({}) {{\n{}  }}", conditions.join(" && "), call("    ")),
            (_, true) => format!(" else {{\n{}  }}\n", call("    ")),
            (_, false) => format!(" else if ({}) {{\n{}  }}", conditions.join(" && "), call("    ")),
        };
        function += &open;
        if conditions.is_empty() {
            function += "}\n";
            return Ok(kernel(name, prototype, &declared, function, like, about));
        }
    }
    Err("None of the kernels is there for all sizes.".to_owned())
}

/// Do the kernels take the same, whatever they call it?
pub fn alike(a: &Kernel, b: &Kernel) -> bool {
    let of = |kernel: &Kernel| -> Vec<_> {
        kernel.params.iter().map(|p| (p.kind.clone(), p.scalar, p.len.clone(), p.by_value)).collect()
    };
    of(a) == of(b)
}

/// What is asked before a kernel is called.
fn conditions(way: &Way<'_>, size: &str) -> Result<Vec<String>, Refusal> {
    let mut all: Vec<String> = vec![];
    all.extend(way.from.map(|n| format!("{size} >= {n}")));
    all.extend(way.below.map(|n| format!("{size} < {n}")));
    for need in &way.needs {
        let holds = holds(need, way.kernel);
        all.push(holds.ok_or_else(|| format!("C cannot ask whether it holds that {need}."))?);
    }
    Ok(all)
}

/// The condition in C under which a constraint holds; none for one that C cannot ask for.
fn holds(need: &SizeConstraint, kernel: &Kernel) -> Option<String> {
    match need {
        SizeConstraint::AtMost(n, most) if most.as_constant() == Some(i64::MAX) => fits(n, kernel),
        _ => broken(need, &|n: &Nat| count(kernel, n)).map(|broken| format!("!({broken})")),
    }
}

/// The condition in C under which 64 bits hold the number. Asked of integers it would overflow itself, so it is asked of doubles, up
/// to a bound that is as much smaller as these may be wrong: just below the limit another kernel is called, which is right, too.
fn fits(n: &Nat, kernel: &Kernel) -> Option<String> {
    // What is taken away makes it no larger.
    let added = n.terms().iter().filter(|(_, c)| c.is_positive());
    let products: Option<Vec<String>> = added.map(|(m, c)| in_doubles(m, c, kernel)).collect();
    Some(format!("{} < 9e18", products?.join(" + ")))
}

fn in_doubles(product: &Monomial, c: &Coefficient, kernel: &Kernel) -> Option<String> {
    let mut text = format!("{:?}", *c.numer() as f64 / *c.denom() as f64);
    for (atom, power) in product {
        let factor = Nat::atom(atom.clone());
        // The factor is computed in 64 bits.
        if !SizeConstraint::of_number(&factor).is_empty() {
            return None;
        }
        let factor = match count(kernel, &factor) {
            name if matches!(atom, Atom::Var(_)) => name,
            other => format!("({other})"),
        };
        let by = if *power > 0 { " * " } else { " / " };
        (0..power.unsigned_abs()).for_each(|_| text += &format!("{by}{factor}"));
    }
    Some(text)
}

fn kernel(
    name: String,
    prototype: String,
    declared: &[&str],
    function: String,
    like: &Kernel,
    about: &[String],
) -> Kernel {
    let mut text = String::new();
    about.iter().for_each(|line| {
        let _ = writeln!(text, "// {line}");
    });
    text += "\n#include <stdbool.h>\n#include <stdint.h>\n\n";
    declared.iter().for_each(|prototype| {
        let _ = writeln!(text, "{prototype};");
    });
    let _ = write!(text, "\n{function}");
    Kernel { name, prototype, text, function, prelude: vec![], lines: vec![], ..like.clone() }
}
