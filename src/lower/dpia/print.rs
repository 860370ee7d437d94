//! DPIA as text, close to the notation of the thesis.
//!
//! Expressions are applications, `idx(i, x)` prints as `x[i]`; commands are statements, one a line.

use super::{Access, Kind, Layout, LoopKind, Phrase, PhraseType, Workers, origin_of};
use crate::lang::nat::{Name, Nat};
use crate::lang::origin::{Line, Origin, Part};
use crate::lang::pattern::Pattern;
use crate::lang::term::Arg;
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// Longer expressions break at the arguments of their outermost pattern.
const WIDTH: usize = 100;

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::Stream => "stream",
        })
    }
}

impl fmt::Display for PhraseType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PhraseType::Exp(t, a) => write!(f, "exp[{t}, {a}]"),
            PhraseType::Acc(t) => write!(f, "acc[{t}]"),
            PhraseType::Comm => write!(f, "comm"),
            PhraseType::Fun(ab) if matches!(ab.0, PhraseType::Fun(_)) => write!(f, "({}) -> {}", ab.0, ab.1),
            PhraseType::Fun(ab) => write!(f, "{} -> {}", ab.0, ab.1),
        }
    }
}

impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(printed(self, None).0.trim_end())
    }
}

/// The phrase as lines, and where each comes from; `origins`: where loops and memory come from.
pub fn lines(p: &Phrase, origins: &BTreeMap<Name, Origin>) -> (String, Vec<Line>) {
    printed(p, Some(origins))
}

fn printed(p: &Phrase, origins: Option<&BTreeMap<Name, Origin>>) -> (String, Vec<Line>) {
    let mut out = Out { text: String::new(), lines: vec![], line: Line::default(), origins };
    match p.ty() {
        PhraseType::Comm => command(p, 0, &mut out),
        _ => expression(p, 0, &mut out),
    }
    let end = if out.text.ends_with('\n') || out.text.is_empty() { "" } else { "\n" };
    out.push_str(end);
    (out.text, out.lines)
}

/// Text, and what its lines are.
struct Out<'a> {
    text: String,
    lines: Vec<Line>,
    /// The line at hand.
    line: Line,
    /// Where loops and memory come from, if somebody wants to know.
    origins: Option<&'a BTreeMap<Name, Origin>>,
}

impl Out<'_> {
    fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
        let ended = text.matches('\n').count();
        self.lines.extend((0..ended).map(|_| std::mem::take(&mut self.line)));
    }
    fn push(&mut self, c: char) {
        self.push_str(c.encode_utf8(&mut [0; 4]));
    }
    /// The line at hand is this part of a command.
    fn is(&mut self, part: Part, command: &Phrase) {
        if let Some(origins) = self.origins {
            let origin = self.line.origin.with(&origin_of(command, origins));
            self.line = Line { part, origin };
        }
    }
    /// In the line at hand stands an expression, or the head of one.
    fn has(&mut self, origin: impl FnOnce() -> Origin) {
        if self.origins.is_some() {
            let origin = self.line.origin.with(&origin());
            self.line = Line { part: Part::Statement, origin };
        }
    }
}

impl Write for Out<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push_str(text);
        Ok(())
    }
}

fn indent(depth: usize, out: &mut Out) {
    out.push_str(&"  ".repeat(depth));
}

fn workers(w: Workers) -> String {
    match w {
        Workers::Threads => "threads".into(),
        Workers::Global(d) => format!("global({d})"),
        Workers::WorkGroup(d) => format!("workGroup({d})"),
        Workers::Local(d) => format!("local({d})"),
    }
}

fn command(p: &Phrase, depth: usize, out: &mut Out) {
    match p.kind() {
        Kind::Seq(ps) => ps.iter().for_each(|c| command(c, depth, out)),
        Kind::Skip => {
            indent(depth, out);
            out.push_str("skip\n");
        }
        Kind::Assign(to, e) => {
            indent(depth, out);
            out.is(Part::Statement, p);
            let _ = writeln!(out, "{} = {}", inline(to), inline(e));
        }
        Kind::Barrier(b) => {
            indent(depth, out);
            out.is(Part::Barrier, p);
            let _ = writeln!(out, "barrier({})", b.spaces().join(", "));
        }
        Kind::New(a, t, x, b) => {
            indent(depth, out);
            out.is(Part::Memory(x.to_string()), p);
            let _ = writeln!(out, "new {} {x}: {t} in", a.name());
            command(b, depth, out);
        }
        Kind::For(l) => {
            indent(depth, out);
            out.is(Part::Loop(l.var.to_string()), p);
            let kind = match l.kind {
                LoopKind::Sequential => "for".to_string(),
                LoopKind::Unrolled => "forUnrolled".to_string(),
                LoopKind::Lanes => "forLanes".to_string(),
                LoopKind::Parallel(w) => format!("parFor {}", workers(w)),
            };
            let from = if l.init.is_zero() { String::new() } else { format!(" from {}", l.init) };
            let by = if l.step == Nat::constant(1) { String::new() } else { format!(" by {}", l.step) };
            let _ = writeln!(out, "{kind} {} < {}{from}{by} {{", l.var, l.n);
            command(&l.body, depth + 1, out);
            indent(depth, out);
            out.is(Part::Around, p);
            out.push_str("}\n");
        }
        Kind::Kernel(launch, b) => {
            indent(depth, out);
            out.is(Part::Statement, p);
            let _ = writeln!(out, "kernel on {launch} {{");
            command(b, depth + 1, out);
            indent(depth, out);
            out.is(Part::Around, p);
            out.push_str("}\n");
        }
        Kind::If(c, a, b) => {
            indent(depth, out);
            out.is(Part::Statement, p);
            let _ = writeln!(out, "if {} {{", inline(c));
            command(a, depth + 1, out);
            if !matches!(b.kind(), Kind::Skip) {
                indent(depth, out);
                out.is(Part::Around, p);
                out.push_str("} else {\n");
                command(b, depth + 1, out);
            }
            indent(depth, out);
            out.is(Part::Around, p);
            out.push_str("}\n");
        }
        _ => {
            indent(depth, out);
            let _ = writeln!(out, "{}", inline(p));
        }
    }
}

/// The phrase on one line, or on several where it is long.
fn expression(p: &Phrase, depth: usize, out: &mut Out) {
    let line = inline(p);
    if line.len() + 2 * depth <= WIDTH {
        out.has(|| p.origins());
        out.push_str(&line);
        return;
    }
    match p.kind() {
        Kind::Lam(x, t, b) => {
            let _ = writeln!(out, "\\{x}: {t}.");
            indent(depth + 1, out);
            expression(b, depth + 1, out);
        }
        Kind::Pattern(pattern, args, ps) if pattern.operator().is_none() => {
            out.has(|| p.origin().clone());
            let _ = write!(out, "{}(", head(*pattern, args));
            for (i, e) in ps.iter().enumerate() {
                out.push_str(if i == 0 { "\n" } else { ",\n" });
                indent(depth + 1, out);
                expression(e, depth + 1, out);
            }
            out.push(')');
        }
        Kind::App(f, e) => {
            if let Kind::Lam(x, _, b) = f.kind() {
                let _ = write!(out, "let {x} = ");
                expression(e, depth + 1, out);
                out.push('\n');
                indent(depth, out);
                expression(b, depth, out);
            } else {
                out.has(|| p.origins());
                out.push_str(&line);
            }
        }
        _ => {
            out.has(|| p.origins());
            out.push_str(&line);
        }
    }
}

fn head(p: Pattern, args: &[Arg]) -> String {
    let args: Vec<String> = args
        .iter()
        .map(|a| match a {
            Arg::Nat(n) => n.to_string(),
            Arg::Fun(f) => f.to_string(),
            Arg::Addr(a) => a.name().to_string(),
            Arg::Dim(d) => d.to_string(),
        })
        .collect();
    if args.is_empty() { p.name().to_string() } else { format!("{}[{}]", p.name(), args.join(", ")) }
}

fn list(ps: &[Phrase]) -> String {
    ps.iter().map(inline).collect::<Vec<_>>().join(", ")
}

fn layout_name(l: &Layout) -> String {
    match l {
        Layout::Index => "idxAcc".into(),
        Layout::First => "pairAcc1".into(),
        Layout::Second => "pairAcc2".into(),
        Layout::ZipFirst => "zipAcc1".into(),
        Layout::ZipSecond => "zipAcc2".into(),
        Layout::Unzip => "unzipAcc".into(),
        Layout::Split(n) => format!("splitAcc[{n}]"),
        Layout::Join(n) => format!("joinAcc[{n}]"),
        Layout::Transpose => "transposeAcc".into(),
        Layout::Reorder(f) => format!("reorderAcc[{f}]"),
        Layout::AsVector(n) => format!("asVectorAcc[{n}]"),
        Layout::AsScalar(n) => format!("asScalarAcc[{n}]"),
        Layout::Take => "takeAcc".into(),
        Layout::Longer => "longerAcc".into(),
        Layout::Drop(n) => format!("dropAcc[{n}]"),
        Layout::Scatter => "scatterAcc".into(),
        Layout::Map => "mapAcc".into(),
        Layout::MapFirst => "mapAcc1".into(),
        Layout::MapSecond => "mapAcc2".into(),
    }
}

/// An operand: operators get parentheses.
fn operand(p: &Phrase) -> String {
    let text = inline(p);
    match p.kind() {
        Kind::Pattern(op, _, _) if op.operator().is_some() => format!("({text})"),
        Kind::Lam(..) | Kind::App(..) => format!("({text})"),
        _ => text,
    }
}

fn inline(p: &Phrase) -> String {
    match p.kind() {
        Kind::Var(x) => x.to_string(),
        Kind::Lam(x, t, b) => format!("\\{x}: {t}. {}", inline(b)),
        Kind::App(f, e) => match f.kind() {
            Kind::Lam(x, _, b) => format!("let {x} = {} in {}", inline(e), inline(b)),
            _ => format!("{}({})", operand(f), inline(e)),
        },
        Kind::Lit(l) => l.to_string(),
        Kind::Number(n, parts) if parts.is_empty() => n.to_string(),
        Kind::Number(n, parts) => {
            let parts: Vec<String> = parts.iter().map(|(x, e)| format!("{x} = {}", inline(e))).collect();
            format!("({n} where {})", parts.join(", "))
        }
        Kind::Pattern(Pattern::Idx, _, ps) if ps.len() == 2 => {
            format!("{}[{}]", operand(&ps[1]), inline(&ps[0]))
        }
        Kind::Pattern(op, _, ps) if ps.len() == 2 && op.operator().is_some() => {
            format!("{} {} {}", operand(&ps[0]), op.operator().unwrap_or_default(), operand(&ps[1]))
        }
        Kind::Pattern(Pattern::MakeArray, _, ps) => format!("[{}]", list(ps)),
        Kind::Pattern(op, args, ps) => format!("{}({})", head(*op, args), list(ps)),
        Kind::Acceptor(Layout::Index, ps) if ps.len() == 2 => {
            format!("{}[{}]", operand(&ps[1]), inline(&ps[0]))
        }
        Kind::Acceptor(Layout::First, ps) if ps.len() == 1 => format!("{}.fst", operand(&ps[0])),
        Kind::Acceptor(Layout::Second, ps) if ps.len() == 1 => format!("{}.snd", operand(&ps[0])),
        Kind::Acceptor(l, ps) => format!("{}({})", layout_name(l), list(ps)),
        Kind::Skip
        | Kind::Assign(..)
        | Kind::Seq(_)
        | Kind::New(..)
        | Kind::For(_)
        | Kind::If(..)
        | Kind::Kernel(..)
        | Kind::Barrier(_) => {
            format!("{{ {} }}", printed(p, None).0.trim().replace('\n', "; "))
        }
    }
}
